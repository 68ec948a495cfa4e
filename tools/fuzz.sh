#!/bin/sh
# Runs every fuzz target for some seconds each.
#
#   tools/fuzz.sh BUILD SECONDS
#
# Begins with the files that `c_tests make_corpus` writes. BUILD/corpus keeps
# what a run finds for the next run.
set -eu
build=$1
seconds=$2
targets=$(find "$build" -type f -name 'fuzz_*' -perm -u+x | sort)
[ -n "$targets" ] || { echo "fuzz: no target in $build" >&2; exit 1; }
seeds=$build/seeds
"$build/tests/c/c_tests" make_corpus "$seeds"
for target in $targets; do
    name=$(basename "$target")
    corpus=$build/corpus/$name
    mkdir -p "$corpus"
    if ! "$target" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=10 \
        -print_final_stats=1 -artifact_prefix="$build/" \
        "$corpus" "$seeds" >"$build/$name.log" 2>&1; then
        tail -n 60 "$build/$name.log"
        exit 1
    fi
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$name.log")
    echo "$name: $runs files in $seconds s, no crash"
done
