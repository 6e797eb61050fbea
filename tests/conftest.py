"""The order of the tests: those of the workflow take minutes, so they go first and two workers end together."""


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: (item.path.name != "test_run.py", "workflow" not in item.path.parts))
