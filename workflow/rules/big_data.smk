# Document 003: tables, figures and claims of section 2, sizes and lengths of trials, and section 3, training on fewer rows.


rule big_data:
    # Document 003: tables, figures and claims.
    input:
        *results_of("big_data"),
        *claim_paths("big_data"),
