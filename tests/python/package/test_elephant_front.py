"""spikemine.elephant beside Elephant 1.2.1: the same results, each of its errors with both answers, warnings,
and patch. Random inputs come from SPIKEMINE_TEST_SEED, or a seed that the test prints."""

import os
import tracemalloc
import warnings

import pytest

np = pytest.importorskip("numpy")
neo = pytest.importorskip("neo")
pq = pytest.importorskip("quantities")
theirs = pytest.importorskip("elephant.spade")
surr = pytest.importorskip("elephant.spike_train_surrogates")
conversion = pytest.importorskip("elephant.conversion")
pytest.importorskip("spikemine")

from spikemine import elephant as ours  # noqa: E402
from spikemine._library import ffi, session  # noqa: E402
from spikemine.elephant import SpikemineElephantWarning, _mining, _significance  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")
SEED = int(os.environ.get("SPIKEMINE_TEST_SEED", "0")) or int.from_bytes(os.urandom(4), "little")


def cases(n):
    print(f"SPIKEMINE_TEST_SEED={SEED}")
    return [np.random.default_rng((SEED, k)) for k in range(n)]


def train(times, stop=1000.0, start=0.0):
    return neo.SpikeTrain(np.asarray(times, float) * pq.ms, t_start=start * pq.ms, t_stop=stop * pq.ms)


def draw_trains(random, seconds=1.0):
    start = float(random.choice([0.0, 200.0]))
    stop = start + 1000 * seconds
    digits = int(random.integers(0, 4))
    sizes = random.integers(5, 40, int(random.integers(2, 7)))
    return [
        train(np.unique(np.round(start + random.random(n) * (stop - start - 1), digits)), stop, start)
        for n in sizes
    ]


def draw_call(random):
    """Spike trains, bin, window and limits."""
    least = int(random.integers(2, 4))
    limits = {"min_spikes": least, "min_occ": int(random.integers(2, 4)), "min_neu": int(random.integers(1, 3))}
    return draw_trains(random), random.choice([1, 3, 5, 2.5]) * pq.ms, int(random.integers(1, 12)), limits


def canonical(concepts):
    return sorted((tuple(sorted(map(int, c[0]))), tuple(map(int, c[1]))) for c in concepts)


def rows_of(function, *args, **kwargs):
    """The result, and the rows that were warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = function(*args, **kwargs)
    mine = [w for w in caught if issubclass(w.category, SpikemineElephantWarning)]
    assert all(w.filename == __file__ for w in mine), "a warning must name the caller's line"
    return result, {w.message.row for w in mine}


def types(value):
    """The types inside a result."""
    if isinstance(value, dict):
        return {key: types(own) for key, own in value.items()}
    if isinstance(value, (list, tuple)) and len(value):
        return type(value), types(value[0])
    return type(value)


# ---- equal to Elephant ---------------------------------------------------------------------------------------


def test_concepts_spectra_and_matrix_of_30_recordings():
    n_found = 0
    for random in cases(30):
        trains, width, winlen, limits = draw_call(random)
        wanted, matrix = theirs.concepts_mining(trains, width, winlen, **limits)
        found, own = ours.concepts_mining(trains, width, winlen, **limits)
        assert canonical(found) == canonical(wanted)
        assert types(found) == types(wanted)
        assert own.dtype == matrix.dtype and np.array_equal(own, matrix)
        if winlen > 1:  # the order that Elephant's algorithm makes
            assert [len(c[1]) for c in found] == [len(c[1]) for c in wanted]
        for report in ("#", "3d#"):
            spectrum = theirs.concepts_mining(trains, width, winlen, report=report, **limits)[0]
            mine = ours.concepts_mining(trains, width, winlen, report=report, **limits)[0]
            assert np.array_equal(mine, spectrum) and mine.dtype == spectrum.dtype
        n_found += len(found)
    assert n_found > 100


def is_later_end(items, pattern, winlen):
    """Whether the items are spikes of the pattern, seen from a window that starts later."""
    return any({i + shift for i in items if i % winlen + shift < winlen} <= set(pattern)
               and all(i % winlen + shift < winlen for i in items) for shift in range(1, winlen))


def test_max_spikes_makes_no_new_patterns():
    """Elephant's module lists parts of larger patterns, too; they are left out here. What it does not list is the
    later end of a pattern that the limit hides: the moving-window step looks at reported patterns only."""
    for random in cases(10):
        trains, width, winlen, limits = draw_call(random)
        limits["max_spikes"] = limits["min_spikes"] + 1
        found = set(canonical(ours.concepts_mining(trains, width, winlen, **limits)[0]))
        wanted = set(canonical(theirs.concepts_mining(trains, width, winlen, **limits)[0]))
        del limits["max_spikes"]
        larger = canonical(theirs.concepts_mining(trains, width, winlen, **limits)[0])
        for items, windows in wanted - found:
            assert len(items) <= limits["min_spikes"] + 1
            assert any(len(c[0]) > len(items) and len(c[1]) == len(windows)
                       and (set(items) < set(c[0]) or is_later_end(items, c[0], winlen)) for c in larger)
        for items, windows in found - wanted - set(larger):
            assert any(len(c[0]) > limits["min_spikes"] + 1 and len(c[1]) == len(windows)
                       and is_later_end(items, c[0], winlen) for c in larger)


def test_a_binned_train_and_a_list_are_the_same():
    for random in cases(5):
        trains, width, winlen, limits = draw_call(random)
        binned = conversion.BinnedSpikeTrain(trains, bin_size=width, tolerance=None)
        assert ours.concepts_mining(binned, width, winlen, **limits)[0] == \
            ours.concepts_mining(trains, width, winlen, **limits)[0]


@pytest.mark.parametrize("spectrum", ["#", "3d#"])
def test_the_whole_call_given_the_same_surrogates(spectrum, monkeypatch):
    """Elephant's spade with our p-value spectrum and the order of our concepts, and ours with the same seed. In a
    tie the reduction keeps the first pattern of the list, and Elephant's order is arbitrary."""
    mine_theirs = theirs.concepts_mining

    def in_our_order(*args, **kwargs):
        concepts, matrix = mine_theirs(*args, **kwargs)
        place = {canonical([c])[0]: k for k, c in enumerate(ours.concepts_mining(*args, **kwargs)[0])}
        return sorted(concepts, key=lambda c: place[canonical([c])[0]]), matrix

    monkeypatch.setattr(theirs, "concepts_mining", in_our_order)
    monkeypatch.setattr(theirs, "pvalue_spectrum", lambda *a, **k: ours.pvalue_spectrum(*a, seed=5, **k))
    n_patterns = 0
    for k, random in enumerate(cases(200)):
        if k >= 15 and n_patterns > 5:
            break
        trains, width, winlen, limits = draw_call(random)
        options = dict(limits, n_surr=30, dither=10 * pq.ms, spectrum=spectrum, alpha=None if k % 2 else 0.3,
                       stat_corr=str(random.choice(["fdr_bh", "holm", "no", "bonferroni"])),
                       psr_param=[None, [0, 0, 0], [2, 2, 2]][k % 3])
        wanted = theirs.spade(trains, width, winlen, **options)
        found = ours.spade(trains, width, winlen, seed=5, **options)
        assert set(found) == set(wanted)
        assert found["pvalue_spectrum"] == wanted["pvalue_spectrum"]
        assert found["non_sgnf_sgnt"] == wanted["non_sgnf_sgnt"]
        assert types(found["non_sgnf_sgnt"]) == types(wanted["non_sgnf_sgnt"])
        key = lambda p: (sorted(map(int, p["itemset"])), tuple(p["windows_ids"]))  # noqa: E731
        for mine, their in zip(sorted(found["patterns"], key=key), sorted(wanted["patterns"], key=key), strict=True):
            assert key(mine) == key(their)
            assert list(mine) == list(their) and types(mine) == types(their)
            assert mine["signature"] == their["signature"] and mine["pvalue"] == their["pvalue"]
            assert np.array_equal(mine["lags"], their["lags"]) and mine["lags"].units == their["lags"].units
            assert np.array_equal(mine["times"], their["times"]) and mine["times"].units == their["times"].units
            n_patterns += 1
    assert n_patterns > 5


def columns_of(maxima, by_duration):
    """Columns of the library from Elephant's array of maxima, sizes from 2."""
    steps, first = [], [0]
    for row in maxima.reshape(len(maxima), maxima.shape[1], -1).astype(int):
        for duration in range(row.shape[1]):
            falling = row[:, duration]
            steps += [(2 + z, duration, falling[z]) for z in range(len(falling))
                      if falling[z] and (z + 1 == len(falling) or falling[z + 1] < falling[z])]
        first.append(len(steps))
    columns = ffi.new("spk_maxima_columns *")
    kept = [ffi.new("uint64_t[]", list(range(1, len(maxima) + 1))), ffi.new("uint64_t[]", first),
            ffi.new("spk_pattern_maximum[]", [tuple(map(int, s)) for s in steps] or [(2, 0, 1)])]
    columns.n, columns.by_duration = len(maxima), by_duration
    columns.surrogate, columns.first, columns.maximum = kept
    return columns, kept


def our_spectrum(maxima, spectrum, corrected=False):
    columns, kept = columns_of(maxima, spectrum == "3d#")
    with session() as own:
        made = _significance._spectrum(own, columns, _mining.Limits(corrected=corrected), spectrum, len(maxima))
    del kept
    return made


def random_maxima(random, spectrum, winlen=3, scale=9):
    shape = (int(random.integers(1, 50)), 5) + ((winlen,) if spectrum == "3d#" else ())
    raw = random.integers(0, scale, shape)
    raw[raw < 2] = 0
    return np.maximum.accumulate(raw[:, ::-1], axis=1)[:, ::-1].astype(np.uint16)


@pytest.mark.parametrize("spectrum", ["#", "3d#"])
def test_spectrum_and_test_given_the_same_maxima(spectrum):
    for random in cases(12):
        maxima = random_maxima(random, spectrum)
        wanted = theirs._get_pvalue_spec(maxima, 2, 6, 2, len(maxima), 3, spectrum)
        found = our_spectrum(maxima, spectrum)
        assert found == wanted and types(found) == types(wanted)
        if not wanted:
            continue
        assert [type(x) for x in found[0]] == [type(x) for x in wanted[0]]
        concepts = [((int(random.integers(0, 3)), *(3 * u for u in range(1, int(random.integers(2, 7))))),
                     tuple(range(int(random.integers(2, 10))))) for _ in range(20)]
        for report in ("spectrum", "significant", "non_significant"):
            for corr in ("fdr_bh", "holm", "fdr_tsbky", "no"):
                args = (concepts, 0.2, 3, corr, report, spectrum)
                there = theirs.test_signature_significance(wanted, *args)
                here = ours.test_signature_significance(found, *args)
                assert here == there and types(here) == types(there)


def test_a_spectrum_of_one_entry_is_never_tested():
    for function in (theirs.test_signature_significance, ours.test_signature_significance):
        assert function([[2, 3, 0.01]], [((0, 1), (1, 2, 3))], 0.05, 1) == [(2.0, 3.0, False)]


@pytest.mark.parametrize("spectrum", ["#", "3d#"])
def test_the_reduction(spectrum):
    n_rejected = 0
    for k, random in enumerate(cases(200)):
        if k >= 15 and n_rejected > 10:
            break
        trains, width, winlen, limits = draw_call(random)
        concepts = theirs.concepts_mining(trains, width, winlen, **limits)[0][:80]
        signatures = sorted({(len(c[0]), len(c[1])) + ((max(i % winlen for i in c[0]),) if spectrum == "3d#" else ())
                             for c in concepts})
        rejected = [s for s in signatures if random.random() < 0.3]
        h, k, l = map(int, random.integers(0, 3, 3))  # noqa: E741
        args = (concepts, rejected, winlen, spectrum, h, k, l, 2, 2)
        wanted = theirs.pattern_set_reduction(*args)
        assert ours.pattern_set_reduction(*args) == wanted
        n_rejected += len(concepts) - len(wanted)
    assert n_rejected > 10


def test_stability_of_all_subsets():
    n_compared = 0
    for random in cases(30):
        trains, width, winlen, limits = draw_call(random)
        concepts, matrix = theirs.concepts_mining(trains, width, winlen, **limits)
        concepts = [c for c in concepts if len(c[0]) < 7 and len(c[1]) < 7][:10]
        wanted = theirs.approximate_stability(concepts, matrix, n_subsets=129)
        found = ours.approximate_stability(concepts, matrix, n_subsets=129)
        assert types(found) == types(wanted)
        for mine, their in zip(found, wanted, strict=True):
            assert np.array_equal(mine[0], their[0]) and np.array_equal(mine[1], their[1])
            assert abs(mine[2] - their[2]) < 1e-12 and abs(mine[3] - their[3]) < 1e-12
            n_compared += 1
    assert n_compared > 50


def test_stability_where_all_spikes_are_in_one_pattern():
    """The empty set of windows has all items; windows without a spike contain the empty set."""
    trains = [train([100, 300, 700]) for _ in range(3)]
    concepts, matrix = theirs.concepts_mining(trains, 10 * pq.ms, 1)
    wanted = theirs.approximate_stability(concepts, matrix, n_subsets=100)
    assert ours.approximate_stability(concepts, matrix, n_subsets=100)[0][2:] == wanted[0][2:]


def test_the_spectrum_is_elephants_but_for_chance():
    random = np.random.default_rng(3)
    trains = [train(np.sort(random.random(60)) * 2000, 2000) for _ in range(4)]
    np.random.seed(1)
    args = (trains, 5 * pq.ms, 4, 20 * pq.ms, 150)
    wanted = {tuple(e[:2]): e[2] for e in theirs.pvalue_spectrum(*args)}
    found = {tuple(e[:2]): e[2] for e in ours.pvalue_spectrum(*args)}
    for key in set(wanted) | set(found):
        assert abs(wanted.get(key, 0) - found.get(key, 0)) < 0.2, key


METHODS = {"joint_isi_dithering": {}, "isi_dithering": {}, "bin_shuffling": {}, "jitter_spikes": {},
           "randomise_spikes": {}, "shuffle_isis": {}, "dither_spike_train": {"edges": False},
           "dither_spikes_with_refractory_period": {}, "dither_spikes": {"refractory_period": 3 * pq.ms},
           "trial_shifting": {"trial_length": 400 * pq.ms, "trial_separation": 100 * pq.ms}}


@pytest.mark.parametrize("method", METHODS)
def test_every_method_makes_a_spectrum(method):
    random = np.random.default_rng(4)
    trains = [train(np.sort(random.random(50)) * 999) for _ in range(4)]
    made = ours.pvalue_spectrum(trains, 5 * pq.ms, 3, 15 * pq.ms, 20, surr_method=method, **METHODS[method])
    assert made and made[0][:2] == [2, 2] and made[0][2] == 1


# ---- where Elephant errs: both answers -----------------------------------------------------------------------


def test_row_1_items_of_two_neurons_are_not_one_spike():
    first, second, harmless = ((0, 5), (10, 20, 30)), ((10, 4), (11, 21, 31)), ((10, 3), (11, 21, 31))
    assert rows_of(ours.pattern_set_reduction, [first, second], [], 5, "#") == ([first], {1})
    assert theirs.pattern_set_reduction([first, second], [], 5, "#") == [first]
    assert rows_of(ours.pattern_set_reduction, [first, harmless], [], 5, "#") == ([first, harmless], set())
    both = rows_of(ours.pattern_set_reduction, [first, second], [], 5, "#", corrected=True)
    assert both == ([first, second], set())


def test_row_2_a_neighbour_takes_no_verdict_away():
    spectrum = [[3, c, 0.01] for c in range(3, 8)]
    for other, rows in ((6, {2}), (7, set())):
        concepts = [((0, 3, 6), tuple(range(c))) for c in (5, other)]
        args = (spectrum, concepts, 0.05, 3, "fdr_bh", "significant")
        found, warned = rows_of(ours.test_signature_significance, *args)
        assert found == theirs.test_signature_significance(*args) and warned == rows
        corrected = rows_of(ours.test_signature_significance, *args, corrected=True)
        assert corrected == ([(3.0, 5.0), (3.0, float(other))], set())


def test_row_3_large_counts_do_not_empty_the_spectrum():
    maxima = np.array([[40000, 0], [32760, 0]], np.uint16)
    assert theirs._get_pvalue_spec(maxima, 2, 3, 2, 2, 1, "#") == []
    columns, kept = columns_of(maxima, False)
    limits = _mining.Limits()
    with session() as own:
        found, warned = rows_of(lambda: _significance._spectrum(own, columns, limits, "#", 2))
        assert found == [] and warned == {3}
        limits.corrected = True
        corrected, warned = rows_of(lambda: _significance._spectrum(own, columns, limits, "#", 2))
    del kept
    assert corrected[0] == [2, 2, 1.0] and corrected[-1] == [2, 40000, 2 / 3] and not warned


def planted(n=3, n_times=9):
    return [train(50 + 100 * np.arange(n_times) + 3 * u) for u in range(n)]


def test_row_4_p_is_never_zero():
    args = dict(bin_size=1 * pq.ms, winlen=8, n_surr=9, alpha=0.05, dither=20 * pq.ms, seed=1)
    found, rows = rows_of(ours.spade, planted(), **args)
    assert [p["pvalue"] for p in found["patterns"]] == [0.0] and rows == {4}
    corrected, rows = rows_of(ours.spade, planted(), corrected=True, **args)
    assert corrected["patterns"] == [] and rows == set() and corrected["non_sgnf_sgnt"][-1] == (3.0, 9.0)
    args.update(n_surr=99)
    corrected = ours.spade(planted(), corrected=True, **args)
    assert [p["pvalue"] for p in corrected["patterns"]] == [1 / 100]


@pytest.mark.parametrize("method", ["joint_isi_dithering", "isi_dithering"])
def test_row_5_the_dither_is_honoured(method):
    random = np.random.default_rng(5)
    one = train(np.cumsum(random.gamma(4, 8, 60)) + 5, 3000)
    args = dict(n_surrogates=20, method=method, dt=5 * pq.ms)

    def farthest(made):
        return max(np.abs(s.magnitude - one.magnitude).max() for s in made)

    found, rows = rows_of(ours.surrogates, one, **args)
    assert farthest(found) > 8 and rows == {5} and farthest(surr.surrogates(one, **args)) > 8
    corrected, rows = rows_of(ours.surrogates, one, corrected=True, **args)
    assert farthest(corrected) <= 5.001 and rows == set()


def test_row_6_windows_begin_at_the_start_once():
    one = train([101, 118, 134], 1000, 100)  # spikes at 101 ms are put behind 200 ms
    (found,), rows = rows_of(ours.jitter_spikes, one, 20 * pq.ms)
    there = surr.jitter_spikes(one, 20 * pq.ms)[0]
    assert rows == {6} and found.magnitude.min() > 300 and there.magnitude.min() > 300
    (corrected,), rows = rows_of(ours.jitter_spikes, one, 20 * pq.ms, corrected=True)
    assert rows == set() and np.array_equal((corrected.magnitude - 100) // 20, [0, 0, 1])


def test_row_7_one_seed():
    one = train(np.cumsum(np.random.default_rng(6).gamma(4, 8, 60)) + 5, 3000)

    def twice(function):
        made = []
        for _ in range(2):
            np.random.seed(1)
            made.append(function(one).dithering()[0].magnitude)
        return np.array_equal(*made)

    assert twice(ours.JointISI) and not twice(surr.JointISI)
    first, again = (ours.dither_spikes(one, 5 * pq.ms, seed=3)[0] for _ in range(2))
    assert np.array_equal(first, again)


def test_row_8_bins_are_exact():
    one = neo.SpikeTrain([0.05, 0.29, 0.57, 0.7] * pq.s, t_stop=1.25 * pq.s)
    wanted = conversion.BinnedSpikeTrain([one, one], bin_size=0.01 * pq.s, tolerance=None)
    (found, _), rows = rows_of(ours.concepts_mining, [one, one], 0.01 * pq.s, 1)
    assert rows == {8}
    assert list(found[0][1]) == list(np.flatnonzero(wanted.to_bool_array()[0])) != [5, 29, 57, 70]
    (corrected, _), rows = rows_of(ours.concepts_mining, [one, one], 0.01 * pq.s, 1, corrected=True)
    assert list(corrected[0][1]) == [5, 29, 57, 70] and rows == set()


def test_row_8_displacements_are_exact():
    one = train(np.arange(10.0, 9000, 200), 9000)
    args = dict(method="bin_shuffling", dt=0.3 * pq.s, bin_size=0.1 * pq.s)

    def keeps(made, bins):
        edges = np.arange(0, 9001, 100 * bins)
        return np.array_equal(np.histogram(made, edges)[0], np.histogram(one, edges)[0])

    (found,), rows = rows_of(ours.surrogates, one, seed=1, **args)
    assert rows == {8} and keeps(found, 4) and not keeps(found, 6) and keeps(surr.surrogates(one, **args)[0], 4)
    (corrected,), rows = rows_of(ours.surrogates, one, seed=1, corrected=True, **args)
    assert rows == set() and keeps(corrected, 6) and not keeps(corrected, 4)


def test_row_9_methods_that_lose_spikes_are_named():
    """A spike each 6 ms in bins of 5 ms: moved ones share bins."""
    trains = [train(np.arange(3, 995, 6.0)) for _ in range(3)]
    args = (trains, 5 * pq.ms, 1, 20 * pq.ms, 5)
    assert 9 in rows_of(ours.pvalue_spectrum, *args)[1]
    assert 9 not in rows_of(ours.pvalue_spectrum, *args, surr_method="bin_shuffling")[1]


def test_row_10_no_dense_matrix():
    random = np.random.default_rng(7)
    trains = [train(np.sort(random.random(20)) * 60000, 60000) for _ in range(20)]
    dense = 60000 * 20 * 30
    tracemalloc.start()
    ours.spade(trains, 1 * pq.ms, 30, min_spikes=3)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < dense / 5
    matrix = ours.concepts_mining(trains, 1 * pq.ms, 30, min_spikes=3, corrected=True)[1]
    assert matrix.shape == (60000, 600) and matrix.nnz < 20 * 20 * 30


def test_row_11_the_largest_count_is_honoured():
    trains = [train(10 + 20 * np.arange(12.0)), train(12 + 20 * np.arange(12.0)), train(15 + 20 * np.arange(5.0))]
    args = (trains, 1 * pq.ms, 8)
    (found, _), rows = rows_of(ours.concepts_mining, *args, max_occ=5)
    assert canonical(found) == canonical(theirs.concepts_mining(*args, max_occ=5)[0]) and rows == {11}
    assert max(len(c[1]) for c in found) == 12
    (corrected, _), rows = rows_of(ours.concepts_mining, *args, max_occ=5, corrected=True)
    assert [len(c[1]) for c in corrected] == [5] and rows == set()


# ---- patch, fim ----------------------------------------------------------------------------------------------


def test_patch_and_unpatch():
    before = theirs.spade, surr.surrogates, theirs.fim
    ours.patch()
    try:
        ours.patch()
        assert theirs.spade is ours.spade and surr.surrogates is ours.surrogates and theirs.HAVE_FIM
        assert theirs.spade(planted(), bin_size=1 * pq.ms, winlen=8)["patterns"][0]["signature"] == (3, 9)
        binned = conversion.BinnedSpikeTrain(planted()[0], 5 * pq.ms)
        sliding = surr.bin_shuffling(binned, 3, sliding=True)[0]  # Elephant's own does this
        assert sliding.n_bins == binned.n_bins
    finally:
        ours.unpatch()
    assert (theirs.spade, surr.surrogates, theirs.fim) == before
    ours.unpatch()


def test_fpgrowth_takes_elephants_keywords():
    random = np.random.default_rng(8)
    transactions = [sorted(set(map(int, random.integers(0, 12, random.integers(1, 7))))) for _ in range(60)]
    args = dict(target="c", supp=-2, zmin=2, zmax=9, report="a", algo="s", winlen=3, min_neu=2, threads=0, verbose=4)

    def sets(found):
        return sorted((tuple(sorted(items)), n) for items, n in found)

    wanted = [s for s in sets(theirs.fim.fpgrowth(tracts=transactions, **args)) if min(i % 3 for i in s[0]) == 0]
    assert sets(ours.fim.fpgrowth(tracts=transactions, **args)) == wanted
    assert ours.fim.fpgrowth([["a", "b"], ["b", "a"]], supp=-2, zmin=2) == [(("a", "b"), 2)]
    with pytest.raises(ValueError, match="closed"):
        ours.fim.fpgrowth(transactions, target="m")


def test_old_names_of_arguments():
    with pytest.warns(DeprecationWarning, match="bin_size"):
        assert ours.spade(planted(), binsize=1 * pq.ms, winlen=8)["patterns"]


def test_the_callers_dictionary_stays():
    pars = {"n_subsets": 10, "stability_thresh": [0.1, 0.1]}
    ours.spade(planted(), 1 * pq.ms, 8, approx_stab_pars=pars)
    assert "stability_thresh" in pars


def test_viziphant_draws_it():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    if not hasattr(pytest.importorskip("matplotlib.cm"), "get_cmap"):
        pytest.skip("viziphant needs matplotlib below 3.9")
    patterns = pytest.importorskip("viziphant.patterns")
    trains = planted()
    found = ours.spade(trains, 1 * pq.ms, 8, n_surr=20, alpha=0.05, dither=20 * pq.ms)
    assert patterns.plot_patterns(trains, found["patterns"]) is not None
    patterns.plot_patterns_statistics_all(found["patterns"])
