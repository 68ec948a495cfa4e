"""A mock records each call, with its arguments.

https://docs.python.org/3/library/unittest.mock.html#unittest.mock.Mock.mock_calls
"""

from unittest import mock

import program

HOLDERS = (
    "__main__.client._mock_mock_calls[*]",
    "__main__.client.mock_calls[*]",
    "__main__.client.send._mock_call_args_list[*]",
    "__main__.client._mock_children['send']._mock_call_args_list[*]",
)

client = mock.Mock()


def work(number):
    client.send(b"p" * 2000 + str(number).encode())
    if program.FIXED:
        client.reset_mock()


if __name__ == "__main__":
    program.run(work, client.reset_mock)
