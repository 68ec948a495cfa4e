"""A pipeline collects the frame of each chunk, and never concatenates them.

https://pandas.pydata.org/docs/user_guide/merging.html
"""

import pandas
import program

HOLDERS = ("__main__.pipeline.chunks[*]",)
NATIVE = True


class Pipeline:
    def __init__(self):
        self.chunks = []

    def add(self, number):
        chunk = pandas.DataFrame({"a": range(500), "b": [number * 0.5] * 500})
        self.chunks.append(chunk)
        if program.FIXED:
            self.chunks.clear()


pipeline = Pipeline()


def work(number):
    pipeline.add(number)


if __name__ == "__main__":
    program.run(work, pipeline.chunks.clear)
