# Document 003: tables, figures and claims of section 2, sizes and lengths of trials, and section 3, training on fewer rows.

BIG_DATA_EXPLAINED = ("figure1", "figure2", "figure6", "figure9", "figure11")
BIG_DATA_FIGURES = {
    "figure3": ("svm_search",),
    "figure3_cost": ("svm_search",),
    "figure3_cnn": ("cnn_search",),
    "figure3_cnn_cost": ("cnn_search",),
    "figure4": ("curve_fits",),
    "curve_fits": ("curve_fits",),
    "curve_calibration": ("curve_fits",),
    "figure5": ("curve_search",),
    "figure5_epochs": ("curve_search",),
    "figure7": ("intervals", "interval_workers"),
    "figure7_rows": ("intervals", "interval_workers"),
    "figure8": ("sample_sizes",),
    "figure8_seconds": ("sample_sizes",),
    "sample_growth": ("sample_sizes",),
    "figure10": ("subsampling",),
    "figure10_seconds": ("subsampling",),
    "bias": ("bias",),
    "boundary_angles": ("boundaries",),
    "figure12": ("compression",),
    "figure12_rows": ("compression",),
    "combinations": ("combinations",),
    "fractions": ("fractions",),
    "fractions_seconds": ("fractions",),
    "growing_termination": ("growing_termination",),
    "reduced_search": ("reduced_search",),
    "terminating_fabolas": ("terminating_fabolas",),
}
BIG_DATA_TABLES = {
    "svm_search": ("svm_search",),
    "cnn_search": ("cnn_search",),
    "curve_fits": ("curve_fits",),
    "curve_calibration": ("curve_fits",),
    "curve_search": ("curve_search",),
    "interval_widths": ("intervals", "interval_workers"),
    "sample_sizes": ("sample_sizes",),
    "variance_check": ("variance_check",),
    "figure10": ("subsampling",),
    "bias": ("bias",),
    "boundaries": ("boundaries",),
    "compression": ("compression",),
    "combinations": ("combinations",),
    "combinations_against_parts": ("combinations",),
    "fractions": ("fractions",),
    "growing_termination": ("growing_termination",),
    "reduced_search": ("reduced_search",),
    "terminating_fabolas": ("terminating_fabolas",),
}


RESULTS["big_data"] = Results(
    tables=runs_of("big_data", BIG_DATA_TABLES),
    figures=runs_of("big_data", BIG_DATA_FIGURES),
    explained=dict.fromkeys(BIG_DATA_EXPLAINED, [])
    | {"figure1": ["data/processed/wdbc/provenance.json"]},  # of real rows
    claims=runs_of(
        "big_data",
        {
            "claims": (
                *(name for name, of in SEARCHES.items() if of.paper == "big_data"),
                EXTRAPOLATED,
                *(
                    name
                    for name, experiment in EXPERIMENTS.items()
                    if experiment.package.startswith("big_data.")
                ),
            )
        },
    ),
)


rule big_data:
    # Document 003: tables, figures and claims.
    input:
        *table_paths("big_data", *BIG_DATA_TABLES),
        *figure_paths("big_data", *BIG_DATA_EXPLAINED, *BIG_DATA_FIGURES),
        *claim_paths("big_data"),
