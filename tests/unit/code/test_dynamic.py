"""What syntax trees cannot follow: modules that are imported by a name made at run time."""

import ast
from pathlib import Path

SRC = Path(__file__).parents[3] / "src"
KNOWN = {
    "frugal/lazy.py": 1,  # `Tree.find` reads the tables of lazy packages
    "frugal/learners/registry.py": 1,  # `jobs.learner` says which module
    "frugal/registry.py": 1,  # `jobs.strategy` says which module; `Switches.families` where a job does not
    "studies/registry.py": 1,  # `studies.code.LOOKED_UP`: jobs name the records that they are of
}
"""File -> imports by name in it, and what finds the modules for a hash. Who adds one must see to that, too."""


def imports_by_name(path):
    calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    names = [ast.unparse(call.func).split(".")[-1] for call in calls]
    found = [call for call, name in zip(calls, names, strict=True) if name in ("import_module", "__import__")]
    return [call for call in found if not isinstance(call.args[0], ast.Constant)]


def test_every_import_by_name_is_known_to_the_hashes():
    found = {str(path.relative_to(SRC)): len(imports_by_name(path)) for path in sorted(SRC.rglob("*.py"))}
    assert {path: n for path, n in found.items() if n} == KNOWN
