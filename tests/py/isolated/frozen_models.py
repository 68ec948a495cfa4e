"""What why() says to cut of a model of pydantic is what a program may set."""

import pydantic
from pydantic import v1

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


class Old(v1.BaseModel):
    kept: object = None

    class Config:
        allow_mutation = False


class OldDerived(Old):
    pass


class OldFrozen(v1.BaseModel):
    kept: object = None

    class Config:
        frozen = True


class OldOpened(Old):
    class Config:
        allow_mutation = True


class OldMixed(v1.BaseModel):
    fixed: object = v1.Field(None, allow_mutation=False)
    kept: object = None

    class Config:
        validate_assignment = True


class OldUnchecked(OldMixed):
    class Config:
        validate_assignment = False


EXPECTED = {
    ".fixed_model": lambda: Fixed(kept=Kept()),
    ".derived_model": lambda: Derived(kept=Kept()),
    ".fixed_field": lambda: Mixed(fixed=Kept()),
    ".kept": lambda: Mixed(kept=Kept()),
    ".kept of a model that is not frozen": lambda: Opened(kept=Kept()),
    ".old_model": lambda: Old(kept=Kept()),
    ".old_derived_model": lambda: OldDerived(kept=Kept()),
    ".old_frozen_model": lambda: OldFrozen(kept=Kept()),
    ".old_fixed_field": lambda: OldMixed(fixed=Kept()),
    ".kept of an old model": lambda: OldMixed(kept=Kept()),
    ".kept of an old model that is not frozen": lambda: OldOpened(kept=Kept()),
    ".fixed of an old model that checks nothing": lambda: OldUnchecked(fixed=Kept()),
}
for name, make in EXPECTED.items():
    globals()[name[1:]] = make()
    snapshot = leakgraph.snapshot()
    (cut,) = snapshot.why(*snapshot.select("type:__main__.Kept")).cuts
    assert cut.label == name.split()[0], (cut.label, name)
    del globals()[name[1:]]
print("all right")
