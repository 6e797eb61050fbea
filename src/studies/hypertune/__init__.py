"""Document 004: "Fast hyperparameter tuning using Bayesian optimization with directional derivatives" (HyperTune).

`paper` lists what its reproduction consists of. `complexity` is Figure 1, computed. `searches` has what the
searches have in common, and fits and tests their choices. `curves` shows and judges the best error against trials
and time, `errors` the choices, and `budgets` how HyperTune's time was spent. `starts` has the searches on look-up
tables. `data_set_claims` says how sentences on data sets are judged.
"""
