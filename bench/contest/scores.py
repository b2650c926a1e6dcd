"""What a list of found sequences is worth, beside the planted ones.

A sequence, found or planted, has `units`, `lags_s` behind its first unit, and `times_s`, one for each occurrence: the
moment of lag 0. Two units whose lags differ by at most `SAME` are synchronous, and their order is none. A result of one
unit is no sequence, whatever method gives it: it is neither right nor wrong.
"""

import math

SAME = 0.001
WITHIN = 0.020  # an occurrence is right when its moment is, within this or a quarter of the sequence


def pairs_of(sequences):
    """Pairs of units in their order; synchronous ones as a set."""
    found = set()
    for one in sequences:
        for i, (a, la) in enumerate(zip(one["units"], one["lags_s"])):
            for b, lb in zip(one["units"][i + 1 :], one["lags_s"][i + 1 :]):
                if a != b:
                    found.add(frozenset((a, b)) if abs(lb - la) <= SAME else ((a, b) if la < lb else (b, a)))
    return found


def loosened(pairs, truth):
    """A found pair in some order is right where the planted pair has none, and the other way round."""
    loose = {pair for pair in truth if isinstance(pair, frozenset)}
    out = set()
    for pair in pairs:
        if isinstance(pair, frozenset):
            a, b = sorted(pair)
            out.add(next((order for order in ((a, b), (b, a)) if order in truth), pair))
        else:
            out.add(frozenset(pair) if frozenset(pair) in loose else pair)
    return out


def rates(right, found, planted):
    """Recall, precision and F1. Nothing found has no precision and F1 0."""
    recall = right / planted if planted else None
    precision = right / found if found else None
    f1 = 2 * right / (found + planted) if found + planted else None
    return {"recall": recall, "precision": precision, "f1": f1}


def pair_score(found, planted):
    truth = pairs_of(planted)
    made = loosened(pairs_of(found), truth)
    return rates(len(made & truth), len(made), len(truth)) | {"wrong": len(made - truth)}


def shift_of(one, truth):
    """Units that both have, and where lag 0 of the found one lies in the planted one (median)."""
    lag_of = dict(zip(truth["units"], truth["lags_s"]))
    shifts = sorted(lag_of[unit] - lag for unit, lag in zip(one["units"], one["lags_s"]) if unit in lag_of)
    return len(shifts), shifts[len(shifts) // 2] if shifts else 0.0


def belongs(one, truth):
    """Two units at least, and half of them, are in the planted one."""
    common, _ = shift_of(one, truth)
    return common >= 2 and 2 * common >= len(one["units"])


def member_score(found, truth):
    """The single result whose units fit best."""
    fits = [rates(len(set(one["units"]) & set(truth["units"])), len(set(one["units"])), len(truth["units"]))
            for one in found if belongs(one, truth)]  # fmt: skip
    return max(fits, key=lambda fit: fit["f1"], default={"recall": 0.0, "precision": None, "f1": 0.0})


def merged(times, apart):
    kept = []
    for time in sorted(times):
        if not kept or time - kept[-1] > apart:
            kept.append(time)
    return kept


def occurrence_score(found, truth):
    """All results that belong to the planted one; moments that are near each other count once."""
    within = max(WITHIN, truth["lags_s"][-1] / 4)
    times = []
    for one in found:
        if belongs(one, truth):
            _, shift = shift_of(one, truth)
            times += [time - shift for time in one["times_s"]]
    times = merged(times, within)
    near = sum(any(abs(time - true) <= within for time in times) for true in truth["times_s"])
    right = sum(any(abs(time - true) <= within for true in truth["times_s"]) for time in times)
    recall = near / len(truth["times_s"]) if truth["times_s"] else None
    precision = right / len(times) if times else None
    f1 = 2 * recall * precision / (recall + precision) if recall and precision else 0.0
    return {"recall": recall, "precision": precision, "f1": f1}


def mean(values):
    values = [value for value in values if value is not None]
    return math.fsum(values) / len(values) if values else None


def score(found, planted):
    """All scores of a recording; those of members and occurrences are means over the planted sequences."""
    found = [one for one in found if len(set(one["units"])) > 1]
    out = {"results": len(found), "pairs": pair_score(found, planted)}
    for name, of in (("members", member_score), ("occurrences", occurrence_score)):
        each = [of(found, truth) for truth in planted]
        out[name] = {key: mean([one[key] for one in each]) for key in ("recall", "precision", "f1")}
    return out
