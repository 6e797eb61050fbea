"""What Snakemake makes again after a change of our code: that code's own results, and no others."""

import re

import pytest
from checkout import copy_to, snakemake

pytestmark = pytest.mark.slow

METHODS = ("random", "tpe", "ei")
SEARCHES = [f"results/trials/{method}/function/branin/seed0.parquet" for method in METHODS]
SMOKE = ("--configfile", "config/smoke.yaml", "--", *SEARCHES)


@pytest.fixture(scope="module")
def searched(tmp_path_factory):
    """A checkout in which these searches have been made."""
    place = copy_to(tmp_path_factory.mktemp("code"))
    done = snakemake(place, *SMOKE)
    assert done.returncode == 0, done.stdout[-4000:]
    return place


def planned(place):
    """Methods whose searches would be made again, each with Snakemake's reason."""
    done = snakemake(place, "--dry-run", *SMOKE)
    assert done.returncode == 0, done.stdout
    found = re.findall(r"output: results/trials/(\w+)/.*?reason: (.*?)\n", done.stdout, flags=re.DOTALL)
    return dict(found)


def edit(place, path, old, new):
    file = place / "src/frugal" / path
    text = file.read_text()
    assert text.count(old) == 1
    file.write_text(text.replace(old, new))


def test_a_changed_algorithm_makes_its_own_results_again_and_no_others(searched):
    edit(searched, "trials/acquisitions/maximise.py", "N_STEPS = 50", "N_STEPS = 51")  # of expected improvement
    edit(searched, "trials/strategies/random.py", "independent draws", "draws, each independent,")
    again = planned(searched)
    assert list(again) == ["ei"]
    assert "Params have changed" in again["ei"]
    edit(searched, "trials/acquisitions/maximise.py", "N_STEPS = 51", "N_STEPS = 50  # as it was")
    edit(searched, "trials/strategies/random.py", "self._rng, 1)[0]", "self._rng, 2)[0]")
    assert list(planned(searched)) == ["random"]


def test_every_rule_that_makes_a_file_has_the_hash_of_its_code(tmp_path):
    place = copy_to(tmp_path)
    with (place / "Snakefile").open("a") as file:
        file.write('\n\nmade = [rule for rule in workflow.rules if rule.output]\nprint("RULES", len(made))\n')
        file.write('print("WITHOUT", [rule.name for rule in made if "code" not in rule.params.keys()])\n')
    done = snakemake(place, "--dry-run", "--quiet", *SMOKE)
    assert done.returncode == 0, done.stdout[-4000:]
    assert int(re.search(r"RULES (\d+)", done.stdout)[1]) > 30
    assert "WITHOUT []" in done.stdout
