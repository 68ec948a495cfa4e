"""A pickler that is used again remembers all that it has pickled.

https://docs.python.org/3/library/pickle.html#pickle.Pickler
"""

import io
import pickle

import program

HOLDERS = ("__main__.pickler",)
NATIVE = True

stream = io.BytesIO()
pickler = pickle.Pickler(stream)


def work(number):
    pickler.dump([f"row {number}-{cell}" * 10 for cell in range(20)])
    stream.seek(0)
    stream.truncate()
    if program.FIXED:
        pickler.clear_memo()


def let_go():
    global pickler
    pickler = pickle.Pickler(stream)


if __name__ == "__main__":
    program.run(work, let_go)
