// The known mistakes: what causes each, what to do, and who recognises it.
#include "findings/context.h"

enum { KIB = 1024 };

const lg__detector lg__detectors[] = {
    {{"loss-history",
      "A container keeps losses together with their autograd graphs: the "
      "nodes, and all that no backward has freed.",
      "append(loss.item()), or loss.detach() where it must stay a tensor."},
     0,
     lg__look_for_loss_histories},
    {{"running-total",
      "A total is added up from losses that carry their autograd graphs, so "
      "the graph of every step stays.",
      "total += loss.item()"},
     0,
     lg__look_for_running_totals},
    {{"kept-activations",
      "A hook or closure keeps outputs of a forward together with their "
      "autograd graph.",
      "Store output.detach(), and remove() the hook's handle when it is done."},
     0,
     lg__look_for_activations},
    {{"create-graph-cycle",
      "backward(create_graph=True) gave gradients a graph that refers back to "
      "their parameters: a cycle through C++ that no collector frees.",
      "Use torch.autograd.grad(), or set p.grad = None before the parameters "
      "are let go."},
     0,
     lg__look_for_create_graph},
    {{"retained-graph",
      "A loss still has all that its backward needs, though gradients are "
      "there: retain_graph=True, or a result that no backward will be run on.",
      "Drop retain_graph=True, or keep loss.detach(); evaluate under "
      "torch.no_grad()."},
     0,
     lg__look_for_retained_graphs},
    {{"exception-traceback",
      "An exception is kept, and its traceback keeps the local variables of "
      "every frame it passed through.",
      "del the exception, or traceback.clear_frames(e.__traceback__); recover "
      "outside of the except block."},
     64 * KIB,
     lg__look_for_exceptions},
    {{"lru-cache",
      "functools.lru_cache keeps every argument it was called with, self "
      "included, and every result.",
      "cache_clear(), a small maxsize, or a cache of the instance's own."},
     64 * KIB,
     lg__look_for_caches},
    {{"notebook-output", "IPython keeps what cells returned, in Out and _.",
      "%reset out, or end the cell with a semicolon."},
     64 * KIB,
     lg__look_for_notebook_outputs},
    {{"stale-optimizer",
      "An optimizer keeps parameters that are in no module any more, and its "
      "state for them.",
      "Make a new optimizer for the new parameters, or take the old ones out "
      "of param_groups and state."},
     0,
     lg__look_for_stale_optimizers},
    {{"prefetched-batches",
      "A DataLoader's iterator keeps batches that were prefetched and not "
      "used.",
      "del the iterator, or lower prefetch_factor."},
     64 * KIB,
     lg__look_for_prefetched_batches},
    {{"autocast-cache",
      "Autocast keeps its casts of weights until the outermost autocast block "
      "ends.",
      "Leave the block, call torch.clear_autocast_cache(), or use "
      "cache_enabled=False."},
     0,
     lg__look_for_autocast},
    {{"compiled-code",
      "torch.compile keeps each compilation of a function, with what its "
      "backend keeps for it, on the code object.",
      "torch._dynamo.reset(), or fewer compilations: dynamic=True, "
      "mark_dynamic()."},
     64 * KIB,
     lg__look_for_compiled},
    {{"small-view",
      "A small view keeps the whole memory of the big tensor or array that it "
      "was cut from.",
      "Keep view.clone() of a tensor, view.copy() of an array."},
     256 * KIB,
     lg__look_for_small_views},
    {{"open-figures", "pyplot keeps every figure until it is closed.",
      "plt.close(fig), or matplotlib.figure.Figure() without pyplot."},
     0,
     lg__look_for_open_figures},
    {{"canvas-callback",
      "A canvas keeps a callback that is no bound method, and all that its "
      "closure refers to.",
      "mpl_disconnect() it, or connect a bound method, which is kept weakly."},
     64 * KIB,
     lg__look_for_callbacks},
    {{"animation-frames",
      "An animation keeps the data of the frames it has drawn.",
      "FuncAnimation(..., cache_frame_data=False)"},
     64 * KIB,
     lg__look_for_animations},
};

const size_t lg__detector_count = sizeof lg__detectors / sizeof *lg__detectors;
