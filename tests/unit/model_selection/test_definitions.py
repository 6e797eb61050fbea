"""A journal is of what the user's code does, not of its names."""

import subprocess
import sys
import textwrap

import pytest

from frugal.model_selection.definitions import definition_of, definitions_in, hash_of

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
        assert definitions_in(value) == ""


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
    assert definitions_in([Counts]) not in ("", definitions_in([Other]))


@pytest.mark.parametrize("start", [1, 2])
def test_a_list_that_holds_itself_ends(start):
    endless = [start]
    endless.append(endless)
    first, other = (eval("lambda: endless", {"endless": held}) for held in (endless, [start]))
    assert definition_of(first) != definition_of(other)
