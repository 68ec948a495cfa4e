#!/bin/sh
# Does with a wheel what a user without rights does: sh wheels_user.sh PYTHON.
# release/wheels_try.sh runs it. Prints one line at the end if all is well.
set -eux
python=$1
cd
"$python" -m venv venv
venv/bin/python -m pip install -q --no-index --find-links /srv leakgraph
PATH=$HOME/venv/bin:$PATH
mkdir work
cd work

cat >program.py <<'END'
import gc

import leakgraph

gc.disable()  # the collector would free a cycle that the snapshot is to have


class Trainer:
    pass


trainer = Trainer()
trainer.losses = [[float(i)] for i in range(1000)]
# A knot with two entries, which igraph solves.
knot = [[] for _ in range(300)]
for i, one in enumerate(knot):
    one += [knot[i - 1], knot[i * 7 % 300]]
entries = knot[:2]
del knot, one

leakgraph.show_refs(trainer, "refs.svg")
leakgraph.show_refs(trainer, "refs.png")
lost = Trainer()
lost.callback = [lost]
del lost
snapshot = leakgraph.snapshot()
# Built for another patch release, it must still know the interpreter's structures.
assert snapshot.info()["capture.method"].startswith("internal")
print(snapshot.why(trainer.losses))
print(snapshot.cycles())
snapshot.save("run.lgs")
with open("/proc/self/maps") as maps:
    assert "libleakgraph-igraph.so" in maps.read()
END
python program.py
leakgraph --version
leakgraph info run.lgs >/dev/null
leakgraph why run.lgs name:__main__.trainer.losses | grep -q '^Cut '
leakgraph cycles run.lgs | grep -q Trainer
leakgraph render run.lgs type:__main__.Trainer --backrefs -o why.png
leakgraph analyze run.lgs -o analysed.lgs
leakgraph report run.lgs -o report.html
python - <<'END'
import signal
import subprocess
from urllib.error import HTTPError
from urllib.parse import urljoin
from urllib.request import urlopen

command = ["leakgraph", "view", "run.lgs", "--no-browser"]
server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
address = server.stdout.readline().strip()
assert b"run.lgs" in urlopen(address).read()
try:
    urlopen(urljoin(address, "/"))
except HTTPError as error:
    assert error.code == 404  # without its token, no page is there
server.send_signal(signal.SIGTERM)
assert server.wait() == 0
END
grep -q '<svg' refs.svg
grep -q '</html>' report.html
for picture in refs.png why.png; do
    python -c "import sys; sys.exit(open('$picture', 'rb').read(4) != b'\x89PNG')"
done

# The machine provides nothing but glibc.
package=$(python -c 'import leakgraph, os; print(os.path.dirname(leakgraph.__file__))')
glibc='libc|libm|libdl|libpthread|librt|libresolv|ld-linux-[a-z0-9-]+'
for file in "$package"/*.so* "$package/leakgraph-render" "$(command -v leakgraph)"; do
    ldd "$file"
done | grep -F '=>' | grep -vF "=> $package/" | grep -vE "^\s*(/lib(64)?/)?($glibc)\.so" &&
    exit 1
size=$(du -sm "$package" | cut -f 1)
version=$(python -c 'import platform; print(platform.python_version())')
echo "fine with CPython $version, $size MiB installed"
