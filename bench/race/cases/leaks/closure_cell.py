"""A decorator keeps the arguments of each call in a variable of its closure."""

import program

HOLDERS = (
    "__main__.resize.__closure__[*][*]",
    "__main__.resize closure seen[*]",
    "__main__.resize.seen[*]",
)


class Image:
    def __init__(self):
        self.pixels = bytearray(6000)


def traced(function):
    seen = []

    def wrapper(*args):
        seen.append(args)
        if program.FIXED:
            seen.clear()
        return function(*args)

    wrapper.forget = seen.clear
    return wrapper


@traced
def resize(image):
    return len(image.pixels) // 2


def work(number):
    resize(Image())


if __name__ == "__main__":
    program.run(work, resize.forget)
