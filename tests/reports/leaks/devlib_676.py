"""Each connection is to be closed at exit, and so is kept until then.

https://github.com/ARM-software/devlib/issues/676
"""

import atexit

import program

HOLDERS = ("interpreter state atexit handlers[*]", "interpreter state atexit handlers")
FINDINGS = ("event-handlers",)


class Connection:
    def __init__(self):
        self.buffer = bytearray(4000)
        atexit.register(self.close)

    def close(self):
        self.buffer.clear()
        if program.FIXED:
            atexit.unregister(self.close)


def work(number):
    connection = Connection()
    if program.FIXED:
        connection.close()


if __name__ == "__main__":
    program.run(work, atexit._clear)
