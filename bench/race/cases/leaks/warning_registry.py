"""Each warning has a text of its own, and a module remembers all texts it warned of.

https://docs.python.org/3/library/warnings.html#repeated-warning-suppression-criteria
"""

import logging
import warnings

import program

HOLDERS = ("__main__.__warningregistry__[*]", "__main__.__warningregistry__ key")

logging.captureWarnings(True)
logging.getLogger("py.warnings").addHandler(logging.NullHandler())
warnings.simplefilter("default")


def work(number):
    for part in range(5):
        query = 0 if program.FIXED else number * 5 + part
        warnings.warn(f"query {query} was slow: " + "select " * 50, stacklevel=1)


def let_go():
    globals()["__warningregistry__"].clear()


if __name__ == "__main__":
    program.run(work, let_go)
