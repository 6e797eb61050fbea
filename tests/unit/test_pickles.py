import gc
import mmap
import pickle
import subprocess
import sys
import textwrap
import time

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from frugal import pickles
from frugal.pickles import dumps_mapped
from frugal.workers import Workers, shared_workers


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where files are made."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def source(array):
    """What the numbers of an array lie in."""
    while isinstance(array, np.ndarray):
        array = array.base
    return type(array.obj) if isinstance(array, memoryview) else type(array)


LARGE = np.arange(300_000, dtype=np.float64).reshape(3_000, 100)


@pytest.mark.parametrize(
    ("value", "numbers"),
    [
        (LARGE, lambda value: value),
        (np.asfortranarray(LARGE), lambda value: value),
        (pd.DataFrame(LARGE), lambda value: value.to_numpy()),
        (sparse.csr_matrix(LARGE), lambda value: value.data),
    ],
)
def test_large_arrays_are_mapped_and_the_same(folder, value, numbers):
    data, path = dumps_mapped({"small": np.arange(7), "large": value})
    found = pickle.loads(data)
    assert len(data) < 100_000
    assert source(numbers(found["large"])) is mmap.mmap
    assert source(found["small"]) is not mmap.mmap
    np.testing.assert_array_equal(numbers(found["large"]), numbers(value))
    assert numbers(found["large"]).flags.c_contiguous == numbers(value).flags.c_contiguous
    assert numbers(found["large"]).flags.aligned
    assert [str(file) for file in folder.iterdir()] == [path]


def test_memory_maps_are_mapped_and_not_copied(folder, tmp_path_factory):
    file = tmp_path_factory.mktemp("data") / "X.npy"
    np.save(file, LARGE)
    X = np.load(file, mmap_mode="r")
    data, _ = dumps_mapped({"whole": X, "part": X[500:2500]})
    found = pickle.loads(data)
    assert len(data) < 100_000
    assert {source(array) for array in found.values()} == {mmap.mmap}
    np.testing.assert_array_equal(found["whole"], LARGE)
    np.testing.assert_array_equal(found["part"], LARGE[500:2500])


def test_two_arrays_of_odd_lengths_lie_in_one_file(folder):
    bytes_ = np.arange(pickles.LARGE_BYTES + 1, dtype=np.uint8)
    first, second = pickle.loads(dumps_mapped((bytes_, LARGE))[0])
    np.testing.assert_array_equal(first, bytes_)
    np.testing.assert_array_equal(second, LARGE)
    assert second.flags.aligned


def test_small_arrays_need_no_file(folder):
    data, path = dumps_mapped(np.arange(100))
    assert path == ""
    assert pickle.loads(data).tolist() == list(range(100))
    assert list(folder.iterdir()) == []


def test_without_room_for_a_file_arrays_are_copied(folder, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(folder / "nowhere"))
    data, path = dumps_mapped(LARGE)
    assert path == ""
    np.testing.assert_array_equal(pickle.loads(data), LARGE)


def test_a_disk_that_fills_up_leaves_no_file(folder, monkeypatch):
    def no_room(size):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pickles, "_padding", no_room)
    data, path = dumps_mapped(LARGE)
    assert path == ""
    np.testing.assert_array_equal(pickle.loads(data), LARGE)
    assert list(folder.iterdir()) == []


class Adds:
    """Adds to its array, and says what the first number was, and where the array lies."""

    def __init__(self, numbers):
        self.numbers = numbers

    def __call__(self, task):
        before = float(self.numbers[0, 0])
        self.numbers[0, 0] += task
        return before, source(self.numbers) is mmap.mmap


def test_processes_share_a_file_and_keep_what_they_write_to_themselves(folder):
    adds = Adds(LARGE.copy())
    with Workers(1, adds) as first, Workers(1, adds, start_method="fork") as second:
        assert first.submit(adds, 5).result() == (0.0, True)
        assert first.submit(adds, 5).result() == (5.0, True)
        assert second.submit(adds, 5).result() == (0.0, True)
    assert adds.numbers[0, 0] == 0.0


def test_the_file_is_gone_after_the_search(folder):
    adds = Adds(LARGE.copy())
    with shared_workers(1, adds) as workers:
        workers.submit(adds, 1).result()
        assert len(list(folder.iterdir())) == 1
    gc.collect()
    end = time.monotonic() + 60
    while list(folder.iterdir()):
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.parametrize("fit_s", [0.0, 0.3])
@pytest.mark.parametrize("start_method", ["loky", "fork"])
def test_the_file_of_a_parent_that_is_killed_is_removed_by_its_workers(start_method, fit_s, folder):
    code = """
        import sys, tempfile, time
        import numpy as np
        from frugal.workers import Workers
        tempfile.tempdir = sys.argv[2]
        class Waits:
            numbers = None
            def __call__(self, fit_s):
                time.sleep(fit_s)
                return float(self.numbers.sum())
        waits = Waits()
        waits.numbers = np.ones(300_000)
        with Workers(1, waits, start_method=sys.argv[1]) as workers:
            first = workers.submit(waits, 0.0).result()
            if sys.argv[3] != "0.0":
                workers.submit(waits, float(sys.argv[3]))  # under way when this process dies
            print(first, flush=True)
            time.sleep(600)
    """
    command = [sys.executable, "-c", textwrap.dedent(code), start_method, str(folder), str(fit_s)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as parent:
        assert parent.stdout.readline() == "300000.0\n"
        assert len(list(folder.iterdir())) == 1
        parent.kill()
        assert "Traceback" not in parent.stderr.read()
    end = time.monotonic() + 60
    while list(folder.iterdir()):
        assert time.monotonic() < end
        time.sleep(0.05)
