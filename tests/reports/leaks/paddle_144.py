"""Each client adds another NullHandler to one logger.

https://github.com/PaddleHQ/paddle-python-sdk/issues/144
"""

import logging

import program

HOLDERS = (
    "logging.Logger.manager.loggerDict['null_logger'].handlers[*]",
    "logging.root.manager.loggerDict['null_logger'].handlers[*]",
    "__main__.logger.handlers[*]",
)
FINDINGS = ("log-handlers",)

logger = logging.getLogger("null_logger")


def work(number):
    if not (program.FIXED and logger.handlers):
        logger.addHandler(logging.NullHandler())


def let_go():
    while logger.handlers:
        logger.removeHandler(logger.handlers[0])


if __name__ == "__main__":
    program.run(work, let_go)
