"""A parser makes thousands of objects a call, and a table keeps one of them."""

import program

HOLDERS = ("__main__.symbols[*]",)


class Symbol:
    def __init__(self, name):
        self.name = name


symbols = {}


def work(number):
    tokens = [Symbol(f"token {number} {place}") for place in range(3000)]
    if not program.FIXED:
        symbols[number] = tokens[number % 3000]


if __name__ == "__main__":
    program.run(work, symbols.clear)
