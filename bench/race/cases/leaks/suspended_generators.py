"""Streams whose clients have gone stay suspended, with their buffers."""

import program

HOLDERS = ("__main__.streams[*]",)

streams = []


def stream(number):
    buffer = bytearray(4000)
    while True:
        yield len(buffer) + number


def work(number):
    replies = stream(number)
    next(replies)
    if not program.FIXED:
        streams.append(replies)


if __name__ == "__main__":
    program.run(work, streams.clear)
