"""What every figure has in common: bands, and logarithmic axes."""

from itertools import pairwise

import pandas as pd
import pytest
from matplotlib.figure import Figure

from studies import style


@pytest.mark.parametrize("low", [0.013, 0.7, 1.1e5])
@pytest.mark.parametrize("ratio", [1.3, 2.0, 3.7, 6.0, 12.0, 40.0, 400.0, 1e4])
def test_a_logarithmic_axis_has_a_few_numbers_whatever_its_range(low, ratio):
    figure = Figure(figsize=(3, 3))
    axes = figure.subplots()
    style.log_axis(axes.xaxis, low, low * ratio)
    figure.draw_without_rendering()
    shown = [tick for tick in axes.get_xticks() if low <= tick <= low * ratio]
    assert 2 <= len(shown) <= 7
    assert all(text.get_text() for text in axes.get_xticklabels())
    assert not any(text.get_text() for text in axes.get_xticklabels(minor=True))
    assert not any("^{5." in text.get_text() for text in axes.get_xticklabels())  # 3 x 10^5, not 10^5.48
    boxes = [
        text.get_window_extent()
        for text, tick in zip(axes.get_xticklabels(), axes.get_xticks(), strict=True)
        if tick in shown
    ]
    assert all(box.x1 <= after.x0 for box, after in pairwise(boxes))
    assert axes.get_xscale() == "log"


def test_a_band_is_drawn_where_three_seeds_have_a_value():
    line = pd.DataFrame({"x": [1, 2, 3, 4], "low": 0.1, "high": 0.2, "n_seeds": [2, 3, 3, 2]})
    axes = Figure().subplots()
    style.band(axes, line, "black")
    (drawn,) = axes.collections
    assert drawn.get_paths()[0].vertices[:, 0].min() == 2
    assert drawn.get_paths()[0].vertices[:, 0].max() == 3
    two = Figure().subplots()
    style.band(two, line.assign(n_seeds=2), "black")
    assert not two.collections
