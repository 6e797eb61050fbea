"""`frugal bench networks`, at a size at which it can be checked."""

import pytest

from frugal.bench.networks import bench_networks


def test_the_bench_measures_both_in_one_run(tmp_path):
    table = bench_networks(
        ["mnist_cnn", "mlp"], dataset="digits", n_rows=64, n_repeats=2, device="cpu", root=str(tmp_path)
    )
    assert list(table["network"]) == ["mnist_cnn", "mlp"]
    assert (table[["images_per_s", "peer_images_per_s", "peak_gflops_per_s"]] > 0).all(axis=None)
    assert table["ratio"].tolist() == pytest.approx(table["images_per_s"] / table["peer_images_per_s"])
    assert table["share_of_peak"].between(0, 1).all()
    # 8 x 8 pixels: 6 x 6 windows of 9 weights, 3 x 3 cells, 16 filters, 24 and 10 units.
    assert table["flops_per_image"][0] == 2 * (2 * 36 * 9 * 16 + 3 * 9 * 16 * 24 + 3 * 240)
