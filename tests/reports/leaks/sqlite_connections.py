"""`with` commits a connection and leaves it open, so sessions keep native databases.

https://docs.python.org/3/library/sqlite3.html#sqlite3-connection-context-manager
"""

import sqlite3

import program

HOLDERS = ("__main__.sessions[*]",)
NATIVE = True

sessions = {}


def work(number):
    with sqlite3.connect(":memory:") as database:
        database.execute("create table t(x)")
        database.executemany("insert into t values(?)", [("y" * 1000,)] * 100)
    if program.FIXED:
        database.close()
    else:
        sessions[number] = database


if __name__ == "__main__":
    program.run(work, sessions.clear)
