"""Makes random instances, lists, dicts and tuples, and cuts references in them."""

import ast
import builtins
import random
import re
import sys


class Thing:
    """An object with attributes and weak references."""


class Keeper(list):
    """A list with weak references."""


def hold(source, target, number, attribute):
    """Add a reference from source to target."""
    if isinstance(source, Thing):
        setattr(source, attribute(number), target)
    elif isinstance(source, dict):
        source[f"k{number}"] = target
    elif number % 3:
        source.append(target)
    else:
        source.append(fixed(target, number))


def fixed(target, number):
    """Put the target into a container that never changes."""
    if sys.version_info >= (3, 15) and number % 2:
        return builtins.frozendict({number: target})
    return (target, number)


def make(chance: random.Random, count, attribute):
    """Make so many objects that refer to each other, by attributes of these names."""
    made = [chance.choice((Thing, Thing, Keeper, dict))() for _ in range(count)]
    number = 0
    for source in made:
        for _ in range(chance.randrange(4)):
            number += 1
            hold(source, chance.choice(made), number, attribute)
    return made


def with_weak_references(made):
    """Select the objects that weak references can watch."""
    return [thing for thing in made if isinstance(thing, (Thing, Keeper))]


def cut(source, label):
    """Remove one reference, as a person who reads its label would."""
    if re.fullmatch(r"\.\w+", label):
        delattr(source, label[1:])
    elif isinstance(source, dict):
        del source[ast.literal_eval(label)[0]]
    else:
        source[ast.literal_eval(label)[0]] = None
