"""What holds for all tests: their order, and that Ctrl-C is heard."""

import signal


def pytest_configure():
    # A shell without job control ignores Ctrl-C in its background, and so does all that is started there.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items):
    # Those of the workflow take minutes, so they go first and two workers end together.
    items.sort(key=lambda item: (item.path.name != "test_run.py", "workflow" not in item.path.parts))
