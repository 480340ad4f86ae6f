"""memory_kept: memory is reused inside the context, returned afterwards, and no process hangs.

Most tests run a script in a process of its own, as the settings of malloc apply to a whole process. A page fault counts
a page that the system had to hand out, so it shows whether memory was reused.
"""

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import pytest
from skorch.callbacks import Callback

from skdegfair import DegFairGNNClassifier
from skdegfair.training import memory, memory_kept

SIZE = 2**26  # larger than what glibc keeps by itself
PAGES = SIZE // 4096
MANY, FEW = 0.9 * PAGES, 0.1 * PAGES

# memory.py needs the standard library only: loading it by itself saves the seconds that torch takes.
HEAD = f"""
import os, resource, sys, threading, time
sys.path.insert(0, {str(Path(memory.__file__).parent)!r})
from memory import memory_kept

def new_pages(size={SIZE}):
    "Page faults of an array that is allocated and freed repeatedly, for each time; the first two do not count."
    for repetition in range(6):
        if repetition == 2:
            before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        bytearray(size)
    return (resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) // 4

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1])

def exit_code(pid, seconds=60):
    "Of a forked process; -9 if it hangs."
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(pid, 9)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
"""


def run(script, **environment):
    """The numbers that a script prints; it runs without the malloc settings of this process's environment."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("MALLOC_", "GLIBC_"))}
    out = subprocess.run(
        [sys.executable, "-c", HEAD + script], capture_output=True, text=True, timeout=300, env=inherited | environment
    )
    assert out.returncode == 0, out.stderr
    return [int(number) for number in out.stdout.split()]


@pytest.fixture(scope="session")
def glibc():
    """Skip where the context has no effect, or where its effect cannot be seen in page faults."""
    if memory._glibc() is None:
        pytest.skip("the C library is not glibc")
    if run("print(new_pages())")[0] < MANY:
        pytest.skip("the system hands out huge pages, or malloc is not that of glibc")


@pytest.mark.usefixtures("glibc")
def test_memory_is_reused_inside_and_returned_afterwards():
    usual, inside, held, held_after, after = run("""
print(new_pages())
with memory_kept():
    print(new_pages(), resident())
print(resident(), new_pages())
""")
    assert usual > MANY
    assert inside < FEW
    assert held_after < held - MANY
    assert after > MANY


@pytest.mark.usefixtures("glibc")
def test_arrays_of_usual_size_are_still_reused_afterwards():
    """As in a process that has freed a large array: glibc's threshold for mapping would not go back to 128 KiB."""
    assert run("with memory_kept(): pass\nprint(new_pages(2**22))")[0] < FEW * 2**22 / SIZE


@pytest.mark.usefixtures("glibc")
def test_nested():
    inner, outer, after = run("""
with memory_kept():
    with memory_kept():
        print(new_pages())
    print(new_pages())
print(new_pages())
""")
    assert inner < FEW
    assert outer < FEW
    assert after > MANY


@pytest.mark.usefixtures("glibc")
def test_as_a_decorator_and_again():
    numbers = run("""
kept = memory_kept()(new_pages)
for _ in range(2):
    print(kept(), new_pages())
""")
    assert max(numbers[0], numbers[2]) < FEW
    assert min(numbers[1], numbers[3]) > MANY


@pytest.mark.usefixtures("glibc")
@pytest.mark.parametrize("error", ["ValueError", "KeyboardInterrupt", "SystemExit"])
def test_an_exception_inside(error):
    inside, after = run(f"""
try:
    with memory_kept():
        print(new_pages())
        raise {error}
except {error}:
    print(new_pages())
""")
    assert inside < FEW
    assert after > MANY


@pytest.mark.usefixtures("glibc")
def test_the_last_of_several_threads_restores():
    both, one, none = run("""
inside, leave = threading.Event(), threading.Event()

def other():
    with memory_kept():
        inside.set()
        leave.wait(60)

thread = threading.Thread(target=other)
with memory_kept():
    thread.start()
    inside.wait(60)
    print(new_pages())
print(new_pages())  # the other thread is still inside
leave.set()
thread.join()
print(new_pages())
""")
    assert both < FEW
    assert one < FEW
    assert none > MANY


@pytest.mark.usefixtures("glibc")
def test_many_threads_at_once():
    assert (
        run("""
def enter_and_leave():
    for _ in range(500):
        with memory_kept():
            pass

threads = [threading.Thread(target=enter_and_leave) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(new_pages())
""")[0]
        > MANY
    )


@pytest.mark.usefixtures("glibc")
def test_a_child_forked_inside_starts_outside():
    """The child uses memory as usual, may leave the block that it was forked in, and may enter one of its own."""
    at_start, left, own, after, code, inside, after_all = run("""
with memory_kept():
    new_pages()
    child = os.fork()
    if not child:
        print(new_pages())
    else:
        code, inside = exit_code(child), new_pages()
if not child:
    print(new_pages())
    with memory_kept():
        print(new_pages())
    print(new_pages(), flush=True)
    os._exit(7)
print(code, inside, new_pages())
""")
    assert at_start > MANY
    assert left > MANY
    assert own < FEW
    assert after > MANY
    assert code == 7
    assert inside < FEW  # the parent did not leave when the child did
    assert after_all > MANY


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
def test_a_fork_while_another_thread_is_inside():
    assert run("""
inside, leave = threading.Event(), threading.Event()

def other():
    with memory_kept():
        inside.set()
        leave.wait(120)

thread = threading.Thread(target=other)
thread.start()
inside.wait(60)
child = os.fork()
if not child:
    for _ in range(2):
        with memory_kept():
            pass
    os._exit(7)
print(exit_code(child))
leave.set()
thread.join()
""") == [7]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
def test_a_fork_inside_while_another_thread_holds_the_lock():
    assert run("""
import memory

held, release = threading.Event(), threading.Event()

def other():
    with memory._users.lock:
        held.set()
        release.wait(120)

thread = threading.Thread(target=other)
with memory_kept():
    thread.start()
    held.wait(60)
    child = os.fork()
    if child:
        print(exit_code(child))
        release.set()
if not child:
    with memory_kept():
        os._exit(7)
thread.join()
""") == [7]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
def test_forks_while_other_threads_enter_and_leave():
    """Many of these forks happen while another thread holds the lock, and the child has no thread to release it."""
    codes = run("""
stop = threading.Event()

def enter_and_leave():
    while not stop.is_set():
        with memory_kept():
            pass

threads = [threading.Thread(target=enter_and_leave) for _ in range(4)]
for thread in threads:
    thread.start()
for _ in range(40):
    child = os.fork()
    if not child:
        with memory_kept():
            os._exit(7)
    code = exit_code(child)
    print(code)
    if code != 7:
        break
stop.set()
for thread in threads:
    thread.join()
""")
    assert codes == [7] * 40


@pytest.mark.usefixtures("glibc")
@pytest.mark.parametrize(
    "environment",
    [
        {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": "-1"},
        {"GLIBC_TUNABLES": "glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=0x7fffffff"},
        {
            "GLIBC_TUNABLES": "glibc.malloc.mmap_max=0",
            "MALLOC_MMAP_MAX_": "100",
            "MALLOC_TRIM_THRESHOLD_": "9999999999",
        },
    ],
)
def test_an_environment_that_keeps_memory(environment):
    before, inside, after = run(
        "print(new_pages())\nwith memory_kept():\n    print(new_pages())\nprint(new_pages())", **environment
    )
    assert max(before, inside, after) < FEW


@pytest.mark.usefixtures("glibc")
@pytest.mark.parametrize(
    "environment",
    [
        {"MALLOC_MMAP_THRESHOLD_": "65536"},
        {"GLIBC_TUNABLES": "glibc.rtld.nns=4:glibc.malloc.mmap_threshold=65536"},
        {"MALLOC_TOP_PAD_": "4096"},  # any option keeps glibc from adjusting the thresholds, which then stay at 128 KiB
    ],
)
def test_an_environment_that_returns_small_arrays(environment):
    before, inside, after = run(
        "print(new_pages(2**22))\nwith memory_kept():\n    print(new_pages(2**22))\nprint(new_pages(2**22))",
        **environment,
    )
    pages = 2**22 // 4096
    assert before > 0.9 * pages
    assert inside < 0.1 * pages
    assert after > 0.9 * pages


@pytest.mark.usefixtures("glibc")
def test_a_value_that_is_no_number_is_ignored_as_glibc_does():
    settings = {"MALLOC_TRIM_THRESHOLD_": "much", "GLIBC_TUNABLES": "glibc.malloc.mmap_max"}
    assert run("with memory_kept(): print(1)\nprint(2)", **settings) == [1, 2]


def test_other_c_libraries(monkeypatch):
    """On a library that has none of glibc's functions, or that cannot be opened, the context does nothing."""

    def no_library(name):
        raise OSError

    for library in (lambda name: object(), no_library):
        memory._glibc.cache_clear()
        with monkeypatch.context() as patch:
            patch.setattr(ctypes, "CDLL", library)
            with memory_kept(), memory_kept():
                assert memory._glibc() is None
    memory._glibc.cache_clear()


class NewPages(Callback):
    """Counts page faults while a model is trained."""

    def on_epoch_end(self, net, **kwargs):
        import resource

        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        bytearray(SIZE)
        net.history.record("new_pages", resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)


@pytest.mark.usefixtures("glibc")
def test_fit_leaves_the_process_alone_unless_asked(data):
    clf = DegFairGNNClassifier(max_epochs=3, callbacks=[NewPages()])
    assert clf.fit(data.graph, data.y).history_["new_pages"].min() > MANY
    with memory_kept():
        assert clf.fit(data.graph, data.y).history_["new_pages"].iloc[1:].max() < FEW
    assert clf.fit(data.graph, data.y).history_["new_pages"].min() > MANY
