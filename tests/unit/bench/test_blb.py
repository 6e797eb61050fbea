"""The bench of streamed little bootstraps, at a size at which it can be checked."""

import numpy as np
import pytest

from frugal.bench import blb
from frugal.bench.blb import PEER, bench_blb, peak_mib


@pytest.mark.slow
def test_the_bench_measures_each_in_a_process_of_its_own():
    ballast = np.ones(60_000_000)  # 458 MiB here, which must not count there
    table = bench_blb(20_000, 4, chunk_rows=3000, s=2, r=20).set_index("method")
    here = peak_mib()
    assert here > ballast.nbytes / 2**20
    assert list(table.index) == ["generation", PEER, "blb_stream"]
    assert table["peak_mib"].between(20, here - 200).all()
    assert table.loc[PEER, "seconds_ratio"] == 1.0
    assert table["seconds_ratio"].to_numpy() == pytest.approx(table["seconds"] / table.loc[PEER, "seconds"])
    ours = table.loc["blb_stream"]
    assert ours["rows_held"] == 2 * 1024 + 3000  # floor(20000^0.7) = 1024
    assert ours["error"] < 0.15
    assert table.loc[PEER, "error"] < 0.15


def test_numbers_out_of_range_are_named():
    with pytest.raises(ValueError, match="chunk_rows"):
        bench_blb(20_000, 4, chunk_rows=0)


def test_fewer_rows_than_features_are_refused_before_anything_is_measured():
    with pytest.raises(ValueError, match="n_rows must be at least 4 and a whole number, got 3"):
        bench_blb(3, 4)


def test_imports_of_the_peer_are_not_timed(monkeypatch):
    events = []
    monkeypatch.setattr(blb, "perf_counter", lambda: events.append("clock") or 0.0)
    blb._measured(lambda model: events.append(model) or {}, lambda: events.append("import") or "job")
    assert events == ["import", "clock", "job", "clock"]
