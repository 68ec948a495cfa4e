"""Each connection has a logger of its own, and logging keeps all loggers.

https://github.com/tarasko/picows/issues/72
"""

import logging

import program

HOLDERS = ("logging.Logger.manager.loggerDict[*]", "logging.root.manager.loggerDict[*]")

parent = logging.getLogger("ws")


def work(number):
    if program.FIXED:
        logging.LoggerAdapter(parent, {"connection": number}).debug("open")
    else:
        parent.getChild(str(number)).debug("open")


def let_go():
    manager = logging.Logger.manager
    for name in [name for name in manager.loggerDict if name.startswith("ws.")]:
        del manager.loggerDict[name]
    parent.__dict__.pop("_cache", None)
    manager.root._cache.clear()


if __name__ == "__main__":
    program.run(work, let_go)
