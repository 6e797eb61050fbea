import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from frugal.code.syntax import text_of

SRC = Path(__file__).parents[3] / "src"
SOURCE = '''
def f(x: int, *, scale: float = 2.0) -> float:
    """Scale a number."""
    if x < 0:
        raise ValueError(f"x must not be below 0, got {x}")
    total: float = x * scale  # a comment
    return f"{total:.2f} m" if x else -1
'''
# Written down by hand, field by field, from Python's abstract grammar.
TEXT = (
    "FunctionDef(name='f',"
    "args=arguments(args=[arg(arg='x')],kwonlyargs=[arg(arg='scale')],kw_defaults=[2.0]),"
    "body=["
    "If(test=Compare(left=Name(id='x'),ops=[Lt()],comparators=[0]),body=[Raise]),"
    "Assign(targets=[Name(id='total')],value=BinOp(left=Name(id='x'),op=Mult(),right=Name(id='scale'))),"
    "Return(value=IfExp(test=Name(id='x'),"
    "body=JoinedStr([FormattedValue(value=Name(id='total'),conversion=-1,format_spec=JoinedStr(['.2f'])),' m']),"
    "orelse=UnaryOp(op=USub(),operand=1)))"
    "])"
)


def text(source):
    return text_of(ast.parse(source).body)


def test_the_text_of_a_function_is_its_tree_written_out():
    assert text(SOURCE) == f"[{TEXT}]"


def versions():
    """Other interpreters of this machine."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    found = [
        *(shutil.which(f"python3.{minor}") for minor in (11, 12, 13, 14)),
        *pyenv.glob("3.1[1-9]*/bin/python"),
    ]
    return sorted({str(path) for path in found if path})


@pytest.mark.slow
@pytest.mark.skipif(not versions(), reason="no other Python here")
def test_every_version_of_python_writes_the_same_text_of_all_our_code():
    # The modules of the hash need nothing but the standard library.
    script = (
        "import ast, hashlib, importlib.util, pathlib, sys\n"
        "spec = importlib.util.spec_from_file_location('syntax', sys.argv[1])\n"
        "syntax = importlib.util.module_from_spec(spec)\n"
        "spec.loader.exec_module(syntax)\n"
        "whole = hashlib.sha256()\n"
        "for path in sorted(pathlib.Path(sys.argv[2]).rglob('*.py')):\n"
        "    whole.update(syntax.text_of(list(syntax.counted(ast.parse(path.read_text()).body))).encode())\n"
        "print(whole.hexdigest())"
    )
    arguments = ["-c", script, str(SRC / "frugal/code/syntax.py"), str(SRC)]
    texts = {}
    for python in [sys.executable, *versions()]:
        done = subprocess.run([python, *arguments], capture_output=True, text=True, check=False)
        if done.returncode == 0:  # a name on the path may stand for a version that is not installed
            texts[python] = done.stdout
    assert texts[sys.executable].strip()
    if len(texts) == 1:
        pytest.skip("no other Python here runs")
    assert set(texts.values()) == {texts[sys.executable]}


SAME = {
    "docstring": SOURCE.replace("Scale a number.", "Multiply."),
    "no docstring": SOURCE.replace('    """Scale a number."""\n', ""),
    "comment": SOURCE.replace("# a comment", "# another"),
    "annotation": SOURCE.replace("x: int", "x: 'Any'").replace("-> float", "-> int"),
    "annotated variable": SOURCE.replace("total: float", "total"),
    "message": SOURCE.replace("must not be below 0", "is negative"),
    "exception": SOURCE.replace("ValueError", "TypeError"),
    "layout": SOURCE.replace("x * scale", "(\n        x\n        * scale\n    )"),
    "type checking": SOURCE.replace("    if x", "    if TYPE_CHECKING:\n        import numpy\n    if x", 1),
}


@pytest.mark.parametrize("change", SAME)
def test_what_computes_nothing_leaves_no_trace(change):
    assert SAME[change] != SOURCE
    assert text(SAME[change]) == text(SOURCE)


OTHER = {
    "constant": SOURCE.replace("2.0", "2.5"),
    "type of a constant": SOURCE.replace("2.0", "2"),
    "operator": SOURCE.replace("x * scale", "x + scale"),
    "condition of a refusal": SOURCE.replace("x < 0", "x <= 0"),
    "format": SOURCE.replace(".2f", ".3f"),
    "unit": SOURCE.replace(" m", " km"),
    "name of an argument": SOURCE.replace("scale", "factor"),
}


@pytest.mark.parametrize("change", OTHER)
def test_what_computes_something_else_has_another_text(change):
    assert text(OTHER[change]) != text(SOURCE)


@pytest.mark.parametrize(
    ("one", "other"),
    [("x = {**a}", "x = {None: a}"), ("def f(*, n): g()", "def f(*, n=None): g()")],
)
def test_what_is_left_out_of_a_list_is_no_none(one, other):
    assert text(one) != text(other)


def test_a_field_of_a_class_counts_though_it_is_only_annotated():
    # A dataclass has a field more.
    assert text("class A:\n    x: int\n    y: int") != text("class A:\n    x: int")


VALUE = ast.FormattedValue(ast.Name("x"), -1)


@pytest.mark.parametrize("parts", [("a", "b", VALUE), ("", "ab", VALUE), ("ab", VALUE, "")])
def test_how_python_cuts_the_plain_text_of_an_f_string_does_not_count(parts):
    # Python 3.12 ends the format of f"{x:{n}}" in an empty text, and 3.11 does not.
    cut = ast.JoinedStr([ast.Constant(part) if isinstance(part, str) else part for part in parts])
    assert text_of(cut) == text_of(ast.parse('f"ab{x}"', mode="eval").body)
