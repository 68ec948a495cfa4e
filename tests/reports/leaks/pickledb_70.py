"""One exception is raised again and again, and each time its traceback gets longer.

https://github.com/patx/pickledb/issues/70
"""

import contextlib

import program

HOLDERS = (
    "__main__.Database.key_error.__traceback__.tb_next",
    "__main__.Database.key_error.__traceback__",
)
FINDINGS = ("exception-traceback",)


class Database:
    key_error = TypeError("the key must be a string")

    def set(self, key, value):
        draft = bytearray(1500)
        if not isinstance(key, str):
            raise TypeError("the key") if program.FIXED else self.key_error
        draft.clear()


database = Database()


def let_go():
    Database.key_error.__traceback__ = None


def work(number):
    with contextlib.suppress(TypeError):
        database.set(number, "value")


if __name__ == "__main__":
    program.run(work, let_go)
