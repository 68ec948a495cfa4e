// The table of known mistakes: cause, fix and detector of each.
#include "findings/context.h"

// What a mistake must keep before a report names it. Good programs also do some
// of what the detectors look for, but keep little this way: an exception of the
// last error, a cache of settings, a short output.
enum {
    // Any amount counts: each step of a training loop adds to it, or the
    // collector can never free it.
    ANY = 0,
    // Less than 64 KiB makes no difference to what a process needs.
    MUCH = 64 * 1024,
    // A view that keeps a buffer is often intended, and a copy costs time, so
    // it must pay.
    WORTH_A_COPY = 256 * 1024,
    // Programs that collect when it suits them leave garbage until then.
    TO_COLLECT = 1024 * 1024,
};

const lg__detector lg__detectors[] = {
    {{"loss-history",
      "A container keeps losses with their autograd graphs: the nodes, and "
      "everything that no backward pass freed.",
      "Append loss.item(), or loss.detach() if it must stay a tensor."},
     ANY,
     lg__look_for_loss_histories,
     LG__FIX_DROPS,
     LG__SINGLE},
    {{"running-total",
      "A total adds up losses that carry their autograd graphs, so the graph "
      "of every step stays alive.",
      "Write total += loss.item()."},
     ANY,
     lg__look_for_running_totals,
     LG__FIX_ALL,
     LG__SINGLE},
    {{"hook-cycle",
      "A hook of a tensor, or of its autograd node, refers back to what it is "
      "registered on: a cycle through C++ that the collector cannot free.",
      "Call remove() on the hook's handle before you drop the tensor, or let "
      "the hook refer to a weakref, or to tensor.detach()."},
     ANY,
     lg__look_for_hook_cycles,
     LG__FIX_ALL,
     LG__SINGLE},
    {{"kept-activations",
      "A hook or closure keeps outputs of a forward pass with their autograd "
      "graph.",
      "Store output.detach(), which keeps the values and frees their graphs, "
      "or only the numbers that you need, and call remove() on the hook's "
      "handle when you no longer need it."},
     ANY,
     lg__look_for_activations,
     LG__FIX_GRAPHS,
     LG__SINGLE},
    {{"output-history",
      "A container keeps outputs of many forward passes, each with its "
      "autograd graph and the activations in it.",
      "Append output.detach(), which keeps the values and frees their graphs, "
      "or only the numbers that you need, or run the model under "
      "torch.no_grad()."},
     ANY,
     lg__look_for_output_histories,
     LG__FIX_GRAPHS,
     LG__SINGLE},
    {{"carried-state",
      "Each step takes a state from the previous step, such as a hidden state "
      "or a cache of keys and values, and with it the autograd graph of all "
      "steps.",
      "Write state = state.detach() after each step, or run the model under "
      "torch.no_grad()."},
     ANY,
     lg__look_for_carried_states,
     LG__FIX_GRAPHS,
     LG__SINGLE},
    {{"create-graph-cycle",
      "backward(create_graph=True) gave the gradients a graph that refers back "
      "to their parameters: a cycle through C++ that the collector cannot "
      "free.",
      "Use torch.autograd.grad(), or set p.grad = None before you drop the "
      "parameters."},
     ANY,
     lg__look_for_create_graph,
     LG__FIX_ALL,
     LG__SINGLE},
    {{"retained-graph",
      "A loss still has everything that its backward pass needs, although "
      "the gradients exist: backward() ran with retain_graph=True, or nothing "
      "runs it on this result.",
      "Drop retain_graph=True, or keep loss.detach(). Evaluate under "
      "torch.no_grad()."},
     ANY,
     lg__look_for_retained_graphs,
     LG__FIX_ALL,
     LG__SINGLE},
    {{"exception-traceback",
      "Something keeps an exception, and its traceback keeps the local "
      "variables of every frame that it passed through.",
      "Delete every reference to the exception, its traceback and its frames, "
      "including sys.last_exc, sys.last_value and sys.last_traceback. Or call "
      "traceback.clear_frames(e.__traceback__), and then, up to Python 3.12, "
      "read f_locals of each frame, which empties copies that a debugger made. "
      "Handle the error after the except block, where the exception is gone."},
     MUCH,
     lg__look_for_exceptions,
     LG__FIX_ALL,
     LG__ACCUMULATES},
    {{"lru-cache",
      "functools.lru_cache keeps every argument of its calls, even self, and "
      "every result.",
      "Call cache_clear(), set a small maxsize, or give each instance its own "
      "cache."},
     MUCH,
     lg__look_for_caches,
     LG__FIX_ALL,
     LG__SINGLE},
    {{"notebook-output",
      "IPython keeps the results of cells in Out, _, __ and ___.",
      "Run three cells with small results, such as 0, and then %reset out. Or "
      "end the cell with a semicolon, so that IPython keeps no result."},
     MUCH,
     lg__look_for_notebook_outputs,
     LG__FIX_ALL,
     LG__SINGLE},
    {{"stale-optimizer",
      "An optimizer keeps parameters that no module has any more, and its "
      "state for them.",
      "Make a new optimizer for the new parameters, or remove the old ones "
      "from param_groups and state."},
     ANY,
     lg__look_for_stale_optimizers,
     LG__FIX_ALL,
     LG__SINGLE},
    {{"several-optimizers",
      "Several optimizers have state for the same parameters, and those that "
      "you no longer use keep theirs.",
      "Keep one optimizer, and delete the others and their schedulers, or call "
      "state.clear() on those that you use later."},
     MUCH,
     lg__look_for_several_optimizers,
     LG__FIX_ALL,
     LG__SINGLE},
    {{"prefetched-batches",
      "A DataLoader's iterator keeps batches that it fetched ahead and nothing "
      "has used yet.",
      "Delete the iterator, or lower prefetch_factor."},
     MUCH,
     lg__look_for_prefetched_batches,
     LG__FIX_DROPS,
     LG__SINGLE},
    {{"autocast-cache",
      "Autocast keeps its casts of weights until the outermost autocast block "
      "ends.",
      "Leave the block, call torch.clear_autocast_cache(), or set "
      "cache_enabled=False."},
     ANY,
     lg__look_for_autocast,
     LG__FIX_ALL,
     LG__SINGLE},
    {{"compiled-code",
      "torch.compile keeps each compilation of a function on its code object, "
      "together with the backend's data for it.",
      "Call torch._dynamo.reset(), or compile less often with dynamic=True or "
      "mark_dynamic()."},
     MUCH,
     lg__look_for_compiled,
     LG__FIX_ALL,
     LG__SINGLE},
    {{"small-view",
      "A small view keeps all the memory of a big tensor or array.",
      "Keep view.clone() of a tensor, or view.copy() of an array, instead."},
     WORTH_A_COPY,
     lg__look_for_small_views,
     LG__FIX_DROPS,
     LG__ACCUMULATES},
    {{"open-figures", "pyplot keeps every figure until you close it.",
      "Call plt.close(fig) and drop the last reference to it, or make figures "
      "with matplotlib.figure.Figure(), without pyplot."},
     ANY,
     lg__look_for_open_figures,
     LG__FIX_DROPS,
     LG__SINGLE},
    {{"canvas-callback",
      "A canvas keeps a callback that is not a bound method, and everything "
      "that its closure refers to.",
      "Call mpl_disconnect(), or connect a bound method, which the canvas "
      "refers to weakly."},
     MUCH,
     lg__look_for_callbacks,
     LG__FIX_ALL,
     LG__SINGLE},
    {{"animation-frames",
      "An animation keeps the data of the frames that it drew.",
      "Pass cache_frame_data=False to FuncAnimation."},
     MUCH,
     lg__look_for_animations,
     LG__FIX_DROPS,
     LG__SINGLE},
    {{"saved-garbage",
      "gc.garbage keeps everything that the collector found, because "
      "DEBUG_SAVEALL is or was set.",
      "Call gc.set_debug(0) and gc.garbage.clear()."},
     MUCH,
     lg__look_for_saved_garbage,
     LG__FIX_ALL,
     LG__SINGLE},
    {{"disabled-collector",
      "The collector is disabled, so garbage in cycles stays.",
      "Call gc.enable(), or gc.collect() at times that suit the program."},
     TO_COLLECT,
     lg__look_for_disabled_collector,
     LG__FIX_ALL,
     LG__SINGLE},
    {{"frozen-garbage",
      "gc.freeze() hid objects from the collector, so garbage among them "
      "stays.",
      "Call gc.unfreeze() and gc.collect()."},
     MUCH,
     lg__look_for_frozen_garbage,
     LG__FIX_ALL,
     LG__SINGLE},
    {{"event-handlers",
      "A registry keeps handlers that nobody removed, and the object that each "
      "bound method or closure refers to.",
      "Remove the handler when you are done with its object, or register "
      "weakref.WeakMethod(object.method)."},
     MUCH,
     lg__look_for_event_handlers,
     LG__FIX_DROPS,
     LG__SINGLE},
    {{"log-handlers",
      "A logger has many handlers of one class, because code adds another one "
      "each time it runs. Each handler writes every message.",
      "Call addHandler() once, when the program starts, or removeHandler() and "
      "handler.close() afterwards."},
     ANY,
     lg__look_for_log_handlers,
     LG__FIX_ALL,
     LG__SINGLE},
    {{"log-records",
      "A container keeps log records, with the arguments and exceptions in "
      "them.",
      "Call flush() or clear() on the container, lower the capacity of a "
      "MemoryHandler, or keep handler.format(record)."},
     MUCH,
     lg__look_for_log_records,
     LG__FIX_DROPS,
     LG__SINGLE},
    {{"endless-threads",
      "Many threads do the same work, and the program keeps no reference to "
      "them, so nothing can end them.",
      "Let each thread return when its work is done: call close(), stop() or "
      "the like of what started it. Or give the work to a "
      "ThreadPoolExecutor."},
     ANY,
     lg__look_for_threads,
     LG__FIX_ALL,
     LG__SINGLE},
    {{"thread-locals",
      "A threading.local keeps a value for each of many threads until the "
      "thread ends.",
      "Delete the attribute when a task is done, or run fewer threads."},
     WORTH_A_COPY,
     lg__look_for_thread_locals,
     LG__FIX_ALL,
     LG__SINGLE},
    {{"unawaited-tasks",
      "A container keeps asyncio tasks that wait, and that nobody awaits, with "
      "their frames.",
      "Await the tasks, use asyncio.TaskGroup, or call "
      "task.add_done_callback(tasks.discard)."},
     MUCH,
     lg__look_for_tasks,
     LG__FIX_ALL,
     LG__SINGLE},
    {{"done-tasks",
      "A container keeps asyncio tasks, or futures of executors, that are "
      "done, with their results or exceptions.",
      "Drop each task when it is done, as "
      "task.add_done_callback(tasks.discard) "
      "does, or keep only task.result()."},
     MUCH,
     lg__look_for_done_tasks,
     LG__FIX_DROPS,
     LG__SINGLE},
    {{"unfinished-generators",
      "A container keeps generators or coroutines that have not finished, with "
      "their local variables.",
      "Call close() on each, or drop it, when you no longer need it."},
     MUCH,
     lg__look_for_generators,
     LG__FIX_ALL,
     LG__SINGLE},
    {{"finalizer-cycle",
      "The function or the arguments of weakref.finalize(), or the callback of "
      "a weak reference, refer to the object itself, so it never dies.",
      "Pass a plain function and what it needs, such as a path, but not the "
      "object or its bound method. Or call detach() of the finalizer, or drop "
      "the weak reference."},
     MUCH,
     lg__look_for_finalizers,
     LG__FIX_ALL,
     LG__SINGLE},
    {{"weak-keys",
      "Values of a WeakKeyDictionary refer to their own keys, or keys of a "
      "WeakValueDictionary to their own values, so these entries never go.",
      "Keep a weakref.ref() there instead, or only what you need of the "
      "object."},
     MUCH,
     lg__look_for_weak_keys,
     LG__FIX_ALL,
     LG__SINGLE},
    {{"per-call-classes",
      "A function makes a class on each call, and objects and caches keep all "
      "these classes.",
      "Define the class once, at module level, or cache it."},
     MUCH,
     lg__look_for_classes,
     LG__FIX_ALL,
     LG__ACCUMULATES},
    {{"wrapped-functions",
      "Code wraps a function again and again, and each wrapper keeps the "
      "previous one.",
      "Keep the original function and wrap it, or wrap the function that "
      "inspect.unwrap() returns."},
     ANY,
     lg__look_for_wrappers,
     LG__FIX_ALL,
     LG__SINGLE},
    {{"id-keyed-cache",
      "A dict keyed by id(object) keeps its values after the objects are gone, "
      "and may return them for new objects with the same ids.",
      "Use a weakref.WeakKeyDictionary, or remove the key with "
      "weakref.finalize()."},
     MUCH,
     lg__look_for_id_keys,
     LG__FIX_DROPS,
     LG__SINGLE},
    {{"dataframe-slice",
      "A small part of a DataFrame or Series keeps the memory of the whole.",
      "Keep part.copy() instead."},
     WORTH_A_COPY,
     lg__look_for_slices,
     LG__FIX_DROPS,
     LG__ACCUMULATES},
};

const lg_pattern lg__other_pattern = {"other-holder",
                                      "Other objects keep a part of it, too, "
                                      "so mending the mistake does not free "
                                      "that part.",
                                      "Drop what the other holders have, too."};

const size_t lg__detector_count = sizeof lg__detectors / sizeof *lg__detectors;
