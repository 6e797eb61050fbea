"""What holds for all tests: order and threads, that a summary says what was left out, that Ctrl-C is heard."""

import os
import signal
from types import SimpleNamespace

import pytest
from hypothesis import settings

# Every run tests the same examples, however busy the machine is.
settings.register_profile("same", deadline=None, derandomize=True)
settings.load_profile("same")

# Matrices of tests are small, and a worker of pytest has a core: more threads would only wait for each other.
# It is set before NumPy is imported, and tests of threads ask for theirs.
os.environ.setdefault("OMP_NUM_THREADS", "1")


def pytest_configure():
    # A shell without job control ignores Ctrl-C in its background, and so does all that is started there.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items):
    # Those of the workflow take minutes, so they go first and two workers end together.
    items.sort(key=lambda item: (item.path.name != "test_run.py", "workflow" not in item.path.parts))


def pytest_deselected(items):
    output = getattr(items[0].config, "workeroutput", None)
    if output is not None:  # in a worker of several, which the summary does not ask
        output["n_deselected"] = output.get("n_deselected", 0) + len(items)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node, error):
    # All workers leave out the same.
    left_out = [SimpleNamespace()] * getattr(node, "workeroutput", {}).get("n_deselected", 0)
    node.config.pluginmanager.get_plugin("terminalreporter").stats["deselected"] = left_out
