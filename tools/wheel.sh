#!/bin/sh
# Builds a wheel and tries it in an environment that knows nothing of the
# checkout: the package imports, the command is there, both draw a picture, and
# the command finds igraph.
set -eu
cd "$(dirname "$0")/.."
rm -rf build/wheel
.venv/bin/python -m pip wheel -qq --no-deps --wheel-dir build/wheel .

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
.venv/bin/python -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install -qq --no-index build/wheel/*.whl
cd "$folder"
unset PYTHONPATH
PATH=$folder/venv/bin:/usr/bin:/bin
export PATH
python - <<'END'
import leakgraph

kept = [[], {}, ()]
leakgraph.show_refs(kept, "refs.svg")
leakgraph.save_snapshot("whole.lgs")
END
leakgraph info whole.lgs
leakgraph render whole.lgs module:leakgraph -o module.svg
leakgraph analyze whole.lgs -o analysed.lgs
leakgraph top whole.lgs --limit 3
grep -q '<svg' refs.svg
grep -q '<svg' module.svg
python -m leakgraph --help >help.txt
echo "wheel: fine"
