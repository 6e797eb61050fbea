"""Document 003: sizes and lengths of trials (section 2), and training on fewer rows (section 3).

`paper` lists what its reproduction consists of. A module per study has its methods, runs, claims, tables, figures
and captions; sections that are still packages have them in `runs`, `summaries`, `figures` and `claims`.
"""
