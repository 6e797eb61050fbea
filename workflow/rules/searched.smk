# Functions of hypertune.smk and trials_comparison.smk: what their rows are made from.

from studies.trials_comparison.listed import searched_on

TUNED = [name for name, of in SEARCHES.items() if of.paper == "hypertune"]


def tuned_settings(wildcards):
    """What a refit is of, as JSON."""
    block = config["hypertune"][wildcards.learner]
    of = ("n_train", "n_valid", "n_test", "scalers", "epochs")
    return json.dumps({key: block[key] for key in of if key in block}, sort_keys=True)


def compared_searches(wildcards):
    """All searches on a problem, with the table or the curves that they look up."""
    of = (wildcards.learner, wildcards.dataset)
    looked_up = wildcards.learner in ("lookup", "curves")
    return ["results/{}/{}.parquet".format(*of)] * looked_up + [
        "results/trials/{}/{}/{}/seed{}.parquet".format(method, *of, seed)
        for method in searched_on(*of)
        if method in SEARCH_TRIALS[SEARCH_OF[*of, method], wildcards.dataset]
        for seed in range(SEARCH_BLOCKS[SEARCH_OF[*of, method]]["n_seeds"])
    ]


def compared_problem(wildcards):
    """What live searches' choices are fitted on, as JSON; nothing where these are looked up."""
    if wildcards.learner in ("lookup", "curves"):
        return "{}"
    block = SEARCH_BLOCKS["compared_live"]
    rows = {key: block[key] for key in ("n_train", "n_valid", "n_test")}
    scalers = {wildcards.dataset: block["scaler"]}
    return json.dumps({**rows, "scalers": scalers}, sort_keys=True)
