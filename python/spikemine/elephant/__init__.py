"""Elephant's SPADE with the library: same calls, same results.

    from spikemine.elephant import spade
    patterns = spade(spiketrains, bin_size=5 * pq.ms, winlen=12, n_surr=1000, alpha=0.05)["patterns"]

or, for scripts that stay as they are,

    import spikemine.elephant
    spikemine.elephant.patch()

Functions have the arguments of elephant.spade and elephant.spike_train_surrogates (1.2.1), and in
addition, by name, `seed`, `threads` and `corrected`. Results are Elephant's, also where it errs; a
SpikemineElephantWarning says where this changed a result, and `corrected=True` gives it without the
error. Neo and quantities are needed, Elephant itself for patch and for binned trains only.
"""

from __future__ import annotations

import importlib
from typing import Any

from .. import fim
from ._common import ROWS, SpikemineElephantWarning
from ._mining import concepts_mining
from ._reduction import approximate_stability, pattern_set_reduction
from ._significance import pvalue_spectrum, test_signature_significance
from ._spade import concept_output_to_patterns, spade
from ._surrogates import (
    METHODS,
    JointISI,
    bin_shuffling,
    dither_spike_train,
    dither_spikes,
    jitter_spikes,
    randomise_spikes,
    shuffle_isis,
    surrogates,
    trial_shifting,
    trial_shifting_of_concatenated_spiketrain,
)

__all__ = [
    "METHODS",
    "ROWS",
    "JointISI",
    "SpikemineElephantWarning",
    "approximate_stability",
    "bin_shuffling",
    "concept_output_to_patterns",
    "concepts_mining",
    "dither_spike_train",
    "dither_spikes",
    "fim",
    "jitter_spikes",
    "patch",
    "pattern_set_reduction",
    "pvalue_spectrum",
    "randomise_spikes",
    "shuffle_isis",
    "spade",
    "surrogates",
    "test_signature_significance",
    "trial_shifting",
    "unpatch",
]


def _by_name(*functions: Any) -> dict[str, Any]:
    return {function.__name__: function for function in functions}


# What patch replaces: {module: {name: ours}}.
_REPLACED: dict[str, dict[str, Any]] = {
    "spade": {
        **_by_name(spade, concepts_mining, pvalue_spectrum, test_signature_significance),
        **_by_name(approximate_stability, pattern_set_reduction, concept_output_to_patterns),
        "fim": fim,
        "HAVE_FIM": True,
    },
    "spike_train_surrogates": {
        **_by_name(surrogates, dither_spikes, randomise_spikes, shuffle_isis, dither_spike_train),
        **_by_name(jitter_spikes, bin_shuffling, JointISI, trial_shifting),
        "_trial_shifting_of_concatenated_spiketrain": trial_shifting_of_concatenated_spiketrain,
    },
}
_originals: dict[tuple[str, str], Any] = {}
_MISSING = object()


def patch() -> None:
    """Replaces the functions of elephant.spade and elephant.spike_train_surrogates by ours.

    Call it before names are imported from these modules: `from elephant.spade import spade` keeps
    what it got. A second call changes nothing. Raises ImportError without Elephant.
    """
    for module_name, functions in _REPLACED.items():
        module = importlib.import_module(f"elephant.{module_name}")
        for name, ours in functions.items():
            theirs = getattr(module, name, _MISSING)
            if theirs is not ours:
                _originals[module_name, name] = theirs
                setattr(module, name, ours)


def unpatch() -> None:
    """Undoes patch."""
    for (module_name, name), theirs in list(_originals.items()):
        module = importlib.import_module(f"elephant.{module_name}")
        if theirs is _MISSING:
            delattr(module, name)
        else:
            setattr(module, name, theirs)
        del _originals[module_name, name]


def original(module_name: str, name: str) -> Any:
    """Elephant's own function, also while it is replaced."""
    module = importlib.import_module(f"elephant.{module_name}")
    return _originals.get((module_name, name), getattr(module, name))
