"""Every abstract class remembers each class that it was asked about and that lives.

https://github.com/pydantic/pydantic/issues/11100
"""

import abc

import program

HOLDERS = ("__main__.models[*]",)
FINDINGS = ("per-call-classes",)


class Base(abc.ABC):
    @abc.abstractmethod
    def validate(self): ...


kinds = [type(f"Kind{number}", (Base,), {}) for number in range(10)]
models = []


def make():
    return type("Model", (), {"__doc__": "m" * 2000})


fixed = make()


def work(number):
    model = fixed if program.FIXED else make()
    assert not issubclass(model, Base)
    if not program.FIXED:
        models.append(model)


if __name__ == "__main__":
    program.run(work, models.clear)
