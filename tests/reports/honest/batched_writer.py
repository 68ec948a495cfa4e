"""A writer collects a hundred rows, then writes them and begins anew."""

import program

rows: list[str] = []


def work(number):
    rows.append(f"row {number} " * 50)
    if number % 100 == 0:
        rows.clear()


if __name__ == "__main__":
    program.run(work, rows.clear)
