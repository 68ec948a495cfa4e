"""A handler of the program's own, which keeps records for a page of errors."""

import logging
import sys

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


class Recent(logging.Handler):
    def __init__(self):
        super().__init__()
        self.entries = []

    def emit(self, record):
        self.entries.append({"text": self.format(record)})
        if not fixed:
            self.entries[-1]["record"] = record


recent = Recent()
logging.getLogger().addHandler(recent)
for number in range(30):
    logging.warning("got %.10s", bytearray(5_000 + number))
print(leakgraph.findings())
