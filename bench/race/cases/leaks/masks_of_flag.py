"""An IntFlag makes a member of each mask that it is asked for, and keeps it.

https://docs.python.org/3/library/enum.html#enum.IntFlag
"""

import enum

import program

HOLDERS = ("__main__.Access._value2member_map_[*]",)


class Access(enum.IntFlag):
    READ = 1
    WRITE = 2


def work(number):
    for part in range(10):
        mask = number * 10 + part << 2 | 1
        assert mask & 1 if program.FIXED else Access.READ in Access(mask)


if __name__ == "__main__":
    program.run(work, Access._value2member_map_.clear)
