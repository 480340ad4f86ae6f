"""Block the network in tests: only this machine can be reached.

conftest.py runs this file and puts its folder on PYTHONPATH, so Python processes that tests start run it too.
"""

import ipaddress
import socket
import sys

LOCAL_NAMES = {"", "localhost", "localhost.localdomain", socket.gethostname().lower()}
CONNECTS = {"socket.connect", "socket.sendto", "socket.sendmsg"}  # the address is the second argument
RESOLVES = {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"}  # the name is the first argument


def is_local(host):
    """Whether a host is this machine; None and "" are, as in the socket module."""
    if host is None:
        return True
    name = host.decode() if isinstance(host, bytes) else str(host)
    try:
        address = ipaddress.ip_address(name.split("%")[0])
    except ValueError:
        return name.lower() in LOCAL_NAMES
    return address.is_loopback or address.is_unspecified


def refuse(event, arguments):
    """Raise RuntimeError where a socket leaves the machine; libraries that retry on OSError do not catch it."""
    if event in CONNECTS:
        address = arguments[1]
        host = address[0] if isinstance(address, tuple) and isinstance(address[0], str | bytes) else None  # else no IP
    elif event in RESOLVES:
        host = arguments[0]
    else:
        return
    if not is_local(host):
        raise RuntimeError(f"Tests must not use the network, but {event} was called for {host!r}. Use local data.")


sys.addaudithook(refuse)
