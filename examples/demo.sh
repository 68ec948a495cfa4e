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

printf '\n# What grew from epoch to epoch\n\n'
leakgraph diff "$out/epoch-1.lgs" "$out/epoch-3.lgs" "$out/demo.lgs" --steps 1,3,4
leakgraph report "$out/epoch-1.lgs" "$out/epoch-3.lgs" "$out/demo.lgs" \
    --steps 1,3,4 -o "$out/report.html"
leakgraph render "$out/demo.lgs" type:matplotlib.figure.Figure --path \
    -o "$out/figures.svg"

cat <<END

# To look at

$out/refs.png     what the trainer holds
$out/why.svg      what keeps its first loss alive
$out/figures.svg  what keeps the figures alive, drawn from the file
$out/report.html  all of it on one page, in a browser
$out/demo.lgs     the snapshot: leakgraph info $out/demo.lgs
END
