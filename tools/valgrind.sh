#!/bin/sh
# A capture of a small heap, its file and its picture under valgrind: no invalid
# read or write, nothing decided by what was never written. Leaks are not looked
# for: an interpreter keeps much until it ends.
#
# PYTHONMALLOC=malloc hands each object to valgrind as a block of its own, so
# that a read beyond an object is seen.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
check='valgrind --quiet --error-exitcode=9 --leak-check=no --num-callers=30'

cat >"$folder/small.py" <<'END'
import sys
import leakgraph

class Node:
    __slots__ = ("next",)

nodes = [Node() for _ in range(10)]
nodes[0].next = nodes
snapshot = leakgraph.snapshot()
snapshot.save(sys.argv[1])
assert len(leakgraph.load(sys.argv[1])) == len(snapshot)
assert "list" in str(leakgraph.show_refs(nodes))
END
PYTHONMALLOC=malloc $check python -S "$folder/small.py" "$folder/small.lgs"
for verb in info types threads; do
    $check leakgraph $verb "$folder/small.lgs" >"$folder/$verb.txt"
done
$check leakgraph path "$folder/small.lgs" type:__main__.Node >"$folder/path.txt"
echo "valgrind: fine"
