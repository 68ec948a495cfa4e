"""The keys of places are the same in every process, on every CPython."""

import pytest
from growth_scripts import run_script

# The leaks of the script, by the key of their place. This table is the same for all
# versions of Python, so that snapshots of different versions are comparable.
PLACES = {
    "d7799f6038d901ac": "program.buffer",
    "165efe8cdccef8a2": "program.chain closure inner",
    "71dd45b050616a1d": "program.counts[*][*]",
    "754c0c811ff5dcfb": "program.errors[*]",
    "a1aca5dc73a7bd97": "program.generators[*]",
    "a6431279d13ceec8": "program.head.next",
    "4a7797d28211f3bf": "program.instances[*]",
    "019930103e84f5cd": "program.members[*]",
    "942e744de8efb97a": "program.methods[*]",
    "df9761b2c93ed67f": "program.pairs[*]",
    "3b698af996ca1244": "program.table[*]",
    "178769f9591afa76": "program.tree[*]",
    "4aef796505e7ce9e": "program.window[*]",
}


@pytest.mark.parametrize("seed", ["1", "2"])
def test_places_have_the_same_keys_everywhere(seed):
    said = run_script("everywhere.py", seed=seed)
    assert sorted(said) == sorted(PLACES)
    for key, holder in PLACES.items():
        assert said[key].startswith(f"__main__.{holder}"), key


@pytest.mark.parametrize(
    ("variables", "place"),
    [("declared", "[session][*]"), ("many", "[session][*]"), ("made", "[*]")],
)
def test_only_a_declared_context_variable_has_its_name(variables, place):
    said = run_script("context_variables.py", variables).values()
    assert f"thread MainThread context variables{place}" in said
