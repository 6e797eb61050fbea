"""Document 004: "Fast hyperparameter tuning using Bayesian optimization with directional derivatives" (HyperTune).

`paper` lists what its reproduction consists of. `complexity` is Figure 1, computed. `searches` has what the
searches have in common, and fits and tests what they chose; `curves` shows and judges them on their way, `errors`
what they chose, and `budgets` what HyperTune's time was spent on. `data_set_claims` says how sentences on data
sets are judged.
"""
