"""What a script of examples/leaks does when it takes the advice it gets."""

# What of the fix's words is done, and how. autocast_cache needs a device; the fix of
# animation_frames comes before the leak, as the fixed form of its script shows.
FIXES = {
    "loss_history": (
        "loss.item()",
        "losses[:] = [loss.item() for loss in losses]; del loss",
    ),
    "running_total": ("loss.item()", "total = total.item()"),
    "hook_cycle": (
        "remove()",
        "for one in gc.get_objects():\n"
        " if type(one) is OrderedDict and len(one) == 1:\n"
        "  if 'clip' in str(next(iter(one.values()))): one.clear()",
    ),
    "kept_activations": (
        "output.detach()",
        "activations['first'] = activations['first'].detach()",
    ),
    "output_history": (
        "output.detach()",
        "predictions[:] = [p.detach() for p in predictions]; del output",
    ),
    "carried_state": ("state.detach()", "agent.memory = agent.memory.detach()"),
    "create_graph_cycle": (
        "p.grad = None",
        "for one in gc.get_objects():\n"
        " if type(one) is torch.nn.Parameter: one.grad = None",
    ),
    "retained_graph": ("loss.detach()", "trainer.loss = trainer.loss.detach()"),
    "exception_traceback": (
        "traceback.clear_frames(e.__traceback__)",
        "for e in failures: traceback.clear_frames(e.__traceback__)",
    ),
    "lru_cache": ("cache_clear()", "Encoder.mask.cache_clear()"),
    "notebook_output": (
        "three cells with small results, such as 0, and then %reset out",
        "for _ in range(3): shell.run_cell('0', store_history=True)\n"
        "shell.run_cell('%reset -f out')",
    ),
    "stale_optimizer": (
        "Make a new optimizer",
        "optimizer = torch.optim.Adam(model.parameters())",
    ),
    "several_optimizers": ("delete the others", "del schedulers[:-1]"),
    "prefetched_batches": ("Delete the iterator", "del batches"),
    "compiled_code": ("torch._dynamo.reset()", "torch._dynamo.reset()"),
    "small_view": (
        "view.clone()",
        "known = {word: row.clone() for word, row in known.items()}",
    ),
    "open_figures": (
        "plt.close(fig)",
        "pyplot.close('all'); del figure, axes",
    ),
    "canvas_callback": ("mpl_disconnect()", "figure.canvas.mpl_disconnect(number)"),
    "saved_garbage": (
        "gc.set_debug(0) and gc.garbage.clear()",
        "gc.set_debug(0); gc.garbage.clear()",
    ),
    "disabled_collector": ("gc.enable()", "gc.enable()"),
    "frozen_garbage": ("gc.unfreeze()", "gc.unfreeze()"),
    "event_handlers": ("Remove the handler", "bus.listeners['resized'].clear()"),
    "log_handlers": (
        "removeHandler() and handler.close()",
        "for handler in logger.handlers[:]:\n"
        " logger.removeHandler(handler)\n"
        " handler.close()\n"
        "del handler",
    ),
    "log_records": ("clear()", "recent.buffer.clear()"),
    "endless_threads": (
        "Let each thread return",
        "import gc\n"
        "for one in gc.get_objects():\n"
        " if type(one) is Client:\n"
        "  one.closed.set()\n"
        "  one.thread.join()\n"
        "del one",
    ),
    "thread_locals": (
        "Delete the attribute",
        "def forget(number):\n"
        " together.wait()\n"
        " del scratch.buffer\n"
        "list(pool.map(forget, range(10)))",
    ),
    "unawaited_tasks": ("Await the tasks", "tasks.clear()"),
    "done_tasks": ("Drop each task", "tasks.clear()"),
    "weak_keys": (
        "Keep a weakref.ref()",
        "for session in sessions.values():\n"
        " session.request = weakref.ref(session.request)\n"
        "del session",
    ),
    "unfinished_generators": (
        "close()",
        "for reader in readers: reader.close()",
    ),
    "finalizer_cycle": (
        "detach()",
        "for one in list(weakref.finalize._registry):\n"
        " if isinstance((one.peek() or [None])[0], File): one.detach()\n"
        "del one",
    ),
    "per_call_classes": (
        "Define the class once",
        "Record = record_class(('x', 'y'))\n"
        "rows = [Record(row.x, row.y) for row in rows]",
    ),
    "wrapped_functions": (
        "Keep the original function",
        "import inspect\nModel.predict = timed(inspect.unwrap(Model.predict))",
    ),
    "id_keyed_cache": (
        "weakref.WeakKeyDictionary",
        "drawn = weakref.WeakKeyDictionary()",
    ),
    "dataframe_slice": ("part.copy()", "samples = [part.copy() for part in samples]"),
}
