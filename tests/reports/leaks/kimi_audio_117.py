"""A data set caches every item that it has ever loaded.

https://github.com/MoonshotAI/Kimi-Audio/issues/117
"""

import functools

import program
import torch

HOLDERS = (
    "__main__.Data.__getitem__.cache[*]",
    "__main__.Data.__getitem__.cache[*][*]",
)
FINDINGS = ("lru-cache",)
NATIVE = True


class Data(torch.utils.data.Dataset):
    def load(self, number):
        return {"audio": torch.randn(8000), "label": number % 4}

    __getitem__ = load if program.FIXED else functools.cache(load)


data = Data()


def work(number):
    data[number]["audio"].mean()


def let_go():
    if not program.FIXED:
        Data.__getitem__.cache_clear()


if __name__ == "__main__":
    program.run(work, let_go)
