"""Keeps executors in a list; prints the rows of snapshots, and of their summaries.

With a second argument, two references of the module lead to its table of threads, as
they do from CPython 3.14 on.
"""

import concurrent.futures
import json
import os
import sys
import threading

import leakgraph

folder = sys.argv[1]
if sys.argv[2:]:

    class Deleter:
        def __del__(self, table=threading._active):
            pass

    threading.Deleter = Deleter
    del Deleter
executors = []
for number in range(3):
    for _ in range(40):
        executors.append(concurrent.futures.ThreadPoolExecutor(1))
        executors[-1].submit(int).result()
    snapshot = leakgraph.snapshot()
    snapshot.save(os.path.join(folder, f"{number}.lgs"))
    snapshot.summary(os.path.join(folder, f"{number}.lgsum"))
for kind in ("lgs", "lgsum"):
    files = [os.path.join(folder, f"{number}.{kind}") for number in range(3)]
    growth = leakgraph.diff(*files, min_bytes=2000)
    print(json.dumps([(row.held_by, row.text) for row in growth]))
