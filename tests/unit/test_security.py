"""What `docs/security.md` promises: no code from files, no path out of a folder, no file read without an end."""

import ast
import os
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from frugal.datasets import load, parse_name, prepare
from frugal.files import read, write
from frugal.folds.table import ScoreTable
from frugal.learners.networks import make
from frugal.learners.svm_rff import FourierTraining
from frugal.trials.lines import Lines

ROOT = Path(__file__).parents[2]
SVM = {"C": 3.0, "gamma": 0.1, "n_features": 8}
HOSTILE = ["../wdbc", "wdbc/../wdbc", "/etc/passwd", "wdbc\0", "..", "", "letter_2000/..", "letter_-1", "$(id)"]


class Planted:
    """Pickled, it makes a folder when it is read."""

    def __init__(self, mark):
        self._mark = mark

    def __reduce__(self):
        return (os.mkdir, (str(self._mark),))


def calls():
    """Every call in our code: the module's path, the called name as it is written, the keywords."""
    for path in sorted((ROOT / "src").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                given = {word.arg: ast.unparse(word.value) for word in node.keywords}
                yield path, ast.unparse(node.func), given


def test_no_code_of_ours_reads_pickles_or_evaluates_text():
    found = {name: [] for name in ("np.load", "torch.load")}
    for path, name, given in calls():
        assert name.split(".")[0] not in ("marshal", "shelve", "dill"), path
        assert name not in ("eval", "exec", "os.system", "pickle.load", "pickle.Unpickler", "joblib.load"), path
        to_workers = path.name in ("workers.py", "executors.py", "pickles.py")  # and back; files hold raw arrays
        if name.split(".")[0] in ("cloudpickle", "pickle") and not to_workers:
            assert name.endswith("dumps"), path
        assert not (name.startswith("yaml.") and name.endswith("load") and name != "yaml.safe_load"), path
        assert "shell" not in given, path
        assert given.get("allow_pickle", "False") == "False", path
        if name in found:
            found[name].append(given)
    assert all(given.get("allow_pickle") == "False" for given in found["np.load"])
    assert all(given.get("weights_only") == "True" for given in found["torch.load"])
    assert all(found.values())


# Planted pickles -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["X.npy", "y.npy"])
@pytest.mark.parametrize("as_archive", [False, True])
def test_a_pickle_in_a_prepared_dataset_is_not_run(tmp_path, name, as_archive):
    folder = prepare("wdbc", root=tmp_path)
    planted = np.array([Planted(tmp_path / "ran")], dtype=object)
    with (folder / name).open("wb") as file:
        np.savez(file, planted) if as_archive else np.save(file, planted)
    with pytest.raises(ValueError, match="is damaged"):
        load("wdbc", root=tmp_path)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("kind", ["npz", "member", "pickle", "torch"])
@pytest.mark.parametrize("learner", ["svm_rff", "mlp"])
def test_a_pickle_in_the_state_of_a_learner_is_not_run(tmp_path, learner, kind):
    path, planted = tmp_path / "trial0.pt", Planted(tmp_path / "ran")
    if kind == "npz":
        with path.open("wb") as file:
            np.savez(file, progress=np.array([planted], dtype=object))
    elif kind == "member":
        with zipfile.ZipFile(path, "w") as file:
            file.writestr("progress.npy", pickle.dumps(planted))
            file.writestr("archive/data.pkl", pickle.dumps(planted))
    elif kind == "pickle":
        path.write_bytes(pickle.dumps(planted))
    else:
        torch.save(planted, path)
    fresh = FourierTraining(SVM, 0) if learner == "svm_rff" else network()
    with pytest.raises(ValueError, match=r"trial0\.pt is truncated or holds no"):
        fresh.load(path)
    assert not (tmp_path / "ran").exists()


def network():
    return make("mlp", {}, input_shape=(4,), n_classes=2, seed=0, device="cpu")


@pytest.mark.parametrize("learner", ["svm_rff", "mlp"])
def test_a_damaged_state_of_a_learner_is_refused(tmp_path, learner):
    path, X, y = tmp_path / "trial0.pt", np.random.default_rng(0).random((20, 4)), np.arange(20) % 2
    fresh = (lambda: FourierTraining(SVM, 0)) if learner == "svm_rff" else network
    trained = fresh()
    trained.fit(X, y, X, y, epochs=1)
    trained.save(path)
    content = path.read_bytes()
    fresh().load(path)
    values = {"svm_rff": b"coef_.npy", "mlp": b"data/0"}[learner]
    place = content.index(values) + len(values) + 120
    path.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
    with pytest.raises(ValueError, match=r"trial0\.pt is truncated or holds no"):
        fresh().load(path)


# Names, links and devices --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_that_is_a_path_is_no_dataset(tmp_path, name):
    with pytest.raises(ValueError, match="unknown dataset"):
        parse_name(name)
    for call in (load, prepare):
        with pytest.raises(ValueError, match="unknown dataset"):
            call(name, root=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_link_at_an_output_is_replaced_and_not_followed(tmp_path):
    (tmp_path / "kept").write_text("untouched")
    (tmp_path / "out.csv").symlink_to(tmp_path / "kept")
    write(pd.DataFrame({"x": [1]}), tmp_path / "out.csv")
    assert (tmp_path / "kept").read_text() == "untouched"
    assert not (tmp_path / "out.csv").is_symlink()


def test_a_link_at_a_foreseeable_temporary_name_is_not_followed(tmp_path):
    (tmp_path / "kept").write_text("untouched")
    for name in (".out.csv.part", "out.csv.part", ".out.csv.tmp"):
        (tmp_path / name).symlink_to(tmp_path / "kept")
    write(pd.DataFrame({"x": [1]}), tmp_path / "out.csv")
    assert (tmp_path / "kept").read_text() == "untouched"
    assert (tmp_path / "out.csv").read_text() == "x\n1\n"


def test_a_link_in_the_place_of_a_prepared_dataset_is_replaced_and_not_followed(tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "kept").write_text("untouched")
    (tmp_path / "processed").mkdir()
    (tmp_path / "processed" / "wdbc").symlink_to(elsewhere)
    prepare("wdbc", root=tmp_path)
    assert sorted(path.name for path in elsewhere.iterdir()) == ["kept"]
    assert len(load("wdbc", root=tmp_path).y) == 569


@pytest.mark.parametrize("name", ["X.npy", "y.npy"])
@pytest.mark.parametrize("kind", ["pipe", "zero", "folder"])
def test_a_device_in_a_prepared_dataset_is_refused(tmp_path, name, kind):
    path = prepare("wdbc", root=tmp_path) / name
    path.unlink()
    put(path, kind)
    with pytest.raises(ValueError, match="is not a plain file but a folder, a device or a pipe"):
        load("wdbc", root=tmp_path)


@pytest.mark.parametrize("kind", ["pipe", "zero", "folder"])
def test_a_device_is_no_table_of_scores_and_no_state(tmp_path, kind):
    path = tmp_path / "t.parquet"
    put(path, kind)
    readers = (read, ScoreTable.read, FourierTraining(SVM, 0).load, network().load)
    for reader in readers:
        with pytest.raises(ValueError, match=r"t\.parquet is "):
            reader(path)


def put(path, kind):
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "zero":
        path.symlink_to("/dev/zero")
    else:
        path.mkdir()


@pytest.mark.parametrize("shape", [(2**40, 30), (2**62, 30), (569, 2**33)])
def test_a_header_that_claims_a_huge_array_is_refused(tmp_path, shape):
    path = prepare("wdbc", root=tmp_path) / "X.npy"
    with path.open("wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": shape})
        file.write(b"\0" * 4096)
    with pytest.raises(ValueError, match="is damaged"):
        load("wdbc", root=tmp_path)


@pytest.mark.parametrize(
    ("protocol", "message"),
    [
        (None, r"j\.jsonl is no journal, since it is not a text; "),
        (0, r"j\.jsonl, line 3, must be a JSON object, got 'cposix"),  # all of it is text
    ],
)
def test_a_journal_cannot_run_code(tmp_path, protocol, message):
    Lines(tmp_path / "j.jsonl", {"of": "a"}).add({"x": 1})
    content, planted = (tmp_path / "j.jsonl").read_bytes(), pickle.dumps(Planted(tmp_path / "ran"), protocol)
    (tmp_path / "j.jsonl").write_bytes(content + planted + b"\n")
    with pytest.raises(ValueError, match=message):
        Lines(tmp_path / "j.jsonl", {"of": "a"})
    assert not (tmp_path / "ran").exists()


def test_what_is_planted_would_run(tmp_path):
    pickle.loads(pickle.dumps(Planted(tmp_path / "ran")))
    assert (tmp_path / "ran").is_dir()
