"""A router keeps each exception of a failed request, and so the frames it went through.

https://github.com/BerriAI/litellm/pull/2461
"""

import program

HOLDERS = ("__main__.router.failures[*]",)
FINDINGS = ("exception-traceback",)


class Router:
    def __init__(self):
        self.failures = []

    def call(self, number):
        payload = {
            "messages": [f"text {number}"] * 10,
            "body": "y" * 6000 + str(number),
        }
        raise ValueError(payload["messages"][0])


router = Router()


def work(number):
    try:
        router.call(number)
    except ValueError as error:
        router.failures.append(str(error) if program.FIXED else error)
        del router.failures[: -1 if program.FIXED else 0]


if __name__ == "__main__":
    program.run(work, router.failures.clear)
