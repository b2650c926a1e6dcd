"""The model of Williams, Degleris, Wang and Linderman (NeurIPS 2020), "Point process models for sequence detection in
high-dimensional neural spike trains", as a small reference program.

Spikes belong to the background or to an event. An event has a time, a type and an amplitude. Given its type, unit n
fires a share a[n] of its spikes, each at a normal offset of mean b[n] and variance c[n]. Events come at random, and
their number is unknown. Sampled as in the paper: times, types and amplitudes of events are integrated out while each
spike chooses its event in turn; then types and times are drawn, and all parameters from their conjugate distributions.
The annealing multiplies the variance of the amplitude by a temperature that falls. Time warping and the moves that split
and merge events are left out. Times are in seconds.
"""

import math
from dataclasses import dataclass

import numpy as np

try:
    from numba import njit
except ImportError:  # the tests of the tree run without it, on tiny recordings

    def njit(**_):
        return lambda function: function


@dataclass
class Prior:
    """Names in brackets are those of the authors' program."""

    types: int = 2  # num_sequence_types
    type_weight: float = 1.0  # seq_type_conc_param
    event_rate: float = 1.0  # seq_event_rate, events a second
    amplitude: float = 100.0  # mean_event_amplitude, spikes an event
    amplitude_variance: float = 1000.0  # var_event_amplitude
    response_weight: float = 0.1  # neuron_response_conc_param
    offset_weight: float = 1.0  # neuron_offset_pseudo_obs
    width_weight: float = 1.0  # neuron_width_pseudo_obs
    width: float = 0.5  # neuron_width_prior, a variance
    background: float = 30.0  # mean_bkgd_spike_rate, of all units
    background_variance: float = 30.0  # var_bkgd_spike_rate
    background_weight: float = 0.3  # bkgd_spikes_conc_param
    longest: float = math.inf  # max_sequence_length


@njit(cache=True)
def seed(number):
    np.random.seed(number)


@njit(cache=True)
def add(sums, k, sign, n, t, share, offset, width):
    """Adds a spike to the sums of event k, or takes it away: for each type log weight, precision, mean, square."""
    sums[k, 0, 0] += sign
    sums[k, 0, 1] += sign * t
    for r in range(share.shape[1]):
        x, c = t - offset[n, r], width[n, r]
        sums[k, r + 1, 0] += sign * (math.log(share[n, r]) - 0.5 * math.log(2 * math.pi * c))
        sums[k, r + 1, 1] += sign / c
        sums[k, r + 1, 2] += sign * x / c
        sums[k, r + 1, 3] += sign * x * x / c


@njit(cache=True)
def type_chances(sums, k, mix, out):
    """Probabilities of the types of event k, its time integrated out."""
    best = -math.inf
    for r in range(len(mix)):
        weight, precision, mean, square = sums[k, r + 1]
        out[r] = math.log(mix[r]) + weight + 0.5 * (math.log(2 * math.pi / precision) - square + mean * mean / precision)
        best = max(best, out[r])
    total = 0.0
    for r in range(len(mix)):
        out[r] = math.exp(out[r] - best)
        total += out[r]
    out /= total


@njit(cache=True)
def event_weight(sums, k, n, t, mix, share, offset, width, chances):
    """Density of a spike of unit n at t, given the other spikes of event k."""
    type_chances(sums, k, mix, chances)
    total = 0.0
    for r in range(len(mix)):
        precision = sums[k, r + 1, 1]
        spread = width[n, r] + 1 / precision
        far = t - offset[n, r] - sums[k, r + 1, 2] / precision
        total += chances[r] * share[n, r] * math.exp(-0.5 * far * far / spread) / math.sqrt(2 * math.pi * spread)
    return total


@njit(cache=True)
def choose(weights, used):
    at = np.random.random() * weights[:used].sum()
    for i in range(used - 1):
        at -= weights[i]
        if at < 0:
            return i
    return used - 1


@njit(cache=True)
def sweep(times, units, event, sums, alpha, beta, rate, longest, mix, share, offset, width, floor):
    """Each spike in turn leaves its event and chooses one, the background or a new event."""
    weights, labels, chances = np.empty(len(times) + 2), np.empty(len(times) + 2, np.int64), np.empty(len(mix))
    fresh = alpha * (beta / (1 + beta)) ** alpha * rate
    for s in np.random.permutation(len(times)):
        n, t = units[s], times[s]
        if event[s] >= 0:
            add(sums, event[s], -1, n, t, share, offset, width)
        weights[0], labels[0] = (1 + beta) * floor[n], -1
        used, empty = 1, -1
        for k in range(len(sums)):
            count = sums[k, 0, 0]
            if count < 0.5:
                if empty < 0:
                    empty = k
                    sums[k] = 0
                continue
            if abs(sums[k, 0, 1] / count - t) <= longest:
                weight = event_weight(sums, k, n, t, mix, share, offset, width, chances)
                weights[used], labels[used] = (alpha + count) * weight, k
                used += 1
        if empty >= 0:
            weights[used], labels[used] = fresh * (mix * share[n]).sum(), empty
            used += 1
        event[s] = labels[choose(weights, used)]
        if event[s] >= 0:
            add(sums, event[s], 1, n, t, share, offset, width)


class Sampler:
    """State of the chain: `event` of each spike (-1 is the background), types and times of events, and parameters."""

    def __init__(self, times, units, n_units, duration, prior, number, most_events=400):
        self.times, self.units = np.asarray(times, float), np.asarray(units, np.int64)
        self.prior, self.n_units, self.duration = prior, n_units, duration
        self.draw = np.random.default_rng(number)
        seed(number)
        self.event = np.full(len(self.times), -1)
        self.sums = np.zeros((most_events, prior.types + 1, 4))
        self.kind, self.moment = np.zeros(most_events, np.int64), np.zeros(most_events)
        self.sample_parameters()

    def sample_events(self):
        """Types and times of the events that have spikes."""
        chances = np.empty(self.prior.types)
        for k in np.unique(self.event[self.event >= 0]):
            type_chances(self.sums, k, self.mix, chances)
            self.kind[k] = self.draw.choice(len(chances), p=chances)
            _, precision, mean, _ = self.sums[k, self.kind[k] + 1]
            self.moment[k] = self.draw.normal(mean / precision, precision**-0.5)

    def sample_parameters(self):
        """Shares, offsets and widths of units in each type, the mix of types, rates of the background."""
        p, inside = self.prior, self.event >= 0
        kind, n = self.kind[self.event[inside]], self.units[inside]
        late = self.times[inside] - self.moment[self.event[inside]]
        shape = (self.n_units, p.types)
        count, total, square = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        for sums, what in ((count, 1.0), (total, late), (square, late * late)):
            np.add.at(sums, (n, kind), what)
        self.share = np.maximum([self.draw.dirichlet(p.response_weight + c) for c in count.T], 1e-12).T.copy()
        weight, freedom = p.offset_weight + count, p.width_weight + count
        mean = total / weight
        spread = p.width_weight * p.width + np.maximum(square - weight * mean * mean, 0)
        self.width = spread / self.draw.chisquare(freedom)
        self.offset = self.draw.normal(mean, np.sqrt(self.width / weight))
        self.mix = self.draw.dirichlet(p.type_weight + np.bincount(self.kind[np.unique(self.event[inside])],
                                                                   minlength=p.types))
        self.mix = np.maximum(self.mix, 1e-12)
        rest = np.bincount(self.units[~inside], minlength=self.n_units)
        alpha, beta = p.background**2 / p.background_variance, p.background / p.background_variance
        rate = self.draw.gamma(alpha + rest.sum()) / (beta + self.duration)
        self.floor = rate * self.draw.dirichlet(p.background_weight + rest)
        self.sums[:] = 0
        for s in np.flatnonzero(inside):
            add(self.sums, self.event[s], 1, self.units[s], self.times[s], self.share, self.offset, self.width)

    def step(self, temperature=1.0):
        p = self.prior
        variance = p.amplitude_variance * temperature
        sweep(self.times, self.units, self.event, self.sums, p.amplitude**2 / variance, p.amplitude / variance,
              p.event_rate, p.longest, self.mix, self.share, self.offset, self.width, self.floor)
        self.sample_events()
        self.sample_parameters()

    def run(self, anneals=10, steps=100, hottest=40.0, after=2000):
        """The schedule of the authors' songbird example: temperatures fall in a geometric row to 1."""
        for temperature in np.geomspace(hottest, 1, anneals):
            for _ in range(steps):
                self.step(temperature)
        for _ in range(after):
            self.step()

    def sequences(self, share=0.25, least_spikes=3, least_events=2):
        """For each type with enough events: units that fire in a share of them, their offsets, times of the events."""
        counts = np.bincount(self.event[self.event >= 0], minlength=len(self.sums))
        found = []
        for r in range(self.prior.types):
            events = np.flatnonzero((counts >= least_spikes) & (self.kind == r))
            if len(events) < least_events:
                continue
            fires = np.zeros((self.n_units, len(self.sums)), bool)
            fires[self.units[self.event >= 0], self.event[self.event >= 0]] = True
            members = np.flatnonzero(fires[:, events].mean(axis=1) >= share)
            members = members[np.argsort(self.offset[members, r])]
            if len(members) >= 2:
                lags = self.offset[members, r]
                found.append((members, lags - lags[0], np.sort(self.moment[events] + lags[0])))
        return found
