"""Every ninth batch fails, and leaves its eighteen records in a list of retries."""

import program

HOLDERS = ("__main__.retries[*]",)


class Record:
    def __init__(self, number):
        self.text = f"record {number} " * 40


retries = []


def work(number):
    batch = [Record(number) for _ in range(18)]
    if number % 9 == 0 and not program.FIXED:
        retries.extend(batch)


if __name__ == "__main__":
    program.run(work, retries.clear)
