import pwd
import sys

import pytest

from frugal.code import Code, Job, Tree
from frugal.code.reach import Switches
from frugal.code.tree import Place


def code_of(folder, files, **switches):
    """The code of a package `own`, written to a folder."""
    for name, text in files.items():
        path = folder / "own" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for package in {path.parent for path in folder.rglob("*.py")}:
        (package / "__init__.py").touch()
    return Code(Tree({"own": folder / "own"}), Switches(**switches))


def reached(folder, files, root="own.run:run", names=(), **switches):
    """Definitions that a job depends on, without the name of the package."""
    found = code_of(folder, files, **switches).reached(Job((root,), tuple(names)))
    return [name.removeprefix("own.") for name in found]


def test_what_a_function_uses_is_followed_through_imports_of_any_form(tmp_path):
    files = {
        "run.py": (
            "from own import a\nimport own.b as other\nfrom own.c import deep as short\nimport own.e\n"
            "def run():\n    from own.d import late\n"
            "    return a.f(), other.g(), short(), late(), own.e.x.bit_length()\n"
            "def unused():\n    return a.h()\n"
        ),
        "a.py": "def f():\n    return SIZE\nSIZE = 3\ndef h():\n    return 0\n",
        "b.py": "class Base:\n    pass\nclass G(Base):\n    pass\ndef g():\n    return G()\n",
        "c.py": "from own.d import late as deep\n",
        "d.py": "def late():\n    return 1\n",
        "e.py": "x = 4\ny = 5\n",
    }
    expected = ["a:SIZE", "a:f", "b:Base", "b:G", "b:g", "d:late", "e:x", "run:run"]
    assert reached(tmp_path, files) == expected


def test_relative_imports_start_from_the_package_of_their_module(tmp_path):
    files = {
        "deep/__init__.py": "from .run import run\n",
        "deep/run.py": (
            "from . import a\nfrom .b import f\nfrom .. import c\nfrom ..d import g\n"
            "def run():\n    return a.f(), f(), c.f(), g()\n"
        ),
        "deep/a.py": "def f(): pass\n",
        "deep/b.py": "def f(): pass\n",
        "c.py": "def f(): pass\n",
        "d.py": "def g(): pass\n",
    }
    expected = ["c:f", "d:g", "deep.a:f", "deep.b:f", "deep.run:run"]
    assert reached(tmp_path, files, root="own.deep:run") == expected


def test_names_that_a_star_imports_are_followed_through_several_modules(tmp_path):
    files = {
        "run.py": "from own.a import *\ndef run():\n    return f(), g(), len('')\n",
        "a.py": "from own.b import *\ndef f(): pass\ndef unused(): pass\n",
        "b.py": "def g(): pass\ndef unused(): pass\n",
    }
    assert reached(tmp_path, files) == ["a:f", "b:g", "run:run"]


def test_a_name_of_a_package_that_is_also_a_submodule_counts_as_both(tmp_path):
    # `table.make` is read before the package sets `table`, so it is the submodule's.
    files = {
        "deep/__init__.py": "from own.deep import table\ntable = table.make()\n",
        "deep/table.py": "def make(): pass\ndef unused(): pass\n",
    }
    assert reached(tmp_path, files, root="own.deep:table") == ["deep.table:make", "deep:table"]
    find, names = code_of(tmp_path, files).tree.find, ("table", "make")
    assert find("own.deep", names, origin="own.deep") == [Place("own.deep", 0), Place("own.deep.table", 0)]
    assert find("own.deep", names, origin="own.run") == [Place("own.deep", 0)]  # the package is imported by then


def test_names_that_a_function_binds_itself_are_not_the_modules(tmp_path):
    files = {
        "run.py": (
            "def table(): return 1\ndef row(): return 2\ndef cell(): return 3\ndef kept(): return 4\n"
            "def run(table):\n    for row in table:\n        pass\n    with open(row) as cell:\n        pass\n"
            "    return [kept for kept in ()], kept()\n"
        )
    }
    assert reached(tmp_path, files) == ["run:kept", "run:run"]


@pytest.mark.parametrize("pattern", ["row", "str() as row", "[1, *row]", "{'a': 1, **row}"])
def test_names_that_a_pattern_binds_are_not_the_modules(tmp_path, pattern):
    text = f"def row(): pass\ndef run(x):\n    match x:\n        case {pattern}:\n            return row\n"
    assert reached(tmp_path, {"run.py": text}) == ["run:run"]


def test_a_definition_under_a_condition_counts_by_its_name(tmp_path):
    text = (
        "try:\n    class Fast:\n        rows = 1\nexcept OSError:\n    def Fast():\n        cells = 2\n"
        "def run():\n    return Fast()\n"
    )
    assert reached(tmp_path, {"run.py": text}) == ["run:Fast", "run:run"]


@pytest.mark.parametrize(
    ("target", "counts"),
    [("cost.rows", True), ("cost.tables['cat'].rows", True), ("other.rows", False), ("other().rows", False)],
)
def test_what_a_module_sets_on_a_function_counts_with_the_function(tmp_path, target, counts):
    text = (
        "def cost(): pass\ndef other(): pass\ndef rows(): pass\n"
        f"{target} = rows()\n"
        "def run():\n    return cost()\n"
    )
    assert ("run:rows" in reached(tmp_path, {"run.py": text})) is counts


def test_of_a_function_the_code_for_type_checkers_does_not_count(tmp_path):
    text = (
        "from typing import TYPE_CHECKING\ndef shown(): pass\ndef computed(): pass\n"
        "def run():\n    if TYPE_CHECKING:\n        x = shown()\n    else:\n        x = computed()\n    return x\n"
    )
    assert reached(tmp_path, {"run.py": text}) == ["run:computed", "run:run"]


def test_annotations_decide_nothing(tmp_path):
    files = {
        "run.py": (
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from own.a import Big\n"
            "class Small: pass\ndef run(x: Small) -> 'Big':\n    y: Small = x\n    return y\n"
        ),
        "a.py": "class Big: pass\n",
    }
    assert reached(tmp_path, files) == ["run:run"]


LAZY = (
    "from frugal.lazy import lazily\n"
    "__getattr__ = lazily(__name__, dict.fromkeys(('f', 'g'), 'home') | {'inner': ''})\n"
)


def test_lazy_packages_lead_to_where_their_names_are(tmp_path):
    files = {
        "run.py": "from own.lazy import f, inner\ndef run():\n    return f(), inner.h()\n",
        "lazy/__init__.py": LAZY,
        "lazy/home.py": "def f():\n    return 1\ndef g():\n    return 2\n",
        "lazy/inner.py": "def h():\n    return 3\n",
    }
    code_of(tmp_path, files)
    (tmp_path / "own/lazy/__init__.py").write_text(LAZY)
    found = Code(Tree({"own": tmp_path / "own"})).reached(Job(("own.run:run",)))
    assert found == ["own.lazy.home:f", "own.lazy.inner:h", "own.run:run"]


def test_only_lazily_makes_a_package_lazy(tmp_path):
    files = {
        "run.py": "from own.lazy import f, inner\ndef run():\n    return f(), inner.h()\n",
        "lazy/__init__.py": "from other import renamed\n__getattr__ = renamed(__name__, {'f': 'home'})\n",
        "lazy/home.py": "def f(): pass\n",
        "lazy/inner.py": "def h(): pass\n",
    }
    assert reached(tmp_path, files) == ["lazy.inner:h", "run:run"]


def test_a_module_that_is_handed_on_counts_whole(tmp_path):
    files = {
        "run.py": "from own import a\ndef run(name):\n    return getattr(a, name)()\n",
        "a.py": "def f():\n    return 1\ndef g():\n    return 2\n",
    }
    assert reached(tmp_path, files) == ["a:f", "a:g", "run:run"]


REGISTRY = {
    "run.py": "from own.held import HELD\ndef run(name):\n    return HELD[name]()\n",
    "held.py": (
        "HELD = {}\ndef register(name, make):\n    _add(name, make)\n"
        "def _add(name, make):\n    HELD[name] = make\n"
    ),
    "cat.py": "from own.held import register\ndef cat():\n    return 1\nregister('cat', cat)\n",
    "dog.py": "from own.held import register\ndef dog():\n    return 2\nregister('dog', dog)\n",
    "not_one.py": "from own.held import register\ndef bird():\n    return 3\n",
}


def test_what_registers_itself_counts_where_the_registry_is_read(tmp_path):
    assert {"cat:cat", "dog:dog"} <= set(reached(tmp_path, REGISTRY))
    assert "not_one:bird" not in reached(tmp_path, REGISTRY)


def test_a_job_that_names_one_entry_depends_on_that_one(tmp_path):
    found = reached(tmp_path, REGISTRY, names=[("animal", "cat")], keyed={"own.held:register": "animal"})
    assert "cat:cat" in found
    assert "dog:dog" not in found


@pytest.mark.parametrize(
    ("loop", "animals"),
    [
        ("for name in ('cat', 'dog'):", {"cat", "dog"}),
        ("NAMES = ('cat', 'dog')\nfor name in NAMES:", {"cat", "dog"}),
        ("SOUNDS = {'cat': 'meow', 'dog': 'woof'}\nfor name in SOUNDS:", {"cat", "dog"}),
        ("for name in listed():", {"cat", "dog", "bird"}),  # which may be any
    ],
    ids=["tuple", "tuple with a name", "table with a name", "call"],
)
def test_a_loop_that_registers_counts_for_the_names_that_it_goes_through(tmp_path, loop, animals):
    text = f"from own.held import register\ndef make(): pass\n{loop}\n    register(name, make)\n"
    code = code_of(tmp_path, REGISTRY | {"loop.py": text}, keyed={"own.held:register": "animal"})
    jobs = {animal: Job(("own.run:run",), (("animal", animal),)) for animal in ("cat", "dog", "bird")}
    assert {animal for animal, job in jobs.items() if "own.loop:make" in code.reached(job)} == animals


TABLE = {
    "run.py": "from own.held import HELD\ndef run(name):\n    return HELD[name]()\n",
    "held.py": (
        "def cat(): return 1\ndef dog(): return 2\nHELD: dict = {'cat': cat, 'pet': {'dog': dog}, **other()}\n"
        "def other(): return {}\n"
    ),
}


def test_entries_of_a_table_are_chosen_by_name_also_when_it_is_nested(tmp_path):
    keyed = {"own.held:HELD": "animal"}
    assert reached(tmp_path, TABLE, names=[("animal", "cat")], keyed=keyed) == [
        "held:HELD", "held:cat", "held:other", "run:run",
    ]  # fmt: skip
    assert "held:dog" in reached(tmp_path, TABLE, names=[("animal", "dog")], keyed=keyed)
    assert reached(tmp_path, TABLE, root="own.held:HELD[dog]") == ["held:HELD", "held:dog"]
    assert {"held:cat", "held:dog"} <= set(reached(tmp_path, TABLE, keyed=keyed))  # of a job that does not say


def test_a_definition_may_matter_to_some_jobs_only(tmp_path):
    only = {"own.held:dog": ("animal", "dog")}
    assert "held:dog" not in reached(tmp_path, TABLE, names=[("animal", "cat")], only=only)
    assert "held:dog" in reached(tmp_path, TABLE, names=[("animal", "dog")], only=only)
    assert "held:dog" in reached(tmp_path, TABLE, only=only)


def test_data_files_that_are_read_count(tmp_path):
    files = {
        "run.py": (
            "from importlib.resources import files\n"
            "def run():\n    return files('own').joinpath('values/printed.csv').open(), 'printed'\n"
        ),
        "values/printed.csv": "1\n",
        "values/other.csv": "2\n",
    }
    code, job = code_of(tmp_path, files), Job(("own.run:run",))
    assert code.reached(job) == [str(tmp_path / "own/values/printed.csv"), "own.run:run"]
    (tmp_path / "own/values/other.csv").write_text("3\n")
    assert Code(Tree({"own": tmp_path / "own"})).hash_of(job) == code.hash_of(job)
    (tmp_path / "own/values/printed.csv").write_text("3\n")
    assert Code(Tree({"own": tmp_path / "own"})).hash_of(job) != code.hash_of(job)


def test_which_of_two_equal_names_is_meant_counts_and_where_they_stand_does_not(tmp_path):
    def hashed(folder, home, other):
        files = {
            "run.py": f"from own.{home} import f\nfrom own.{other} import g\ndef run():\n    return f(), g()\n",
            f"{home}.py": "def f():\n    return 1\ndef g():\n    return 10\n",
            f"{other}.py": "def f():\n    return 2\ndef g():\n    return 20\n",
        }
        return code_of(tmp_path / folder, files).hash_of(Job(("own.run:run",)))

    assert hashed("first", "a", "b") == hashed("moved", "x", "y")
    swapped = {
        "run.py": "from own.b import f\nfrom own.a import g\ndef run():\n    return f(), g()\n",
        "a.py": "def f():\n    return 1\ndef g():\n    return 10\n",
        "b.py": "def f():\n    return 2\ndef g():\n    return 20\n",
    }
    assert code_of(tmp_path / "swapped", swapped).hash_of(Job(("own.run:run",))) != hashed("again", "a", "b")


def test_of_a_library_its_name_counts(tmp_path):
    def hashed(folder, library):
        files = {"run.py": f"import {library} as np\ndef run():\n    return np.zeros(3)\n"}
        return code_of(tmp_path / folder, files).hash_of(Job(("own.run:run",)))

    assert hashed("one", "numpy") != hashed("two", "torch")


def test_nothing_is_imported(tmp_path):
    files = {"run.py": "raise RuntimeError('imported')\ndef run():\n    return 1\n"}
    assert reached(tmp_path, files) == ["run:run"]
    assert "own" not in sys.modules


@pytest.mark.parametrize("root", ["own.run:walk", "own.walk:run"])
def test_a_root_that_is_not_there_is_refused(tmp_path, root):
    module, name = root.split(":")
    with pytest.raises(ValueError, match=f"'{module}' has no '{name}', which a job begins with"):
        reached(tmp_path, {"run.py": "def run(): pass\n"}, root=root)


def test_what_was_read_is_kept_by_its_content(tmp_path):
    code_of(tmp_path, {"run.py": "def run():\n    return 1\n"})
    cache, job = tmp_path / "cache/code.json", Job(("own.run:run",))
    packages = {"own": tmp_path / "own"}
    first = Code(Tree(packages, cache)).hash_of(job)
    written = cache.read_text()
    assert Code(Tree(packages, cache)).hash_of(job) == first
    assert cache.read_text() == written
    (tmp_path / "own/run.py").write_text("def run():\n    return 2\n")
    assert Code(Tree(packages, cache)).hash_of(job) != first
    cache.write_text("{")
    (tmp_path / "own/run.py").write_text("def run():\n    return 1\n")
    assert Code(Tree(packages, cache)).hash_of(job) == first


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path):
    code = code_of(tmp_path, {"run.py": "def run(): pass\n"})
    (tmp_path / "file").touch()
    cached, job = Code(Tree(code.tree.packages, tmp_path / "file/code.json")), Job(("own.run:run",))
    assert cached.hash_of(job) == code.hash_of(job)
    assert cached.hash_of(Job(("own.run:",))) == code.hash_of(Job(("own.run:",)))


def test_a_user_without_a_home_has_no_cache(tmp_path, monkeypatch):
    code, job = code_of(tmp_path, {"run.py": "def run(): pass\n"}), Job(("own.run:run",))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("HOME")
    monkeypatch.setattr(pwd, "getpwuid", {}.__getitem__)  # this user is not listed
    assert Code(Tree.installed(["own"])).hash_of(job) == code.hash_of(job)
    assert [path.name for path in tmp_path.iterdir()] == ["own"]


def test_a_package_that_is_not_installed_is_refused():
    with pytest.raises(ValueError, match="the package 'no_such_package' is not installed here"):
        Tree.installed(["no_such_package"])
