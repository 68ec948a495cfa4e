"""A mail reader looks codecs up by the names that mails give, known or not.

https://github.com/python/cpython/issues/146054
"""

import codecs
import contextlib
import encodings

import program

HOLDERS = ("encodings._cache",)


def charset(number, part):
    return "latin-1" if program.FIXED else f"x-unknown-{number}-{part}"


def work(number):
    for part in range(10):
        with contextlib.suppress(LookupError):
            codecs.lookup(charset(number, part))


def let_go():
    known = {name: found for name, found in encodings._cache.items() if found}
    encodings._cache.clear()
    encodings._cache.update(known)


if __name__ == "__main__":
    program.run(work, let_go)
