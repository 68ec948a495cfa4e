"""Throw-away objects with which the capture finds the layout of a library.

The capture calls `torch` once per process, before the first walk that finds PyTorch
loaded. It reads the memory of what `torch` returns, and drops it with this module.
"""

from __future__ import annotations

import contextlib
import threading
from typing import Any

import torch as library

__all__ = ["torch"]


class Doubled(library.autograd.Function):
    """A Function in Python that saves its input, twice."""

    @staticmethod
    def forward(ctx: Any, value: Any) -> Any:
        """Return twice the value."""
        ctx.save_for_backward(value, value)
        return value * 2

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        """Return the gradient: never called."""
        return gradients[0] * 2


class Packed:
    """The hook's replacement for a saved tensor."""


def pack(tensor: Any) -> Packed:
    """Replace a saved tensor."""
    return Packed()


def unpack(packed: Any) -> Any:
    """Give the tensor back: never called."""
    raise NotImplementedError


def keep(*arguments: Any) -> None:
    """Do nothing: a hook."""


def _storage(tensor: Any) -> Any:
    if hasattr(tensor, "untyped_storage"):
        return tensor.untyped_storage()
    return tensor.storage().untyped()  # before PyTorch 2.0


def _dtypes() -> dict[str, Any]:
    """Make an empty tensor of each dtype that does not warn."""
    names = "uint8 int8 int16 int32 int64 float16 float32 float64 complex64 complex128"
    return {
        name: library.empty(0, dtype=getattr(library, name), device="cpu")
        for name in [*names.split(), "bool", "bfloat16"]
    }


def _tensors() -> dict[str, Any]:
    """Tensors of several shapes, types and owners, and their storages."""
    floats: dict[str, Any] = {"dtype": library.float32, "device": "cpu"}
    owner = bytearray(64)
    made: dict[str, Any] = {
        "short": library.ones(5, **floats),
        "long": library.ones(2, 3, 5, 7, 11, **floats),
        "deep": library.ones(2, 1, 3, 1, 2, 1, **floats),
        "meta": library.empty(9, dtype=library.float32, device="meta"),
        "owner": owner,
        "borrowing": library.frombuffer(owner, dtype=library.float32),
        "leaf": library.ones(5, requires_grad=True, **floats),
        "gradient": library.ones(5, **floats),
    }
    made["leaf"].grad = made["gradient"]
    made["leaf"].register_hook(keep)
    made["hooks"] = made["leaf"]._backward_hooks
    if hasattr(made["leaf"], "register_post_accumulate_grad_hook"):
        made["leaf"].register_post_accumulate_grad_hook(keep)
        made["late hooks"] = made["leaf"]._post_accumulate_grad_hooks
    for name in ("short", "long", "deep", "meta", "borrowing"):
        made["storage of " + name] = _storage(made[name])
    return made


def _leaves() -> dict[str, Any]:
    """Leaves of a graph that is gone: half of them do not require grad any more."""
    made: dict[str, Any] = {}
    for number in range(8):
        for name in ("trained", "frozen"):
            leaf = library.ones(3, dtype=library.float32, device="cpu")
            made[f"{name} {number}"] = leaf.requires_grad_()
            leaf.mul(leaf)
            leaf.requires_grad_(name == "trained")
    return made


def _graph() -> dict[str, Any]:
    """A small autograd graph: leaf, squares, product, and one of each kind."""
    floats: dict[str, Any] = {"dtype": library.float32, "device": "cpu"}
    leaf = library.ones(3, requires_grad=True, **floats)
    other = library.ones(3, requires_grad=True, **floats)
    square = leaf * leaf
    product = square * other
    apply: Any = Doubled.apply
    doubled = apply(square)
    with library.autograd.graph.saved_tensors_hooks(pack, unpack):
        hooked_leaf = leaf * other
        hooked = square * product
    dropped = library.ones(3, requires_grad=True, **floats)
    number = library.ones(3, dtype=library.complex64, device="cpu")
    modified = library.ones(3, **floats)
    for _ in range(3):
        modified.add_(1)
    user_of_modified = leaf * modified
    for _ in range(4):
        modified.add_(1)
    made: dict[str, Any] = {
        "graph leaf": leaf,
        "graph other": other,
        "square": square,
        "product": product,
        "half saved": square * library.ones(3, **floats),
        "exponential": square.exp(),
        "doubled": doubled,
        "hooked leaf": hooked_leaf,
        "hooked": hooked,
        "view": square.view(3, 1),
        "slice": product[0:2],
        "complex": number,
        "real view": library.view_as_real(number),
        "conjugate": number.conj(),
        "dropped": id(dropped),
        "user of dropped": dropped * dropped,
        "modified": modified,  # version 3 when it was saved, 7 now
        "user of modified": user_of_modified,
        "pack": pack,
        "unpack": unpack,
        "packed": Packed,
    }
    for name, value in list(made.items()):
        if getattr(value, "grad_fn", None) is not None:
            made["node of " + name] = value.grad_fn
    made["metadata"] = made["node of product"].metadata
    made["raw saved"] = made["node of product"]._raw_saved_self
    if hasattr(library._C._autograd, "_make_saved_tensor"):
        own = library._C._autograd._make_saved_tensor(leaf, is_output=False)
        made["own saved"] = own
    return made


def _script() -> dict[str, Any]:
    """A scripted module with two tensors, containers and a number in it.

    Compiles nothing. All of it goes with the compilation unit, which nothing else uses.
    """
    core: Any = library._C
    first = library.ones(3, dtype=library.float32, device="cpu")
    second = library.ones(4, dtype=library.float32, device="cpu")
    tensor = core.TensorType.get()
    unit = core.CompilationUnit()
    module = core.ScriptModule("leakgraph.Sample", unit, False)
    tensors = core.ListType.ofTensors()
    names = core.DictType(core.StringType.get(), tensor)
    pair = core.TupleType([tensor, tensor])
    module._register_attribute("first", tensor, first)
    module._register_attribute("second_of_two_tensors", tensor, second)
    module._register_attribute("list", tensors, [first, second])
    module._register_attribute("dict", names, {"first": first, "second": second})
    module._register_attribute("tuple", pair, (first, second))
    module._register_attribute("number", core.IntType.get(), 7)
    return {
        "script": module,
        "script first": first,
        "script second": second,
    }


def _code() -> dict[str, Any]:
    """A unit of compiled code: one function, and one constant in it."""
    core: Any = library._C
    graph = core.Graph()
    node = graph.create("prim::Constant")
    node.t_("value", library.ones(5, dtype=library.float32, device="cpu"))
    graph.insertNode(node)
    unit = core.CompilationUnit()
    return {
        "code function": unit.create_function("leakgraph.Sample.code", graph),
        "code unit": unit,
        "code graph": graph,
        "code node": node,
        "code constant": node.t("value"),  # a copy, without a graph of autograd
    }


def _concrete() -> dict[str, Any]:
    """What TorchScript notes of a class, and the class.

    Makes no type of TorchScript of it: that would stay.
    """
    return {
        "concrete": library._C.ConcreteModuleTypeBuilder(Packed),
        "concrete class": Packed,
    }


def _make() -> dict[str, Any]:
    made = {**_dtypes(), **_tensors(), **_leaves(), **_graph()}
    # Some versions cannot do this; the capture then leaves out scripted modules only.
    with contextlib.suppress(Exception):
        made.update(_script())
    with contextlib.suppress(Exception):
        made.update(_code())
    with contextlib.suppress(Exception):
        made.update(_concrete())
    tensors = [value for value in made.values() if isinstance(value, library.Tensor)]
    backward = getattr(Doubled, "_backward_cls", Packed)
    made["classes"] = tuple({Packed, Doubled, backward})
    made["addresses"] = {id(tensor): tensor._cdata for tensor in tensors}
    made["data"] = {id(tensor): tensor.data_ptr() for tensor in tensors}
    storages = [made[name] for name in made if name.startswith("storage of ")]
    made["addresses"].update((id(storage), storage._cdata) for storage in storages)
    return made


def torch(seconds: float = 10) -> dict[str, Any]:
    """Make tensors and a graph, by name.

    A thread of its own makes them: grad mode, autocast, hooks on saved tensors and
    dispatch modes belong to the caller's thread, and must neither see them nor change
    them. Raises PyTorch's errors, and TimeoutError if the thread does not end within
    `seconds`.
    """
    answer: list[Any] = []

    def work() -> None:
        try:
            answer.append(_make())
        except BaseException as error:
            answer.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(seconds)
    if not answer:
        raise TimeoutError("PyTorch did not make a few tensors in time")
    if isinstance(answer[0], BaseException):
        raise answer[0]
    made: dict[str, Any] = answer[0]
    return made
