"""A retry loop raises each error from the last one, and so keeps all of them.

https://docs.python.org/3/library/exceptions.html#BaseException.__context__
"""

import program

HOLDERS = ("__main__.client.error.__cause__", "__main__.client.error")


class Client:
    error = None

    def fetch(self, number):
        try:
            payload = bytearray(3000)
            cause = None if program.FIXED else self.error
            raise ConnectionError(number, payload) from cause
        except ConnectionError as error:
            self.error = error.with_traceback(None)


client = Client()


def work(number):
    client.fetch(number)


def let_go():
    client.error = None


if __name__ == "__main__":
    program.run(work, let_go)
