"""What the reproduction of document 003 consists of."""

from __future__ import annotations

from typing import Final

from studies.big_data import (
    bias,
    boundaries,
    combinations,
    compression,
    curve_fits,
    curve_search,
    figure3,
    figure4,
    figure5,
    figure6,
    figure7,
    figure8,
    figure11,
    figure12,
    fractions,
    growing_termination,
    intervals,
    intuition,
    reduced_search,
    sample_sizes,
    size_search,
    subsampling,
    terminating_fabolas,
    variance_check,
)
from studies.big_data.tables import render
from studies.records import Paper

CLAIMS: Final = (
    *size_search.CLAIMS,
    *curve_fits.CLAIMS,
    *curve_search.CLAIMS,
    *intervals.CLAIMS,
    *sample_sizes.CLAIMS,
    *variance_check.CLAIMS,
    *subsampling.CLAIMS,
    *bias.CLAIMS,
    *boundaries.CLAIMS,
    *compression.CLAIMS,
    *combinations.CLAIMS,
    *growing_termination.CLAIMS,
    *reduced_search.CLAIMS,
    *terminating_fabolas.CLAIMS,
)
"""In the order of the document. Apart from `PAPER`, so that what judges them does not depend on runs."""
PAPER: Final = Paper(
    name="big_data",
    title="Document 003: big data",
    studies=(
        size_search.SVM_SEARCH,
        size_search.CNN_SEARCH,
        curve_fits.CURVE_FITS,
        curve_search.CURVE_SEARCH,
        intervals.INTERVALS,
        intervals.INTERVAL_WORKERS,
        sample_sizes.SAMPLE_SIZES,
        variance_check.VARIANCE_CHECK,
        subsampling.SUBSAMPLING,
        bias.BIAS,
        boundaries.BOUNDARIES,
        compression.COMPRESSION,
        combinations.COMBINATIONS,
        fractions.FRACTIONS,
        growing_termination.GROWING_TERMINATION,
        reduced_search.REDUCED_SEARCH,
        terminating_fabolas.TERMINATING_FABOLAS,
    ),
    artefacts=(
        intuition.FIGURE1,
        intuition.FIGURE2,
        *figure3.ARTEFACTS,
        *figure4.ARTEFACTS,
        *figure5.ARTEFACTS,
        figure6.FIGURE6,
        *figure7.ARTEFACTS,
        *figure8.ARTEFACTS,
        variance_check.TABLE,
        *subsampling.ARTEFACTS,
        *bias.ARTEFACTS,
        figure11.FIGURE11,
        *boundaries.ARTEFACTS,
        *figure12.ARTEFACTS,
        *combinations.ARTEFACTS,
        *fractions.ARTEFACTS,
        *growing_termination.ARTEFACTS,
        *reduced_search.ARTEFACTS,
        *terminating_fabolas.ARTEFACTS,
    ),
    claims=CLAIMS,
    about_claims={
        "claims": """Every claim of document 003's sections 2.1 (sizes of trials), 2.2 (their lengths) and 3
        (training on fewer rows), quoted, with our number, its 95 % interval over the seeds and a verdict. In
        section 2.1 a search that never reaches the target counts as all that it spent, and the interval is open on
        the side that this leaves unknown; the row has the numbers of such searches. Speed-ups above the ratio of
        the searched table's largest to its smallest evaluation cost are not testable here. In section 2.2 the
        sentence on Figure 4 is judged curve by curve, those on Figure 5 seed by seed over three optimisers;
        CIFAR-100 is not testable here, nor is the cluster of Figure 7. In svm_search all seeds look up one table,
        with one draw of all rows; in cnn_search, curve_search and terminating_fabolas they replay one split of the
        data and one training of each candidate. So their intervals are over orders and draws of the optimisers
        alone. Verdicts on stored curves ask for fewer candidates or rows than those on the SVM's table
        (docs/assumptions/big_data.md)."""
    },
    render=render,
)
