"""Memory that is kept while a model is trained, and only then."""

import subprocess
import sys
import threading

import pytest

from skdegfair import DegFairGNNClassifier
from skdegfair.training import _memory, memory_kept

PAGES = 2**26 // 4096  # of an array larger than what glibc keeps by itself


class Recorder:
    """In place of the C library."""

    def __init__(self):
        self.calls = []

    def mallopt(self, option, value):
        self.calls.append((option, value))

    def malloc_trim(self, pad):
        self.calls.append("trim")


@pytest.fixture
def libc(monkeypatch):
    recorder = Recorder()
    monkeypatch.setattr(_memory, "_glibc", lambda: recorder)
    return recorder


kept, returned = list(_memory.KEEP.items()), [*_memory.USUAL.items(), "trim"]


def test_kept_then_returned(libc):
    with memory_kept():
        assert libc.calls == kept
    assert libc.calls == kept + returned


def test_returned_after_an_error(libc):
    with pytest.raises(KeyboardInterrupt), memory_kept():
        raise KeyboardInterrupt
    assert libc.calls == kept + returned


def test_the_last_of_several_threads_returns_it(libc):
    first_is_in, second_is_out = threading.Event(), threading.Event()

    def first():
        with memory_kept():
            first_is_in.set()
            assert second_is_out.wait(60)

    thread = threading.Thread(target=first)
    thread.start()
    assert first_is_in.wait(60)
    with memory_kept():
        pass
    assert libc.calls == kept  # the first one still trains
    second_is_out.set()
    thread.join()
    assert libc.calls == kept + returned


def test_training_keeps_and_returns(libc, data):
    DegFairGNNClassifier(max_epochs=2).fit(data.graph, data.y)
    assert libc.calls == kept + returned


@pytest.mark.parametrize("variable", ["MALLOC_TRIM_THRESHOLD_", "GLIBC_TUNABLES"])
def test_users_settings_are_left_alone(monkeypatch, variable):
    monkeypatch.setenv(variable, "glibc.malloc.trim_threshold=1000")
    assert _memory._glibc() is None
    with memory_kept():
        assert _memory._n_users == 0


def test_other_c_libraries(monkeypatch):
    monkeypatch.setattr(_memory.ctypes, "CDLL", lambda name: object())
    assert _memory._glibc() is None


SCRIPT = """
import resource, torch
from skdegfair.training import memory_kept

def new_pages():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(4):
        torch.zeros(2**26, dtype=torch.uint8)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

def held():
    return int(open("/proc/self/statm").read().split()[1])

usually = new_pages()
with memory_kept():
    new_pages()
    print(usually, new_pages(), held())
print(held())
"""


def test_pages_are_got_once_and_returned():
    if _memory._glibc() is None:
        pytest.skip("not glibc, or malloc is set by environment variables")
    run = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    usually, kept_pages, held, held_after = map(int, run.stdout.split())
    if usually < 4 * PAGES:
        pytest.skip("the system gives huge pages")
    assert kept_pages < PAGES / 10
    assert held_after < held - 0.9 * PAGES
