"""A log in memory is emptied at forty thousand characters."""

import io

import program

NATIVE = True

stream = io.StringIO()


def work(number):
    stream.write(f"{number}: " + "l" * 900 + "\n")
    if stream.tell() > 40_000:
        stream.seek(0)
        stream.truncate()


if __name__ == "__main__":
    program.run(work, lambda: None)
