"""A frame keeps the last fifty rows of a stream."""

import pandas
import program

rows = [pandas.DataFrame({"value": [0.0] * 50, "name": ["first"] * 50})]


def work(number):
    row = pandas.DataFrame({"value": [number * 0.5], "name": [f"row {number % 10}"]})
    rows[0] = pandas.concat([rows[0], row], ignore_index=True).tail(50)


if __name__ == "__main__":
    program.run(work, rows.clear)
