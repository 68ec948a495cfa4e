"""Templates are compiled under new names, and linecache keeps the text of each.

https://docs.python.org/3/library/linecache.html
"""

import linecache

import program

HOLDERS = ("linecache.cache[*]",)


def work(number):
    name = f"<template {number}>"
    text = [f"line {number}-{line} = {'v' * 50}\n" for line in range(20)]
    linecache.cache[name] = (1, None, text, name)
    if program.FIXED:
        del linecache.cache[name]


def let_go():
    for name in [name for name in linecache.cache if name.startswith("<template")]:
        del linecache.cache[name]


if __name__ == "__main__":
    program.run(work, let_go)
