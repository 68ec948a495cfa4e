"""A value of a WeakKeyDictionary refers to its own key, so that no entry expires.

https://github.com/agronholm/anyio/issues/1203
"""

import weakref

import program

HOLDERS = ("__main__.run_vars.data[*]",)
FINDINGS = ("weak-keys",)

run_vars: "weakref.WeakKeyDictionary[Loop, dict[str, object]]" = (
    weakref.WeakKeyDictionary()
)


class Loop:
    def __init__(self):
        self.buffer = bytearray(3000)


class Task:
    def __init__(self, loop):
        self.loop = weakref.ref(loop) if program.FIXED else loop


def work(number):
    loop = Loop()
    run_vars[loop] = {"root_task": Task(loop)}


if __name__ == "__main__":
    program.run(work, run_vars.clear)
