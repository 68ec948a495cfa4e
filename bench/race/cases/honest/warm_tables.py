"""The first calls fill a table of ten rows that all later calls read."""

import program

table = {}


def work(number):
    for row in range(3):
        table.setdefault((number * 3 + row) % 10, "row" * 500)


if __name__ == "__main__":
    program.run(work, table.clear)
