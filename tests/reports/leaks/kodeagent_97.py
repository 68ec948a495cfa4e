"""An agent builds its history anew in each turn, from the last one and a message.

https://github.com/barun-saha/kodeagent/issues/97
"""

import program

HOLDERS = ("__main__.agent.messages[*]", "__main__.agent.messages")


class Agent:
    def __init__(self):
        self.messages = ()

    def turn(self, text):
        message = {"role": "user", "content": text}
        self.messages = (*self.messages[-4 if program.FIXED else -100_000 :], message)


agent = Agent()


def work(number):
    agent.turn(f"question {number} " + "?" * 1500)


def let_go():
    agent.messages = ()


if __name__ == "__main__":
    program.run(work, let_go)
