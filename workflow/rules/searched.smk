# Functions of hypertune.smk and trials_comparison.smk: what their rows are made from.

from studies.trials_comparison.problems_and_methods import shown_on

TUNED = [name for name, of in SEARCHES.items() if of.paper == "hypertune"]


def tuned_settings(wildcards):
    """What a refit is of, as JSON."""
    block = config["hypertune"][wildcards.learner]
    of = ("n_train", "n_valid", "n_test", "scalers", "epochs")
    return json.dumps({key: block[key] for key in of if key in block}, sort_keys=True)


def compared_methods(of):
    """The compared methods that are run on a problem, and those that are not at this scale."""
    listed = shown_on(config, *of)
    run = [m for m in listed if m in SEARCH_TRIALS[SEARCH_OF[*of, m].name, of[1]]]
    return run, [method for method in listed if method not in run]


def compared_searches(wildcards):
    """All searches on a problem, with the table or the curves that they look up."""
    of = (wildcards.learner, wildcards.dataset)
    looked_up = wildcards.learner in LOOKED_UP
    return ["results/{}/{}.parquet".format(*of)] * looked_up + [
        "results/trials/{}/{}/{}/seed{}.parquet".format(method, *of, seed)
        for method in compared_methods(of)[0]
        for seed in range(SEARCH_BLOCKS[SEARCH_OF[*of, method].name]["n_seeds"])
    ]


def compared_problem(wildcards):
    """What live searches' choices are fitted on, and the compared methods that are not run, as JSON."""
    of, settings = (wildcards.learner, wildcards.dataset), {}
    if wildcards.learner not in LOOKED_UP:
        block = SEARCH_BLOCKS["compared_live"]
        settings = {key: block[key] for key in ("n_train", "n_valid", "n_test")}
        settings["scalers"] = {wildcards.dataset: block["scaler"]}
    _, not_run = compared_methods(of)
    return json.dumps(
        settings | ({"not_run": not_run} if not_run else {}), sort_keys=True
    )
