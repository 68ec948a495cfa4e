"""A library registers each schema class that a function defines, by two names.

https://github.com/marshmallow-code/marshmallow/issues/657
"""

import program

HOLDERS = ("__main__.registry[*][*]",)
FINDINGS = ("per-call-classes",)

registry: dict[str, list[type]] = {}


class Schema:
    def __init_subclass__(cls):
        registry.setdefault(cls.__name__, []).append(cls)
        registry.setdefault(f"shop.{cls.__qualname__}", []).append(cls)


def define():
    class OrderSchema(Schema):
        def __init__(self):
            self.fields = dict.fromkeys(("number", "customer", "price"))

    return OrderSchema


defined = define() if program.FIXED else None


def work(number):
    if defined is None:
        define()


if __name__ == "__main__":
    program.run(work, registry.clear)
