"""A journal is of what the user's code does, not of its names."""

import cmath
import math
import subprocess
import sys
import textwrap

import pytest

from frugal.model_selection.definitions import definition_of, hash_of

BEFORE = """
    import functools, types
    from fractions import Fraction
    import numpy as np
    from sklearn.base import BaseEstimator, TransformerMixin
    from sklearn.metrics import make_scorer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer
    from sklearn.svm import SVC

    # a comment
    LIMIT = 3
    NAMES = ["a", {"b"}]
    WEIGHTS = np.arange(3)
    PICK, ROUND, HALF = np.mean, np.floor, Fraction(1, 2)

    def helper(x):
        return x + 1

    def feats(X):
        if X is None:
            return [feats(None), NAMES, WEIGHTS, PICK, ROUND, HALF]
        return helper(X[:, :1]) + LIMIT

    @functools.lru_cache
    def kept(x):
        return helper(x) + 0

    class Base(TransformerMixin, BaseEstimator):
        def fit(self, X, y=None):
            return self
        @property
        def rate(self):
            return super().__getattribute__("x") + 0.5

    class Own(Base):
        factor = 2
        def __init__(self, kind=feats):
            self.kind = kind
        def transform(self, X):
            return {"one", "two", "three"} and X * 1

    def close(n):
        return lambda y, p: n + kept(0)

    VALUES = {
        "function": FunctionTransformer(feats),
        "class": make_pipeline(Own(), SVC()),
        "scorer": make_scorer(close(4)),
        "partial": functools.partial(close, 1),
        "method": Own().transform,
        "plain": SVC(C=2.0),
    }
"""


IN_EACH_FOLDER = """
    import os, sys
    import sklearn.metrics, sklearn.pipeline, sklearn.preprocessing, sklearn.svm  # once for all folders
    from frugal.model_selection.definitions import hash_of

    for folder in sys.argv[1:]:
        if not os.fork():
            sys.path.insert(0, folder)
            import mine
            print(*(f"{name}={hash_of(value)}" for name, value in mine.VALUES.items()), flush=True)
            os._exit(0)
        os.wait()
"""


def hashes(folder, edits):
    """Hashes of the values of a module of the user's after each edit, a process for all."""
    for i, (old, new) in enumerate(edits):
        assert not old or BEFORE.count(old) == 1
        (folder / str(i)).mkdir(parents=True)
        (folder / str(i) / "mine.py").write_text(textwrap.dedent(BEFORE.replace(old, new)))
    folders = [folder / str(i) for i in range(len(edits))]
    command = [sys.executable, "-B", "-c", textwrap.dedent(IN_EACH_FOLDER), *folders]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [dict(pair.split("=") for pair in line.split()) for line in done.stdout.splitlines()]


@pytest.mark.slow
def test_an_edited_definition_is_another_search_and_another_process_is_not(tmp_path):
    edits = {
        ("# a comment", "# another\n\n    # comment"): set(),
        ("return helper(X", "return 2 * helper(X"): {"function", "class", "method"},
        ("return x + 1", "return x + 2"): {"function", "class", "method", "scorer", "partial"},
        ("LIMIT = 3", "LIMIT = 4"): {"function", "class", "method"},
        ('{"b"}', '{"c"}'): {"function", "class", "method"},
        ("arange(3)", "arange(4)"): {"function", "class", "method"},
        ("np.mean", "np.max"): {"function", "class", "method"},
        ("np.floor", "np.ceil"): {"function", "class", "method"},
        ("Fraction(1, 2)", "Fraction(1, 3)"): {"function", "class", "method"},
        ("factor = 2", "factor = 3"): {"class", "method"},
        ("+ 0.5", "+ 0.6"): {"class", "method"},
        ("X * 1", "X * 2"): {"class", "method"},
        ('"three"', '"four"'): {"class", "method"},
        ("helper(x) + 0", "helper(x) - 0"): {"scorer", "partial"},
        ("close(4)", "close(5)"): {"scorer"},
        ("C=2.0", "C=3.0"): {"plain"},
    }
    (before,) = hashes(tmp_path / "before", [("", "")])
    assert len(before) == 6
    for (edit, expected), after in zip(edits.items(), hashes(tmp_path / "after", edits), strict=True):
        assert {name for name in before if after[name] != before[name]} == expected, edit


def test_values_without_code_of_the_users_are_hashed_as_joblib_does():
    import joblib
    import numpy as np
    from sklearn.metrics import get_scorer
    from sklearn.svm import SVC

    for value in (SVC(gamma=2.0), get_scorer("accuracy"), {"a": np.arange(5), "b": [np.mean, {1, 2}]}):
        assert hash_of(value) == joblib.hash(value)


def test_what_differs_between_processes_counts_by_its_value():
    import torch

    assert [*frozenset([0, 8])] != [*frozenset([8, 0])]  # as texts in processes with other hashes
    assert hash_of([frozenset([0, 8])]) == hash_of([frozenset([8, 0])]) != hash_of([frozenset([0, 16])])
    for kind in (torch.float32, torch.bfloat16):
        tensor = torch.arange(3, dtype=kind)
        assert hash_of(tensor) == hash_of(tensor.clone()) != hash_of(tensor + 1)


def test_a_variable_that_is_named_as_an_attribute_does_not_count():
    source = """
        def function(x):
            return x.predict(x) + offset
        offset = 1
    """
    with_another = source + "    predict = 3\n"
    assert definition_of(function_of(with_another)) == definition_of(function_of(source))
    assert definition_of(function_of(source.replace("= 1", "= 2"))) != definition_of(function_of(source))


def test_equal_tables_and_arrays_are_the_same_whatever_their_order_in_memory():
    import numpy as np
    import pandas as pd

    array = np.arange(6.0).reshape(3, 2)
    assert hash_of(np.asfortranarray(array)) == hash_of(array) != hash_of(array.T)
    table = pd.DataFrame({"a": array[:, 0]})
    table["b"] = array[:, 1]  # in a block of its own
    assert hash_of(table) == hash_of(pd.DataFrame(array, columns=["a", "b"]))
    for other in (table + 1, table.rename(columns={"a": "c"}), table.set_index([[3, 4, 5]]), table.astype(int)):
        assert hash_of(other) != hash_of(table)


def test_equal_tables_of_texts_are_the_same_whatever_part_of_a_larger_one_they_are():
    import pandas as pd

    pytest.importorskip("pyarrow")
    texts = pd.array(["a", "b", None] * 40, dtype="string[pyarrow]")
    part, own = (pd.DataFrame({"s": some}, index=range(60)) for some in (texts[30:90], texts[:60]))
    assert part.equals(own)
    assert hash_of(part) == hash_of(own)
    assert hash_of(part["s"]) == hash_of(own["s"])
    assert hash_of(part) != hash_of(part[::-1].set_axis(range(60)))


def test_an_object_that_is_called_counts_by_its_class():
    class Counts:
        def __init__(self, n):
            self.n = n

        def __call__(self, candidate):
            return self.n

    class Other(Counts):
        def __call__(self, candidate):
            return -self.n

    assert definition_of(Counts(1)) == definition_of(Counts(2)) != definition_of(Other(1))
    assert hash_of([Counts]) != hash_of([Other])


@pytest.mark.parametrize("start", [1, 2])
def test_a_list_that_holds_itself_ends(start):
    endless = [start]
    endless.append(endless)
    first, other = (eval("lambda: endless", {"endless": held}) for held in (endless, [start]))
    assert definition_of(first) != definition_of(other)


EDITED = {
    "partial": """
        from functools import partial
        def cost(n, x):
            return n + 1
        function = partial(cost, 2)
    """,
    "argument of a partial": """
        from functools import partial
        function = partial(max, 2 + 1)
    """,
    "method": """
        class Model:
            def cost(self, x):
                return x + 1
        function = Model().cost
    """,
    "cached function": """
        from functools import cache
        @cache
        def function(x):
            return x + 1
    """,
    "function in a function": """
        def function(x):
            return (lambda y: y + 1)(x)
    """,
    "function in a table": """
        TABLE = {"cost": [lambda x: x + 1]}
        def function(x):
            return TABLE["cost"][0](x)
    """,
    "partial that is named": """
        from functools import partial
        def cost(n, x):
            return n + 1
        half = partial(cost, 0.5)
        def function(x):
            return half(x)
    """,
    "method that is named": """
        class Model:
            def cost(self, x):
                return x + 1
        cost = Model().cost
        def function(x):
            return cost(x)
    """,
    "beside a variable without a value": """
        def make():
            later = None
            def cost(x):
                return x + 1 if x else later
            del later
            return cost
        function = make()
    """,
    "object that cannot be pickled": """
        import threading
        class Model:
            def __init__(self):
                self.lock = threading.Lock()
            def cost(self, x):
                return x + 1
        def make(model):
            return lambda x: model.cost(x)
        function = make(Model())
    """,
}
"""Where the code of a callable may be: after `+ 1` is edited, it computes something else."""


def function_of(source):
    """The callable that a module of the user's defines as `function`."""
    module = {"__name__": "mine"}
    exec(textwrap.dedent(source), module)
    return module["function"]


@pytest.mark.parametrize("where", EDITED)
def test_an_edit_counts_wherever_a_callable_has_its_code(where):
    source = EDITED[where]
    before = definition_of(function_of(source))
    assert source.count("+ 1") == 1
    assert definition_of(function_of(source)) == before
    assert definition_of(function_of(source.replace("+ 1", "+ 2"))) != before


def test_a_method_counts_whatever_its_object_holds():
    source = """
        class Model:
            def __init__(self, n):
                self.n = n
            def cost(self, x):
                return self.n
        function = Model(1).cost
    """
    assert definition_of(function_of(source)) == definition_of(function_of(source.replace("Model(1)", "Model(2)")))


@pytest.mark.parametrize(
    ("edit", "counts"),
    [(("x + 1", "x + 2"), True), (("LIMIT = 3", "LIMIT = 4"), True), (("UNUSED = 5", "UNUSED = 6"), False)],
)
def test_of_the_users_modules_what_a_function_uses_counts(edit, counts):
    # Two modules that import each other.
    source = """
        from types import ModuleType
        helpers, limits = ModuleType("helpers_of_mine"), ModuleType("limits_of_mine")
        helpers.limits, limits.helpers = limits, helpers
        exec("def cost(x): return x + 1", vars(helpers))
        exec("LIMIT = 3; UNUSED = 5", vars(limits))
        def function(x):
            return helpers.cost(x) < helpers.limits.LIMIT
    """
    assert source.count(edit[0]) == 1
    after = definition_of(function_of(source.replace(*edit)))
    assert (after != definition_of(function_of(source))) is counts


def plus(x):
    return x + 1


def test_modules_count_by_name_and_functions_beside_them_by_content(monkeypatch):
    before = hash_of([plus, math])
    assert hash_of([plus, math]) == before != hash_of([plus, cmath])
    monkeypatch.setattr(plus, "__code__", (lambda x: x + 2).__code__)  # as if it had been edited
    assert hash_of([plus, math]) != before
