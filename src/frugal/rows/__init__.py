"""Methods that train on fewer rows."""

from typing import TYPE_CHECKING

from frugal.lazy import lazily
from frugal.rows.bags import Bag, Settle, interval_widths
from frugal.rows.bootstrap import b_of_n, blb, bootstrap, subsample_size
from frugal.rows.case_control import SubsampleFit, fit_subsample, subsample_logistic
from frugal.rows.group_sums import SumsFit
from frugal.rows.osmac_stream import StreamFit, osmac_stream
from frugal.rows.parquet_rows import ParquetRows
from frugal.rows.ridge_logistic import fit_logistic
from frugal.rows.sample_size import fit_dynamic_sample
from frugal.rows.sampling import sampling_probabilities
from frugal.rows.streaming import blb_stream
from frugal.rows.traces import Fit, Trace
from frugal.rows.weighted_logistic import FitError

if TYPE_CHECKING:
    from frugal.rows.combined import DynamicBag, OsmacBag, blb_dynamic, blb_osmac, blb_svm
    from frugal.rows.kmeans_svm import KMSVM, SVMKM, WKMSVM

__all__ = [
    "KMSVM",
    "SVMKM",
    "WKMSVM",
    "Bag",
    "DynamicBag",
    "Fit",
    "FitError",
    "OsmacBag",
    "ParquetRows",
    "Settle",
    "StreamFit",
    "SubsampleFit",
    "SumsFit",
    "Trace",
    "b_of_n",
    "blb",
    "blb_dynamic",
    "blb_osmac",
    "blb_stream",
    "blb_svm",
    "bootstrap",
    "fit_dynamic_sample",
    "fit_logistic",
    "fit_subsample",
    "interval_widths",
    "osmac_stream",
    "sampling_probabilities",
    "subsample_logistic",
    "subsample_size",
]

# What brings scikit-learn in.
__getattr__ = lazily(
    __name__,
    dict.fromkeys(("DynamicBag", "OsmacBag", "blb_dynamic", "blb_osmac", "blb_svm"), "combined")
    | dict.fromkeys(("KMSVM", "SVMKM", "WKMSVM"), "kmeans_svm"),
)
