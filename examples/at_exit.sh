#!/bin/sh
# Saves the heap of a failing script at its end, and shows where it failed.
set -eu
cat >job.py <<'END'
def work(batch):
    total = sum(batch)
    raise RuntimeError(f"no more after {total}")

rows = list(range(1000))
work(rows)
END

status=0
python -m leakgraph run --at-exit 'job-{pid}.lgs' job.py || status=$?
echo "the script ended with $status, as it does without leakgraph"
test "$status" = 1

leakgraph info job-*.lgs
leakgraph path job-*.lgs name:__main__.rows
