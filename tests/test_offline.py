"""Tests cannot reach the network, neither in this process nor in others that they start."""

import socket
import subprocess
import sys
import urllib.request

import pytest

ELSEWHERE = "192.0.2.1"  # reserved for documentation


def send_datagram(address):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(b"", address)


@pytest.mark.parametrize(
    "attempt",
    [
        lambda: socket.create_connection((ELSEWHERE, 80)),
        lambda: socket.create_connection(("example.org", 80)),
        lambda: socket.gethostbyname("example.org"),
        lambda: send_datagram((ELSEWHERE, 80)),
        lambda: urllib.request.urlopen("https://example.org"),
    ],
    ids=["address", "name", "lookup", "datagram", "url"],
)
def test_other_machines_cannot_be_reached(attempt):
    with pytest.raises(RuntimeError, match="Tests must not use the network"):
        attempt()


def test_other_processes_cannot_reach_them_either():
    code = f"import socket; socket.create_connection(({ELSEWHERE!r}, 80))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert "Tests must not use the network" in run.stderr


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
def test_this_machine_can_be_reached(host):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with socket.create_connection((host, port)) as connection:
            assert connection.getpeername() == ("127.0.0.1", port)
