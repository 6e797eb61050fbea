"""The algorithms of document 001 written from their text, by rescanning everything at every step."""

from fractions import Fraction


def exact(scores):
    """Mean without rounding: each score to the nearest millionth, averaged as a fraction."""
    return sum(Fraction(round(s * 10**6), 10**6) for s in scores) / len(scores)


def standard(matrix, budget):
    done, order, complete = 0, [], []
    for m, row in enumerate(matrix):
        for j in range(len(row)):
            if done == budget:
                return order, complete
            order.append((m, j))
            done += 1
        complete.append(m)
    return order, complete


def greedy(matrix, budget, ties="lowest_index", stop=None):
    """Order of evaluations and of completions; `stop(completed means)` may end the search."""
    n, k = len(matrix), len(matrix[0])
    folds_done = [0] * n
    order, complete = [], []

    def evaluate(m):
        order.append((m, folds_done[m]))
        folds_done[m] += 1
        if folds_done[m] == k:
            complete.append(m)

    for m in range(n):
        if len(order) == budget:
            return order, complete
        evaluate(m)
    sign = {"lowest_index": 0, "fewest_folds": 1, "most_folds": -1}[ties]
    while len(order) < budget:
        open_ = [m for m in range(n) if folds_done[m] < k]
        if not open_:
            break
        key = {m: (-exact(matrix[m][: folds_done[m]]), sign * folds_done[m], m) for m in open_}
        evaluate(min(open_, key=key.get))
        completed = folds_done[order[-1][0]] == k
        if stop is not None and completed and stop([exact(matrix[m]) for m in complete]):
            break
    return order, complete


def best(matrix, complete):
    """First completed candidate with the best mean."""
    means = [exact(matrix[m]) for m in complete]
    return complete[means.index(max(means))] if complete else None


def inferior_in_a_row(means):
    """How many completions since the last strict improvement."""
    count, top = 0, None
    for mean in means:
        if top is None or mean > top:
            count, top = 0, mean
        else:
            count += 1
    return count
