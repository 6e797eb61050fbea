"""Which functions of ours run: what a job's hash must cover."""

import ast
import sys
import threading
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import studies.hypertune.paper  # noqa: F401  claims read the printed tables at import, whatever a job computes

SOURCES = Path(__file__).parents[2] / "src"

APART = tuple(
    str(SOURCES / path)
    for path in (
        "frugal/code/",
        "studies/code.py",
        "studies/config.py",
        "studies/run_files.py",
        "studies/registry.py",
    )
)
"""What makes hashes, and what only refuses files: no result changes with them."""


class Trace:
    """What ran: code objects of our functions by their id, and data files of ours that were opened."""

    def __init__(self):
        self.code, self.opened = {}, set()
        self.is_on = False
        self._apart = 0  # what modules call as they are imported is no part of a job, nor what makes its hash

    def __call__(self, frame, event, _):
        if event not in ("call", "return"):  # of a function in C
            return
        code = frame.f_code
        is_ours, is_apart = _place(code.co_filename)
        if is_ours and (is_apart or code.co_name == "<module>"):
            self._apart += 1 if event == "call" else -1
        elif is_ours and event == "call" and not self._apart:
            self.code[id(code)] = code  # its hash would read all of it, at every call

    def hear(self, event, arguments):
        """Note a file of ours that is opened; an audit hook cannot be taken back, only be switched off."""
        if self.is_on and event == "open" and str(arguments[0]).startswith(str(SOURCES)):
            path = Path(str(arguments[0]))
            if path.suffix != ".py" and path.parent.name != "__pycache__" and path.parent.suffix != ".egg-info":
                self.opened.add(str(path))


@cache
def _place(filename):
    """Whether a file is one of ours, and whether it stands apart."""
    return filename.startswith(str(SOURCES)), filename.startswith(APART)


@cache
def _hearing():
    """The one audit hook of the process, and whom it tells."""
    listeners = []
    sys.addaudithook(lambda *event: [listener.hear(*event) for listener in listeners])
    return listeners


@contextmanager
def traced():
    """Trace what runs in the block, in all threads."""
    trace = Trace()
    _hearing().append(trace)
    trace.is_on = True
    threading.setprofile(trace)
    sys.setprofile(trace)
    try:
        yield trace
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
        trace.is_on = False
        _hearing().remove(trace)


def definitions(trace):
    """The top-level definitions that the functions belong to, as `frugal.code` names them."""
    return {_definition(code.co_filename, code.co_firstlineno) for code in trace.code.values()}


def _definition(filename, line):
    path = Path(filename)
    module = ".".join(path.relative_to(SOURCES).with_suffix("").parts).removesuffix(".__init__")
    for first, last, name in _statements(path):
        if first <= line <= last:
            return f"{module}:{name}"
    raise AssertionError(f"{filename} has no statement at line {line}")


@cache
def _statements(path):
    """First line, last line and name of every top-level statement that defines something."""
    found = []
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.append(
                (min([node.lineno, *(d.lineno for d in node.decorator_list)]), node.end_lineno, node.name)
            )
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = ",".join(one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name))
            found.append((node.lineno, node.end_lineno, names))
    return found
