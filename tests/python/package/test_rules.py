"""Which arguments go together: all pairs of arguments of all functions, against the library's rules."""

import inspect
import itertools

import pytest

import spikemine as sm
from spikemine._library import ffi, lib
from spikemine._rules import heeded, options_of, refuse_useless

FUNCTIONS = {
    "episodes()": sm.episodes,
    "patterns()": sm.patterns,
    "sequences()": sm.sequences,
    "surrogates()": sm.surrogates,
    "compare()": sm.compare,
    "calibrate()": sm.calibrate,
    "Live()": sm.Live.__init__,
}
# Values with which rules are concerned, and usual ones; other arguments have one of any kind.
VALUES = {
    "test": ["exact", "signatures"],
    "support": ["5", "auto", "published"],
    "report": ["significant", "core", "all"],
    "null": ["shift", "trials"],
    "method": ["isi-dithering", "shift_apart"],
    "spectrum": ["2d", "3d"],
    "peel": [True, 5],
}
# Their rules are looked at by tests/unit/test_operation.c.
COMMANDS = ["episodes", "patterns", "sequences", "surrogates", "live"]


def rules_of(operation):
    for k in itertools.count():
        rule = lib.spk_operation_rule(operation.encode(), k)
        if rule == ffi.NULL:
            return
        columns = [rule.terms, rule.others, rule.unless]
        yield rule.verb, *(ffi.string(c).decode().split("|") if c != ffi.NULL else [] for c in columns)


def parameters_of(function):
    found = inspect.signature(function).parameters
    return {name: p.default for name, p in found.items() if name not in ("self", "recording", "rate")}


def holds(term, given, defaults, by_default=False):
    name, _, value = term.partition("=")
    name = name.replace("-", "_")
    if name == "peel_max":
        return isinstance(given.get("peel"), int) and given["peel"] is not True
    if not value:
        return name in given
    now = given.get(name, defaults.get(name) if by_default else None)
    return isinstance(now, str) and now.replace("_", "-") == value


def broken(operation, given, defaults):
    """The terms that the message of the first broken rule must name; None: no rule is broken."""
    known = {*defaults, "peel_max"} if "peel" in defaults else set(defaults)

    def knows(terms):
        return any(t.split("=")[0].replace("-", "_") in known for t in terms)

    def first(terms, by_default=False):
        return next((t for t in terms if holds(t, given, defaults, by_default)), None)

    for verb, terms, others, unless in rules_of(operation):
        if first(unless, True):
            continue
        subject = first(terms)
        if verb == lib.SPK_RULE_REQUIRED and knows(terms) and not first(terms, True):
            return terms[:1]
        if verb == lib.SPK_RULE_NEEDS and subject and knows(others) and not first(others, True):
            return [subject]
        if verb == lib.SPK_RULE_EXCLUDES and subject and first(others):
            return [subject, first(others)]
    return None


def arguments_of(defaults):
    for name in defaults:
        for value in VALUES.get(name, ["x"]):
            yield name, value


@pytest.mark.parametrize("operation", FUNCTIONS)
def test_all_pairs_of_arguments(operation):
    defaults = parameters_of(FUNCTIONS[operation])
    always = {n: "5" for n, default in defaults.items() if default is inspect.Parameter.empty}
    n_refused = 0
    for a, b in itertools.combinations(arguments_of(defaults), 2):
        if a[0] == b[0]:
            continue
        given = {**always, **dict([a, b])}
        names = broken(operation, given, defaults)
        if names is None:
            refuse_useless(operation, defaults, given)
            continue
        n_refused += 1
        with pytest.raises(ValueError) as error:
            refuse_useless(operation, defaults, given)
        for term in names:
            assert term.split("=")[0].replace("-", "_") in str(error.value) and "--" not in str(error.value)
    assert n_refused > 0


@pytest.mark.parametrize("operation", FUNCTIONS)
def test_rules_name_arguments(operation):
    known = set(parameters_of(FUNCTIONS[operation]))
    here = list(rules_of(operation))
    assert here
    of_command = list(itertools.chain.from_iterable(map(rules_of, COMMANDS)))
    for rule in here:
        if rule not in of_command:
            for term in itertools.chain(*rule[1:]):
                assert term.split("=")[0].replace("-", "_") in known, term


# What Python calls by another name than the command, or takes as keywords.
RENAMED = {"delay", "surrogate_method", "number", "suggest_events", "suggest_time", "interval_bins"}
RENAMED |= {"in_order", "square_root", "up_to_neighbours", "no_cutoff", "edges"}


@pytest.mark.parametrize("operation", [o for o in FUNCTIONS if o != "Live()"] + ["count()", "suggest()"])
def test_signatures_have_the_options_of_the_library(operation):
    function = getattr(sm, operation.removesuffix("()"))
    listed, parameters = options_of(operation), inspect.signature(function).parameters
    assert len(listed) == len(parameters)
    for name, option in listed.items():
        if name in RENAMED:
            continue
        default = parameters[name].default
        assert f"\n{name} : " in inspect.getdoc(function)
        if option.fallback != ffi.NULL and default not in (None, inspect.Parameter.empty) and name != "spectrum":
            text = ffi.string(option.fallback).decode()
            assert text == default or float(text) == default


def test_settings_are_what_a_result_heeds():
    defaults = parameters_of(sm.patterns)
    exact = heeded("patterns()", defaults, {"bin": "5ms", "window": 5, "test": "exact", "null": "shift"})
    assert {"bin", "min_spikes", "jitter", "null", "history", "seed"} <= exact
    assert not {"dither", "correction", "spectrum", "support_time", "threads", "executor", "gpus"} & exact
    signatures = heeded("patterns()", defaults, {"bin": "5ms", "window": 5, "surrogates": 9})
    assert {"surrogates", "dither", "spectrum", "alpha"} <= signatures and "jitter" not in signatures
    assert not {"seed", "alpha", "report", "dither"} & heeded("patterns()", defaults, {"bin": "5ms", "window": 5})


SEARCH = {"delays": ["0:5ms"], "support": 5}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"jitter": "5ms"}, "jitter needs test='exact'; add it, or leave out jitter"),
        ({"checkpoint": "c"}, "checkpoint needs test='exact'; add it, or leave out checkpoint"),
        ({"support_time": "1s"}, "support_time needs support='auto'; add it, or leave out support_time"),
        ({"test": "exact", "peel": 3, "top": 2}, "peel cannot go with top: peel lists each finding once"),
        ({"test": "exact", "history": "5ms"}, "history needs null='pattern-jitter' or null='shift'"),
    ],
)
def test_messages_are_in_the_words_of_python(macaque, options, message):
    with pytest.raises(ValueError, match="^" + message):
        sm.episodes(macaque, **SEARCH, **options)


def test_what_belongs_to_a_recording_is_told(macaque):
    for name, where in (("units", "rec.select"), ("start", "rec.slice"), ("stop", "rec.slice"),
                        ("trials", "rec.cut"), ("sort", "sm.read")):
        assert hasattr({"rec": macaque, "sm": sm}[where.split(".")[0]], where.split(".")[1])
        for search in (sm.episodes, sm.patterns, sm.count, sm.sequences, sm.explore):
            with pytest.raises(TypeError, match=rf"{name!r}; {where}\("):
                search(macaque, **{name: [1]})


def test_unknown_names_are_told_before_missing_ones(macaque):
    with pytest.raises(TypeError, match=r"^episodes\(\) has no argument 'delay'; did you mean 'delays'\?$"):
        sm.episodes(macaque, delay=["5ms:10ms"], support=100)
    with pytest.raises(TypeError, match=r"^episodes\(\) needs delays, such as delays=\['0:10ms'\] \(sm\.suggest"):
        sm.episodes(macaque)
    with pytest.raises(TypeError, match=r"^patterns\(\) needs window, in bins, such as window=20$"):
        sm.patterns(macaque, "5ms")
    with pytest.raises(TypeError, match=r"^Recording\(\) has no argument 'zzz'$"):
        sm.Recording([1.0], zzz=3)


def test_other_names_are_accepted_and_told_nowhere(macaque):
    found = sm.patterns(macaque, "5ms", 3, min_occurrences=60)
    assert found.info["call"] == sm.patterns(macaque, "5ms", 3, support=60).info["call"]
    assert found.info["call"] == "spikemine.patterns(recording, bin='5ms', window=3, support=60)"
    assert len(sm.episodes(macaque, ["0:5ms"], min_occurrences=60)) == len(sm.episodes(macaque, ["0:5ms"], 60))
    with pytest.raises(TypeError, match="^min_occurrences is support; give one of them"):
        sm.patterns(macaque, "5ms", 3, support=60, min_occurrences=60)
    with pytest.raises(ValueError, match="^support_time needs support='auto'"):
        sm.calibrate(macaque, bin="5ms", window=3, auto_time="3s")
    for name in ("patterns", "episodes", "compare", "calibrate"):
        assert "support : " in inspect.getdoc(getattr(sm, name))
        assert not {"min_occurrences", "auto_time"} & set(inspect.signature(getattr(sm, name)).parameters)


def test_live_has_the_defaults_and_ranges_of_the_command():
    defaults, described = parameters_of(sm.Live.__init__), options_of("Live()")
    assert {"step", "max_size", "backlog", "test", "null", "surrogates", "alpha", "seed"} <= described.keys()
    for name, option in described.items():
        if option.fallback != ffi.NULL and defaults[name] is not None:
            text = ffi.string(option.fallback).decode()
            assert text == defaults[name] or float(text) == defaults[name]
    for name, value in {"backlog": 0, "alpha": 2, "seed": -1, "max_size": 65, "null": "chance", "keep_up": 3}.items():
        with pytest.raises(ValueError, match=f"{name}={value!r}: must be"):
            sm.Live(30000, **{name: value})


def test_ranges_are_those_of_the_command(macaque):
    beginning = macaque.slice(stop="2s")
    found = sm.episodes(beginning, ["0:5ms"], 20, test="exact", surrogates=3, alpha=1, seed=2**53)
    assert found.test.alpha == 1 and found.test.seed == 2**53
    with pytest.raises(ValueError, match="seed=9007199254740993: must be a whole number from 0 to 9007199254740992"):
        sm.episodes(beginning, ["0:5ms"], 20, test="exact", seed=2**53 + 1)
