"""What why() says to cut of a model of pydantic is what a program may set."""

import pydantic

import leakgraph


class Kept:
    pass


class Fixed(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(arbitrary_types_allowed=True, frozen=True)
    kept: object = None


class Derived(Fixed):
    pass


class Opened(Fixed):
    model_config = pydantic.ConfigDict(frozen=False)


class Mixed(pydantic.BaseModel):
    fixed: object = pydantic.Field(None, frozen=True)
    kept: object = None


EXPECTED = {
    ".fixed_model": lambda: Fixed(kept=Kept()),
    ".derived_model": lambda: Derived(kept=Kept()),
    ".fixed_field": lambda: Mixed(fixed=Kept()),
    ".kept": lambda: Mixed(kept=Kept()),
    ".kept of a model that is not frozen": lambda: Opened(kept=Kept()),
}
for name, make in EXPECTED.items():
    globals()[name[1:]] = make()
    snapshot = leakgraph.snapshot()
    (cut,) = snapshot.why(*snapshot.select("type:__main__.Kept")).cuts
    assert cut.label == name.split()[0], (cut.label, name)
    del globals()[name[1:]]
print("all right")
