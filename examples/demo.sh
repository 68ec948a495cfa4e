#!/bin/sh
# The demo: two leaking loops in Python, then the command on their snapshot.
set -eu
out=${1:-out}

python "$(dirname "$0")/demo.py" "$out"

printf '\n# The same process, later, from its file\n\n'
leakgraph types "$out/demo.lgs" --limit 8
echo
leakgraph top "$out/demo.lgs" --group type --limit 5
echo
leakgraph refs "$out/demo.lgs" type:__main__.Trainer
leakgraph render "$out/demo.lgs" type:matplotlib.figure.Figure --path \
    -o "$out/figures.svg"

cat <<END

# To look at

$out/refs.png     what the trainer holds
$out/why.svg      what keeps its first loss alive
$out/figures.svg  what keeps the figures alive, drawn from the file
$out/demo.lgs     the snapshot: leakgraph info $out/demo.lgs
END
