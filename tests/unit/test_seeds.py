from frugal.seeds import rng_for, seed_for


def test_a_seed_depends_on_names_and_their_order_alone():
    assert seed_for("folds", "wdbc", 3) == seed_for("folds", "wdbc", 3)
    assert len({seed_for("a", "b"), seed_for("b", "a"), seed_for("ab"), seed_for("a", "b", 1)}) == 4


def test_a_seed_is_the_same_on_every_machine():
    # sha256 of '["folds","wdbc",3]' begins with these four bytes (computed with sha256sum).
    assert seed_for("folds", "wdbc", 3) == 0xFFB8FD16


def test_names_one_and_string_one_differ():
    assert seed_for("x", 1) != seed_for("x", "1")
    assert rng_for("x", 1).random() != rng_for("x", "1").random()
