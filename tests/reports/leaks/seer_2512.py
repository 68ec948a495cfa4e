"""functools.cache on a method keeps each instance, and never hits.

https://github.com/getsentry/seer/pull/2512
"""

import functools

import program

HOLDERS = (
    "__main__.RepoClient.read.cache key[*]",
    "__main__.RepoClient.read.cache key",
)
FINDINGS = ("lru-cache",)


class RepoClient:
    def __init__(self, number):
        self.tree = {f"src/module_{name}.py": name for name in range(60)}
        if program.FIXED:
            self.read = functools.lru_cache(maxsize=None)(self._read)

    def _read(self, path):
        return self.tree.get(path)

    if not program.FIXED:
        read = functools.lru_cache(maxsize=None)(_read)


def work(number):
    RepoClient(number).read("src/module_1.py")


def let_go():
    if not program.FIXED:
        RepoClient.read.cache_clear()


if __name__ == "__main__":
    program.run(work, let_go)
