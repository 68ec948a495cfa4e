"""A cache without a limit keeps the validators of models that are made for a call.

https://github.com/openai/openai-python/issues/2146
"""

import functools

import program
import pydantic

HOLDERS = ("__main__.adapter.cache key", "__main__.adapter.cache[*]")
FINDINGS = ("lru-cache",)
NATIVE = True


def make(number):
    return pydantic.create_model("Step", explanation=(str, ...), output=(int, number))


@functools.cache
def adapter(model):
    return pydantic.TypeAdapter(model)


once = make(0)


def work(number):
    adapter(once if program.FIXED else make(number)).validate_python(
        {"explanation": "x"}
    )


if __name__ == "__main__":
    program.run(work, adapter.cache_clear)
