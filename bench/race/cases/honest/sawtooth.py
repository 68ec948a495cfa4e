"""A batcher collects sixty records of changing sizes, sends them and begins anew."""

import program

batch = []


def work(number):
    batch.append("r" * (200 + number % 7 * 100))
    if len(batch) >= 60:
        batch.clear()


if __name__ == "__main__":
    program.run(work, batch.clear)
