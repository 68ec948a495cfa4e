"""Typical leaks: each function returns the object that holds the leak."""

import functools
import gc
import sys


class Thing:
    """Holds its arguments."""

    def __init__(self, **attributes):
        self.__dict__.update(attributes)


def parent_and_child():
    parent = Thing(name="parent")
    parent.children = [Thing(parent=parent) for _ in range(3)]
    return parent


def closure_of_itself():
    data = bytearray(4096)

    def walk(depth):
        return walk(depth - 1) if depth else data

    return walk


def exception_and_frame():
    def fail():
        payload = bytearray(4096)  # noqa: F841
        raise ValueError("kept")

    try:
        fail()
    except ValueError as error:
        kept = error
    frame_of = kept.__traceback__  # noqa: F841
    return kept


def cache_of_local_class():
    class Model:
        @functools.cache  # noqa: B019
        def predict(self, x):
            return [x]

    model = Model()
    model.predict(1)
    return model


def list_in_itself():
    items = [1, 2]
    items.append(items)
    return items


def dict_in_itself():
    table = {"payload": bytearray(2048)}
    table["self"] = table
    return table


def generator_in_its_frame():
    def run():
        me = yield
        data = bytearray(2048)
        yield me, data

    generator = run()
    next(generator)
    generator.send(generator)
    return generator


def bound_method_of_itself():
    button = Thing(payload=bytearray(2048))
    button.on_click = button.__init__
    return button


def partial_of_its_method():
    button = Thing(payload=bytearray(2048))
    button.on_click = functools.partial(button.__init__, 1)
    return button


def lambda_that_captures_it():
    button = Thing(payload=bytearray(2048))
    button.on_click = lambda: button.payload
    return button


def callback_in_a_list():
    button = Thing(payload=bytearray(2048))
    button.callbacks = [button.__init__]
    return button


def class_made_here():
    return type("Made", (Thing,), {"table": bytearray(512)})


def three_in_a_ring():
    a, b, c = Thing(), Thing(), Thing()
    a.next, b.next, c.next = b, c, a
    return a


COLLECTABLE = [
    parent_and_child,
    closure_of_itself,
    exception_and_frame,
    cache_of_local_class,
    list_in_itself,
    dict_in_itself,
    bound_method_of_itself,
    partial_of_its_method,
    lambda_that_captures_it,
    callback_in_a_list,
    class_made_here,
    three_in_a_ring,
]

#: Shapes that become garbage together with their class.
OF_A_CLASS = [cache_of_local_class, class_made_here]


class Predictor:
    """A named class, whose cache keeps its instances."""

    def __init__(self):
        self.weights = bytearray(1 << 20)

    @functools.cache  # noqa: B019
    def predict(self, x):
        return [x]


def keep_in_hook(model):
    """Give a torch module a hook that refers to it."""

    def hook(module, given, output):
        del module, given, output
        return model.weight

    model.register_forward_hook(hook)


def references_to_classes():
    """Count the references of each class."""
    return {
        (kind.__module__, kind.__qualname__, id(kind)): sys.getrefcount(kind)
        for kind in gc.get_objects()
        if isinstance(kind, type)
    }
