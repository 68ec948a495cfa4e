"""All instances of a class share its list of visitors.

https://docs.python.org/3/tutorial/classes.html#class-and-instance-variables
"""

import program

HOLDERS = ("__main__.Page.visitors[*]",)


class Visitor:
    def __init__(self, number):
        self.agent = f"agent {number} " * 50


class Page:
    visitors = []

    def visit(self, number):
        if program.FIXED:
            self.visitors = []
        self.visitors.append(Visitor(number))


def work(number):
    Page().visit(number)


if __name__ == "__main__":
    program.run(work, Page.visitors.clear)
