"""The published test against Elephant and statsmodels: given the same surrogate maxima, the p-value spectrum,
the corrections, the test, the reduction and the stability are Elephant's. Where Elephant errs, both answers
are shown.

The shared library is found beside the command (build/release/cli/spikemine, or what SPIKEMINE names), or where
SPIKEMINE_LIBRARY says. Random inputs come from SPIKEMINE_TEST_SEED, or a seed that the test prints.
"""

import ctypes
import gc
import os
import pathlib
import subprocess
import time

import pytest

np = pytest.importorskip("numpy")
neo = pytest.importorskip("neo")
pq = pytest.importorskip("quantities")
spade = pytest.importorskip("elephant.spade")
conversion = pytest.importorskip("elephant.conversion")
multitest = pytest.importorskip("statsmodels.stats.multitest")
pytestmark = pytest.mark.filterwarnings("ignore")

SOURCE = pathlib.Path(__file__).resolve().parents[2]
COMMAND = pathlib.Path(os.environ.get("SPIKEMINE", SOURCE / "build/release/cli/spikemine"))
LIBRARY = pathlib.Path(os.environ.get("SPIKEMINE_LIBRARY", COMMAND.parent.parent / "src/libspikemine.so"))
CORRECTIONS = ["bonferroni", "sidak", "holm-sidak", "holm", "simes-hochberg", "hommel",
               "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky"]

if not LIBRARY.exists():
    pytest.skip(f"no library {LIBRARY}; build it or set SPIKEMINE_LIBRARY", allow_module_level=True)
spk = ctypes.CDLL(str(LIBRARY))
gc.freeze()  # Holm's correction of statsmodels collects garbage in each call: not among what was imported

# ---- the interface ---------------------------------------------------------------------------------------

u8, u32, u64, i32 = ctypes.c_uint8, ctypes.c_uint32, ctypes.c_uint64, ctypes.c_int32
f64, flag, pointer = ctypes.c_double, ctypes.c_bool, ctypes.c_void_p


class Maximum(ctypes.Structure):
    _fields_ = [("size", u32), ("duration", u32), ("count", u32)]


class Maxima(ctypes.Structure):
    _fields_ = [("n", u64), ("by_duration", flag), ("surrogate", ctypes.POINTER(u64)),
                ("first", ctypes.POINTER(u64)), ("maximum", ctypes.POINTER(Maximum))]


class PvalueOptions(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("min_spikes", u32), ("support", u64), ("supports", pointer),
                ("published", flag)]


class Pvalue(ctypes.Structure):
    _fields_ = [("size", u32), ("duration", u32), ("count", u32), ("n_above", u64), ("p", f64),
                ("p_published", f64)]


class Entry(ctypes.Structure):
    _fields_ = [("size", u32), ("count", u32), ("duration", u32), ("n_patterns", u64)]


class SignatureOptions(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("alpha", f64), ("correction", ctypes.c_char_p),
                ("published", flag), ("min_spikes", u32), ("support", u64)]


class Signature(ctypes.Structure):
    _fields_ = [("size", u32), ("count", u32), ("duration", u32), ("n_patterns", u64), ("n_above", u64),
                ("p", f64), ("p_published", f64), ("p_corrected", f64), ("tested", flag), ("significant", flag)]


class Columns(ctypes.Structure):
    _fields_ = [("n", u64), ("window", u32), ("offset", ctypes.POINTER(u64)), ("item", ctypes.POINTER(u32)),
                ("count", ctypes.POINTER(u32))]


class ReduceOptions(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("h", i32), ("k", i32), ("l", i32), ("min_spikes", u32),
                ("support", u64), ("supports", pointer), ("maxima", ctypes.POINTER(Maxima)),
                ("signatures", ctypes.POINTER(Signature)), ("n_signatures", u64), ("published", flag)]


class StabilityOptions(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("epsilon", f64), ("delta", f64), ("n_subsets", u64),
                ("seed", u64)]


def made(options, init, **values):
    """An options struct with its defaults and these values."""
    this = options()
    getattr(spk, init)(ctypes.byref(this), ctypes.c_size_t(ctypes.sizeof(this)))
    for name, value in values.items():
        setattr(this, name, value)
    return this


def array(kind, values):
    return (kind * max(1, len(values)))(*values)


def maxima_of(surrogates, by_duration):
    """Columns of surrogates, each a list of (size, count, duration): per duration the steps of M(z)."""
    steps, first = [], [0]
    for patterns in surrogates:
        for duration in sorted({d if by_duration else 0 for _, _, d in patterns}):
            best, mine = 0, []
            for size in sorted({z for z, _, _ in patterns}, reverse=True):
                count = max((c for z, c, d in patterns if z == size and (not by_duration or d == duration)),
                            default=0)
                if count > best:
                    best = count
                    mine.append(Maximum(size, duration, count))
            steps += reversed(mine)
        first.append(len(steps))
    this = Maxima(len(surrogates), by_duration)
    this.surrogate = array(u64, range(1, len(surrogates) + 1))
    this.first = array(u64, first)
    this.maximum = array(Maximum, steps)
    return this


def pvalues(maxima, published, **values):
    options = made(PvalueOptions, "spk_pvalue_options_init", published=published, **values)
    out, n = ctypes.POINTER(Pvalue)(), u64()
    assert spk.spk_pvalue_spectrum(None, ctypes.byref(maxima), ctypes.byref(options), ctypes.byref(out),
                                   ctypes.byref(n)) == 0
    return [(p.size, p.count, p.duration, p.p_published, p.p) for p in out[:n.value]]


def verdicts_of(maxima, observed, published, alpha, correction, **values):
    """The signatures with their verdicts, in the order of size, count, duration."""
    options = made(SignatureOptions, "spk_signature_options_init", published=published, alpha=alpha,
                   correction=correction.encode(), **values)
    entries = array(Entry, [Entry(z, c, d, 1) for z, c, d in sorted(observed)])
    out = (Signature * max(1, len(observed)))()
    assert spk.spk_signatures_test(None, ctypes.byref(maxima), entries, u64(len(observed)),
                                   ctypes.byref(options), out) == 0
    return out


def windows_of(raster, n_bins, winlen):
    """A line for each bin, so that windows are numbered like bins; empty where no spike begins a window."""
    lines = [" ".join(str(u * winlen + lag) for u, bins in enumerate(raster) for lag in range(winlen)
                      if b + lag in bins and any(b in others for others in raster)) for b in range(n_bins)]
    text = ("\n".join(lines) + "\n").encode()
    windows = pointer()
    assert spk.spk_windows_parse_transactions(None, b"text", text, ctypes.c_size_t(len(text)), u32(len(raster)),
                                              u32(winlen), ctypes.byref(windows)) == 0
    return windows


def columns_of(concepts, winlen):
    """Patterns with items by lag, then unit."""
    intents = [sorted(map(int, c[0]), key=lambda item: (item % winlen, item)) for c in concepts]
    this = Columns(len(concepts), winlen)
    this.offset = array(u64, [0, *np.cumsum([len(i) for i in intents])])
    this.item = array(u32, [item for i in intents for item in i])
    this.count = array(u32, [len(c[1]) for c in concepts])
    return this


# ---- random inputs ---------------------------------------------------------------------------------------

SEED = int(os.environ.get("SPIKEMINE_TEST_SEED", time.time()))


def cases(n):
    print(f"SPIKEMINE_TEST_SEED={SEED}")
    return [np.random.default_rng((SEED, k)) for k in range(n)]


def random_surrogates(random, winlen, scale=9):
    """For each surrogate the (size, count, duration) of its patterns."""
    return [[(int(random.integers(2, 7)), int(random.integers(2, 2 + scale)), int(random.integers(0, winlen)))
             for _ in range(random.integers(0, 9))] for _ in range(random.integers(1, 60))]


def elephant_maxima(surrogates, winlen, spectrum, max_spikes=7):
    rows = []
    for patterns in surrogates:
        width = 2 if spectrum == "#" else 3
        concepts = np.array([p[:width] for p in patterns]).reshape(-1, width)
        rows.append(spade._get_max_occ(concepts, 2, max_spikes, winlen, spectrum))
    return np.array(rows).astype(np.uint16)


def elephant_spectrum(surrogates, winlen, spectrum):
    return spade._get_pvalue_spec(elephant_maxima(surrogates, winlen, spectrum), 2, 7, 2, len(surrogates), winlen,
                                  spectrum)


def fake_concepts(observed, winlen):
    """Concepts that have these signatures."""
    return [((d, *(winlen * u for u in range(1, z))), tuple(range(c))) for z, c, d in observed]


def random_raster(random):
    n_units, n_bins = int(random.integers(2, 6)), int(random.integers(30, 80))
    rate = random.uniform(0.02, 0.12)
    raster = [{b for b in range(n_bins) if random.random() < rate} for _ in range(n_units)]
    for _ in range(int(random.integers(3, 7))):
        start = int(random.integers(0, n_bins - 6))
        for u in range(n_units):
            if random.random() < 0.85:
                raster[u].add(start + (2 * u) % 5)
    return raster, n_bins


def binned(raster, n_bins):
    matrix = np.zeros((len(raster), n_bins), dtype=bool)
    for u, bins in enumerate(raster):
        matrix[u, sorted(bins)] = True
    return conversion.BinnedSpikeTrain(matrix, bin_size=5 * pq.ms, t_start=0 * pq.ms,
                                       t_stop=n_bins * 5 * pq.ms)


def mined(raster, n_bins, winlen, **limits):
    return spade.concepts_mining(binned(raster, n_bins), 5 * pq.ms, winlen, report="a", **limits)


# ---- equal to Elephant -----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", CORRECTIONS)
def test_corrections_are_those_of_statsmodels(method):
    for k, random in enumerate(cases(150)):
        n = int(random.integers(1, 40)) if k else 2500
        steps = int(random.integers(1, 500))
        p = random.integers(0, steps + 1, n) / steps if random.random() < 0.7 else random.random(n) ** 4
        alpha = float(random.choice([0.01, 0.05, 0.1, 0.3]))
        rejected, corrected = (u8 * n)(), (f64 * n)()
        assert spk.spk_correct(None, method.encode(), f64(alpha), u64(n), array(f64, p), rejected, corrected) == 0
        with np.errstate(all="ignore"):
            wanted = multitest.multipletests(p, alpha, method)
        assert [bool(r) for r in rejected] == list(wanted[0])
        np.testing.assert_allclose(list(corrected), wanted[1], rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("spectrum", ["#", "3d#"])
def test_the_spectrum_is_elephants(spectrum):
    for random in cases(150):
        winlen = int(random.integers(1, 5))
        surrogates = random_surrogates(random, winlen)
        wanted = [(int(e[0]), int(e[1]), int(e[2]) if spectrum == "3d#" else 0, float(e[-1]))
                  for e in elephant_spectrum(surrogates, winlen, spectrum)]
        ours = pvalues(maxima_of(surrogates, spectrum == "3d#"), True)
        assert [p[:4] for p in ours] == wanted
        n = len(surrogates)
        assert all(abs(p[4] - (p[3] * n + 1) / (n + 1)) < 1e-12 for p in ours)


@pytest.mark.parametrize("spectrum", ["#", "3d#"])
@pytest.mark.parametrize("method", CORRECTIONS + ["none"])
def test_verdicts_are_elephants(spectrum, method):
    by_duration = spectrum == "3d#"
    for random in cases(60):
        winlen = int(random.integers(1, 5))
        surrogates = random_surrogates(random, winlen)
        observed = sorted({(int(random.integers(2, 8)), int(random.integers(2, 13)),
                            int(random.integers(0, winlen)) if by_duration else 0) for _ in range(25)})
        alpha = float(random.choice([0.01, 0.05, 0.2, 0.6]))
        signatures = verdicts_of(maxima_of(surrogates, by_duration), observed, True, alpha, method)
        concepts = fake_concepts(observed, winlen)
        listed = elephant_spectrum(surrogates, winlen, spectrum)
        rejected = set()
        if listed:
            with np.errstate(all="ignore"):
                rejected = {tuple(int(x) for x in s) for s in spade.test_signature_significance(
                    listed, concepts, alpha, winlen, corr="no" if method == "none" else method,
                    report="non_significant", spectrum=spectrum)}
        for s, signature in zip(signatures, observed):
            key = signature if by_duration else signature[:2]
            assert s.significant == (key not in rejected), signature


def not_significant(surrogates, concepts, winlen, spectrum, alpha):
    listed = elephant_spectrum(surrogates, winlen, spectrum)
    return spade.test_signature_significance(listed, concepts, alpha, winlen, corr="fdr_bh",
                                             report="non_significant", spectrum=spectrum) if listed else []


def apart(concepts, winlen):
    """The same patterns with units 2 * winlen items apart: no shift below winlen makes spikes of two units equal,
    so that Elephant shifts lags."""
    return [(tuple(2 * winlen * (i // winlen) + i % winlen for i in map(int, c[0])), tuple(map(int, c[1])))
            for c in concepts]


@pytest.mark.parametrize("spectrum", ["#", "3d#"])
def test_the_reduction_is_elephants(spectrum):
    n_rejected = n_kept = 0
    for random in cases(80):
        winlen = int(random.integers(1, 7))
        raster, n_bins = random_raster(random)
        concepts = mined(raster, n_bins, winlen, min_occ=int(random.integers(2, 4)))[0]
        if not 1 < len(concepts) < 60:
            continue
        surrogates = random_surrogates(random, winlen, scale=4)
        h, k, l, least = (int(x) for x in random.integers([0, 0, 0, 2], [4, 4, 4, 4]))
        alpha = float(random.choice([0.05, 0.3]))
        rejected = not_significant(surrogates, concepts, winlen, spectrum, alpha)
        kept = spade.pattern_set_reduction(
            apart(concepts, winlen), rejected, winlen=winlen, spectrum=spectrum, h_subset_filtering=h,
            k_superset_filtering=k, l_covered_spikes=l, min_spikes=2, min_occ=least)
        maxima = maxima_of(surrogates, spectrum == "3d#")
        observed = {(len(c[0]), len(c[1]), max(int(i) % winlen for i in c[0]) if spectrum == "3d#" else 0)
                    for c in concepts}
        signatures = verdicts_of(maxima, observed, True, alpha, "fdr_bh")
        options = made(ReduceOptions, "spk_reduce_options_init", h=h, k=k, l=l, min_spikes=2, support=least,
                       maxima=ctypes.pointer(maxima), n_signatures=len(observed), published=True)
        options.signatures = signatures
        windows, columns, keep = windows_of(raster, n_bins, winlen), columns_of(concepts, winlen), \
            (u8 * len(concepts))()
        assert spk.spk_pattern_reduce(None, windows, ctypes.byref(columns), ctypes.byref(options), keep) == 0
        spk.spk_windows_free(windows)
        assert [c for c, yes in zip(apart(concepts, winlen), keep) if yes] == list(kept)
        n_kept += len(kept)
        n_rejected += len(concepts) - len(kept)
    assert n_kept > 20 and n_rejected > 20


def stability(raster, n_bins, winlen, concepts, **values):
    n = len(concepts)
    windows, columns = windows_of(raster, n_bins, winlen), columns_of(concepts, winlen)
    options = made(StabilityOptions, "spk_stability_options_init", **values)
    intensional, extensional = (f64 * n)(), (f64 * n)()
    assert spk.spk_pattern_stability(None, windows, ctypes.byref(columns), ctypes.byref(options), intensional,
                                     extensional) == 0
    spk.spk_windows_free(windows)
    return list(intensional), list(extensional)


def test_stability_of_all_parts_is_elephants():
    n_compared = 0
    for random in cases(60):
        winlen = int(random.integers(1, 6))
        raster, n_bins = random_raster(random)
        concepts, matrix = mined(raster, n_bins, winlen)
        concepts = [c for c in concepts if len(c[0]) <= 7 and len(c[1]) <= 7][:8]
        if not concepts:
            continue
        wanted = spade.approximate_stability(concepts, matrix, n_subsets=129)
        ours = stability(raster, n_bins, winlen, concepts, n_subsets=129)
        np.testing.assert_allclose(ours[0], [w[2] for w in wanted], rtol=0, atol=1e-12)
        np.testing.assert_allclose(ours[1], [w[3] for w in wanted], rtol=0, atol=1e-12)
        n_compared += len(concepts)
    assert n_compared > 50


def test_stability_of_random_parts_is_elephants_within_the_error():
    np.random.seed(1)
    far = n = 0
    for random in cases(12):
        raster, n_bins = random_raster(random)
        concepts, matrix = mined(raster, n_bins, 4)
        concepts = [c for c in concepts if len(c[1]) >= 10][:5]
        if not concepts:
            continue
        wanted = spade.approximate_stability(concepts, matrix, epsilon=0.1, delta=0.05)
        ours = stability(raster, n_bins, 4, concepts, epsilon=0.1, delta=0.05, seed=SEED)
        for x, w in zip(ours[1], wanted):
            far += abs(x - w[3]) > 0.2  # each has its own error of 0.1
            n += 1
    assert far <= 1 + n // 10


# ---- where Elephant errs ---------------------------------------------------------------------------------


def reduced_by_elephant(concepts):
    return spade.pattern_set_reduction(concepts, [], winlen=5, spectrum="#", h_subset_filtering=0,
                                       k_superset_filtering=0, l_covered_spikes=0, min_spikes=2, min_occ=2)


def reduced_by_us(concepts):
    raster = [set() for _ in range(3)]
    for intent, extent in concepts:
        for item in intent:
            raster[item // 5] |= {w + item % 5 for w in extent}
    windows, columns, keep = windows_of(raster, 40, 5), columns_of(concepts, 5), (u8 * 2)()
    assert spk.spk_pattern_reduce(None, windows, ctypes.byref(columns), None, keep) == 0
    spk.spk_windows_free(windows)
    return [c for c, yes in zip(concepts, keep) if yes]


def test_row_1_items_of_two_units_are_not_one_spike():
    # Shifted by one, unit 1 at lag 0 (item 5) becomes item 4, which is unit 0 at lag 4.
    first, second = ((0, 5), (10, 20, 30)), ((10, 4), (11, 21, 31))
    harmless = ((10, 3), (11, 21, 31))
    assert reduced_by_elephant([first, second]) == [first]
    assert reduced_by_elephant([first, harmless]) == [first, harmless]
    assert reduced_by_us([first, second]) == [first, second]
    assert reduced_by_us([first, harmless]) == [first, harmless]


def significant_in_elephant(surrogates, observed, alpha=0.05):
    listed = elephant_spectrum(surrogates, 3, "#")
    bad = spade.test_signature_significance(listed, fake_concepts(observed, 3), alpha, 3, corr="fdr_bh",
                                            report="non_significant", spectrum="#") if listed else []
    return [s for s in observed if s[:2] not in {tuple(int(x) for x in b) for b in bad}]


def significant_to_us(surrogates, observed, published):
    out = verdicts_of(maxima_of(surrogates, False), observed, published, 0.05, "fdr_bh")
    return [s for s, o in zip(observed, out) if o.significant]


def test_row_2_a_neighbour_takes_no_verdict_away():
    surrogates = [[(3, 2, 0)]] * 99 + [[(3, 7, 0)]]
    for other, elephant in ((7, [5, 7]), (6, [6])):
        observed = [(3, 5, 0), (3, other, 0)]
        assert [c for _, c, _ in significant_in_elephant(surrogates, observed)] == elephant
        assert [c for _, c, _ in significant_to_us(surrogates, observed, True)] == elephant
        assert [c for _, c, _ in significant_to_us(surrogates, observed, False)] == [5, other]


def test_row_3_large_counts_do_not_empty_the_spectrum():
    surrogates = [[(3, 32760, 0)]] * 3 + [[(3, 40000, 0)]]
    observed = [(3, 30000, 0)]
    assert elephant_spectrum(surrogates, 3, "#") == []
    assert significant_in_elephant(surrogates, observed) == observed
    assert pvalues(maxima_of(surrogates, False), True) == []
    assert significant_to_us(surrogates, observed, True) == observed
    ours = {(z, c): p for z, c, _, _, p in pvalues(maxima_of(surrogates, False), False, min_spikes=3,
                                                   support=29999)}
    assert ours[3, 30000] == 1 and ours[3, 40000] == 2 / 5 and (3, 40001) not in ours
    assert significant_to_us(surrogates, observed, False) == []


def test_row_4_p_is_never_zero():
    surrogates = [[(3, 4, 0)]] * 9
    observed = [(3, 5, 0)]
    assert significant_in_elephant(surrogates, observed) == observed
    signature = verdicts_of(maxima_of(surrogates, False), observed, False, 0.05, "fdr_bh")[0]
    assert signature.p_published == 0 and signature.p == 1 / 10 and not signature.significant


def ours_mined(tmp_path, raster, n_bins, winlen, *more):
    text = "".join(f"{b * 5 / 1000:.3f} {u}\n" for b, u in sorted((b, u) for u, s in enumerate(raster) for b in s))
    (tmp_path / "spikes.txt").write_text(text, encoding="ascii")
    table = subprocess.run([COMMAND, "patterns", tmp_path / "spikes.txt", "--columns", "time,unit", "--bin", "5ms",
                            "--window", str(winlen), "--min-spikes", "2", "--support", "2", *more],
                           check=True, capture_output=True, text=True).stdout
    rows = [line.split("\t") for line in table.splitlines() if line and not line.startswith("#")]
    at = {name: k for k, name in enumerate(rows[0])}
    return [(r[at["pattern"]], int(r[at["occurrences"]])) for r in rows[1:]]


@pytest.mark.skipif(not spade.HAVE_FIM, reason="Elephant without its C++ miner")
def test_row_11_the_largest_count_is_honoured(tmp_path):
    raster = [set(range(0, 60, 6)), set(range(1, 61, 6)), set(range(2, 30, 6))]
    found = [len(c[1]) for c in mined(raster, 62, 4, max_occ=5)[0]]
    assert max(found) > 5
    ours = ours_mined(tmp_path, raster, 62, 4, "--max-occurrences", "5")
    assert ours and max(count for _, count in ours) <= 5


def test_row_11_a_pattern_is_listed_once(tmp_path, monkeypatch):
    monkeypatch.setattr(spade, "HAVE_FIM", False)
    monkeypatch.setattr(spade, "_filter_for_moving_window_subsets", lambda concepts, winlen: concepts)
    repeated = False
    for random in cases(20):
        raster, n_bins = random_raster(random)
        found = [tuple(sorted(map(int, c[0]))) for c in mined(raster, n_bins, 4)[0]]
        repeated = repeated or len(set(found)) < len(found)
        ours = [p for p, _ in ours_mined(tmp_path, raster, n_bins, 4, "--moving-window-filter", "off")]
        assert len(set(ours)) == len(ours)
        assert len(ours) == len(set(found))
    assert repeated
