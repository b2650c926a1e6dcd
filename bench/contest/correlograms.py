"""Correlograms of all pairs of units, judged by jitter and Benjamini-Hochberg, as a small reference program.

The count of a bin of lags is compared with a Poisson distribution whose mean is that of jittered copies (each spike
anywhere in its window; Amarasingham, Harrison, Hatsopoulos and Geman 2012). A pair's p is that of its best bin, times
the number of bins. Pairs are accepted by the rule of Benjamini and Hochberg (1995). Times are in seconds.
"""

import math

import numpy as np


def counts_of(times, units, n_units, bin_s, n_bins):
    """How often unit b fires i bins after unit a: an array [a, b, i]. A pair in one moment counts in both orders."""
    order = np.argsort(times, kind="stable")
    times, units = times[order], units[order]
    counts = np.zeros(n_units * n_units * n_bins, np.int64)
    for k in range(1, len(times)):
        late = times[k:] - times[:-k]
        near = late < bin_s * n_bins
        if not near.any():
            break
        a, b, late = units[:-k][near], units[k:][near], late[near]
        place = (a * n_units + b) * n_bins + np.minimum(late // bin_s, n_bins - 1).astype(int)
        same = late == 0
        place = np.concatenate([place, (b[same] * n_units + a[same]) * n_bins])
        counts += np.bincount(place, minlength=len(counts))
    return counts.reshape(n_units, n_units, n_bins)


def jittered(times, window_s, draw):
    return (np.floor(times / window_s) + draw.random(len(times))) * window_s


def poisson_tail(count, mean):
    """The chance of `count` or more."""
    if count == 0:
        return 1.0
    term = math.exp(count * math.log(mean) - mean - math.lgamma(count + 1))
    total, k = 0.0, count
    while term > total * 1e-12 or k < mean:
        total += term
        k += 1
        term *= mean / k
    return min(total, 1.0)


def accepted(p, q):
    """Which of the p-values are accepted at the false discovery rate q."""
    order = np.argsort(p)
    below = np.flatnonzero(p[order] <= q * np.arange(1, len(p) + 1) / len(p))
    kept = np.zeros(len(p), bool)
    if len(below):
        kept[order[: below[-1] + 1]] = True
    return kept


def pairs(times, units, n_units, bin_s, n_bins, window_s, copies=100, q=0.05, seed=1):
    """Accepted pairs: (a, b, bin of the best lag, p)."""
    draw = np.random.default_rng(seed)
    counts = counts_of(times, units, n_units, bin_s, n_bins)
    mean = np.zeros(counts.shape)
    for _ in range(copies):
        mean += counts_of(jittered(times, window_s, draw), units, n_units, bin_s, n_bins) / copies
    mean = np.maximum(mean, 1 / copies)
    p, best = np.ones((n_units, n_units)), np.zeros((n_units, n_units), int)
    for a, b in np.ndindex(p.shape):
        if a != b:
            tails = [poisson_tail(int(c), m) for c, m in zip(counts[a, b], mean[a, b])]
            best[a, b] = int(np.argmin(tails))
            p[a, b] = min(1.0, min(tails) * n_bins)
    apart = ~np.eye(n_units, dtype=bool)
    kept = np.zeros(p.shape, bool)
    kept[apart] = accepted(p[apart], q)
    return [(int(a), int(b), int(best[a, b]), float(p[a, b])) for a, b in np.argwhere(kept)]
