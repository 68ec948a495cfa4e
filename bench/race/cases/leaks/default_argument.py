"""A default argument is one list for all calls, and grows.

https://docs.python.org/3/faq/programming.html#why-are-default-values-shared-between-objects
"""

import program

HOLDERS = ("__main__.collect.__defaults__[0][*]", "__main__.collect.__defaults__[*]")


class Row:
    def __init__(self, number):
        self.text = f"{number} " * 200


def collect(row, rows=[]):  # noqa: B006
    rows.append(row)
    if program.FIXED:
        rows.clear()
    return len(rows)


def work(number):
    collect(Row(number))


if __name__ == "__main__":
    program.run(work, collect.__defaults__[0].clear)
