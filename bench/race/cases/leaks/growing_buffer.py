"""A protocol appends each packet to its buffer, and never takes out what it read."""

import program

HOLDERS = ("__main__.protocol.buffer",)


class Protocol:
    def __init__(self):
        self.buffer = bytearray()
        self.position = 0

    def received(self, data):
        self.buffer += data
        self.position += len(data)
        if program.FIXED:
            del self.buffer[: self.position]
            self.position = 0


protocol = Protocol()


def work(number):
    protocol.received(b"d" * 10_000)


if __name__ == "__main__":
    program.run(work, protocol.buffer.clear)
