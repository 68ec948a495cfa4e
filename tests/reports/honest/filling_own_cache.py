"""A cache of the program's own, with room for 380 answers, is still filling."""

import collections

import program


class Answers:
    """Keeps the newest."""

    def __init__(self, room):
        self.room = room
        self.hits = 0
        self.entries = collections.OrderedDict()

    def put(self, number, answer):
        self.entries[number] = answer
        if len(self.entries) > self.room:
            self.entries.popitem(last=False)


answers = Answers(380)


def work(number):
    answers.put(number, {"number": number, "text": "x" * 900 + f"{number:06}"})


if __name__ == "__main__":
    program.run(work, answers.entries.clear)
