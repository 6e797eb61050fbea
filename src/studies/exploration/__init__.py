"""Document 002: "Bayesian Exploration", hyperparameter optimisation with DNGO on two small tasks.

`paper` lists what its reproduction consists of. A module per study has its methods, runs, claims, tables, figures
and captions. `polynomial` is the model and the searches of task 1, `as_coded` the public code's search of task 2,
`searches` what tables and figures read of searches, `document` what is printed.
"""
