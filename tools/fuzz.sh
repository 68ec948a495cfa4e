#!/bin/sh
# Runs every fuzz target for some seconds each.
#
#   tools/fuzz.sh BUILD SECONDS
#
# The corpus grows in BUILD/corpus and is kept from one run to the next.
set -eu
build=$1
seconds=$2
targets=$(find "$build" -type f -name 'fuzz_*' -perm -u+x | sort)
[ -n "$targets" ] || { echo "fuzz: no target in $build" >&2; exit 1; }
for target in $targets; do
    corpus=$build/corpus/$(basename "$target")
    mkdir -p "$corpus"
    "$target" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=10 \
        -print_final_stats=1 -verbosity=0 -artifact_prefix="$build/" "$corpus"
    echo "$(basename "$target"): fine after $seconds s"
done
