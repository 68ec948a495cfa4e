"""Each reload wraps a method that is wrapped already, and a wrapper keeps the last one.

https://docs.python.org/3/library/functools.html#functools.wraps
"""

import functools

import program

HOLDERS = ("__main__.Client.fetch", "__main__.Client.fetch.__wrapped__")


class Client:
    def fetch(self, number):
        return number


plain = Client.fetch


def traced(function):
    seconds = [0.0] * 100

    @functools.wraps(function)
    def wrapper(*args):
        seconds.append(0.0)
        return function(*args)

    return wrapper


def work(number):
    Client.fetch = traced(plain if program.FIXED else Client.fetch)


def let_go():
    Client.fetch = plain


if __name__ == "__main__":
    program.run(work, let_go)
