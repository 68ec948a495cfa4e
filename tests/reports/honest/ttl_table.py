"""Sessions end after the twentieth request that follows theirs."""

import program

sessions: dict[int, str] = {}


def work(number):
    sessions[number] = "s" * 1000 + str(number)
    for old in [key for key in sessions if key <= number - 20]:
        del sessions[old]


if __name__ == "__main__":
    program.run(work, sessions.clear)
