#!/bin/sh
# Builds an sdist and two wheels, one from the checkout and one from the sdist.
# Tries each wheel in an environment without the checkout: the package imports,
# the command exists, both draw a picture, and the command finds igraph.
set -eu
cd "$(dirname "$0")/.."
rm -rf build/wheel
echo "== builds an sdist and two wheels: minutes"
backend='import scikit_build_core.build as b; b.build_sdist("build/wheel")'
.venv/bin/python -c "$backend" >/dev/null
.venv/bin/python -m pip wheel -qq --no-deps --wheel-dir build/wheel .
.venv/bin/python -m pip wheel -qq --no-deps --wheel-dir build/wheel/from_sdist \
    build/wheel/leakgraph-*.tar.gz
.venv/bin/python release/check_wheel.py build/wheel/*.whl build/wheel/from_sdist/*.whl

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset PYTHONPATH

try_wheel() {
    .venv/bin/python -m venv --clear "$folder/venv"
    "$folder/venv/bin/python" -m pip install -qq --no-index "$1"
    mkdir "$folder/work"
    (
        cd "$folder/work"
        PATH=$folder/venv/bin:/usr/bin:/bin
        python - <<'END'
import leakgraph

kept = [[], {}, ()]
leakgraph.show_refs(kept, "refs.svg")
leakgraph.save_snapshot("whole.lgs")
END
        leakgraph info whole.lgs | grep -q '^objects'
        leakgraph render whole.lgs module:leakgraph -o module.svg
        leakgraph analyze whole.lgs -o analysed.lgs
        leakgraph top whole.lgs --limit 3 | grep -q '^each byte counted once'
        grep -q '<svg' refs.svg
        grep -q '<svg' module.svg
        python -m leakgraph --help >help.txt
        python - <<'END'
from importlib.metadata import distribution

points = distribution("leakgraph").entry_points
assert [p.value for p in points if p.group == "pytest11"] == [
    "leakgraph.pytest_plugin"
]
END
    )
    rm -r "$folder/work"
}

for wheel in build/wheel/*.whl build/wheel/from_sdist/*.whl; do
    try_wheel "$wheel"
    echo "$wheel: fine"
done
echo "To install it: pip install $(pwd)/$(ls build/wheel/*.whl)"
