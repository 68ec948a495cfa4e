"""A cached function has fifteen different arguments, and answers from its cache."""

import functools

import program


@functools.cache
def setting(name):
    return {"name": name, "values": ["v" * 200] * 5}


def work(number):
    setting(f"option-{number % 15}")


if __name__ == "__main__":
    program.run(work, setting.cache_clear)
