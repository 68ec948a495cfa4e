// Writes cycles on one line or hop by hop, with the hop to cut underlined.
#include "cycles/cycles_private.h"
#include "table/words.h"

// A wider cycle takes one line per hop.
enum { LINE_WIDEST = 84 };

// What to do about a reference, or why nothing can be done.
static const char *const words_of_cuts[] = {
    [LG_CUT_NONE] = "",
    [LG_CUT_PARENT] =
        "the back reference from child to parent: make it a weakref",
    [LG_CUT_LINK] =
        "the back reference of a linked structure: make it a weakref, "
        "or clear it when the element is removed",
    [LG_CUT_TRACEBACK] = "an exception kept with its traceback: clear its "
                         "__traceback__, or del the variable that keeps it",
    [LG_CUT_HOOK] =
        "a hook captures what it is registered on: remove the hook, or "
        "let it hold a weakref",
    [LG_CUT_CALLBACK] =
        "a registered callback refers back to its owner: unregister "
        "it, or hold it through a weakref",
    [LG_CUT_CACHE] =
        "a cache keeps what its entries were computed from: bound it, "
        "clear it, or let it hold weakrefs",
    [LG_CUT_CAPTURE] =
        "what is stored here captures the object that stores it: let "
        "it capture a weakref, pass the object as an argument, or "
        "clear this when done",
    [LG_CUT_METHOD] =
        "a bound method stored where its own object reaches it: store "
        "a weakref.WeakMethod, look the method up when it is called, "
        "or clear this when done",
    [LG_CUT_SUSPENDED] =
        "a generator or coroutine that is not finished keeps its local "
        "variables: close it, or clear this when done",
    [LG_CUT_LOCAL] =
        "a local variable of a frame that is kept: del it before the "
        "frame is left",
    [LG_CUT_GRADIENT] =
        "a gradient that carries the graph which made it "
        "(create_graph=True): set .grad to None when done, or use "
        "torch.autograd.grad()",
    [LG_CUT_SAVED] =
        "a hook on saved tensors keeps an output together with its "
        "graph: let it keep tensor.detach(), or a copy",
    [LG_CUT_CONTEXT] =
        "an output stored on ctx refers back to ctx through its graph: "
        "give it to ctx.save_for_backward() instead",
    [LG_CUT_NESTED] =
        "a nested function captures itself: pass it as an argument, or "
        "del its name when it is no longer needed",
    [LG_CUT_WRAPPER] =
        "a wrapper and what it wraps refer to each other: drop one of "
        "the two names",
    [LG_CUT_CLASSES] =
        "two classes refer to each other: keep one of the references "
        "elsewhere, or weak",
    [LG_CUT_INSTANCE] =
        "an instance stored on its own class: keep it elsewhere, or "
        "through a weakref",
    [LG_CUT_OWNER] =
        "the reference from an element back to what holds it: make it "
        "a weakref",
    [LG_CUT_ATTRIBUTE] =
        "the attribute that closes the cycle: make it a weakref, or "
        "set it to None when done",
    [LG_CUT_ARRAY] =
        "an array of objects, which the collector does not look into: "
        "clear the element, or keep the objects in a list",
    [LG_CUT_ENTRY] =
        "the entry that closes the cycle: delete it when done, or keep "
        "a weakref in it",
    [LG_CUT_ELEMENT] = "the element that closes the cycle: remove it when done",
    [LG_CUT_REFERENCE] = "the reference that closes the cycle",
    [LG_CUT_KEPT_BY_LIBRARY] =
        "an object of a library refers back to the program here: let "
        "the library drop it (close, clear or unregister it)",
    [LG_CUT_SET_BY_LIBRARY] =
        "the code of a library sets this attribute: let the library "
        "drop what is in it (close, clear or unregister it)",
    [LG_STAYS_CLASS] =
        "a class always refers to itself: it goes once nothing else "
        "refers to it or its instances",
    [LG_STAYS_LIBRARY] =
        "the structure of a library refers back to itself: it goes "
        "once nothing else refers to it",
    [LG_STAYS_AUTOGRAD] =
        "inside of the autograd graph, where nothing can be cut: it "
        "goes with the tensors that hold it",
    [LG_STAYS_CPP] =
        "a reference between C++ objects: only what holds them can be "
        "released",
    [LG_STAYS_FIGURE_OPEN] =
        "the parts of a figure refer back to it; close it with "
        "pyplot.close() and drop the last reference to it",
    [LG_STAYS_FIGURE] = "the parts of a figure refer back to it; drop the last "
                        "reference to it",
    [LG_STAYS_FIXED] =
        "no program can remove the reference that closes the cycle: it "
        "goes once nothing else refers to it",
    [LG_STAYS_FOLDED] =
        "an object refers to itself here, where nothing can be cut",
};

const char *
lg__cut_words(lg_cut_reason reason)
{
    return words_of_cuts[reason];
}

// Adds one hop, and sets the columns since `start` where its label stands.
static void
format_step(const lg_graph *graph, const lg_hop *hop, size_t *begin,
            size_t *end, size_t start, lg_text *out)
{
    lg__format_node(graph, hop->source, out);
    *begin = lg__text_width(out, start);
    lg__format_label(graph, hop, out);
    *end = lg__text_width(out, start);
}

static void
format_return(const lg_graph *graph, const lg_hops *round_trip, lg_text *out)
{
    lg_text_add(out, round_trip->count == 1 ? "itself" : "back to ");
    if (round_trip->count > 1)
        lg__format_node(graph, round_trip->items[0].source, out);
}

// Returns whether a hop of a long cycle is shown: those at the beginning and at
// the end are.
static bool
is_shown(const lg_hops *round_trip, size_t hop)
{
    return round_trip->count <= LG__CYCLE_SHOWN || hop < LG__CYCLE_SHOWN / 2 ||
           hop >= round_trip->count - LG__CYCLE_SHOWN / 2;
}

// Writes a gap. Returns true for its first hop.
static bool
format_gap(const lg_hops *round_trip, size_t hop, lg_text *out)
{
    if (is_shown(round_trip, hop) || !is_shown(round_trip, hop - 1))
        return false;
    lg_text_add(out, "… ");
    lg_text_add_count(out, round_trip->count - LG__CYCLE_SHOWN);
    lg_text_add(out, " more …");
    return true;
}

static void
format_line(const lg_graph *graph, const lg_hops *round_trip, size_t cut,
            size_t *begin, size_t *end, lg_text *out)
{
    size_t start = out->length;
    size_t ignored[2];
    for (size_t i = 0; i < round_trip->count; i++) {
        if (format_gap(round_trip, i, out))
            lg_text_add(out, " -> ");
        if (!is_shown(round_trip, i))
            continue;
        format_step(graph, &round_trip->items[i],
                    i == cut ? begin : &ignored[0],
                    i == cut ? end : &ignored[1], start, out);
        lg_text_add(out, " -> ");
    }
    format_return(graph, round_trip, out);
}

void
lg_cycle_label(const lg_graph *graph, const lg_cycle *cycle, lg_text *out)
{
    size_t begin;
    size_t end;
    if (cycle->shortest.count > 0)
        format_line(graph, &cycle->shortest, SIZE_MAX, &begin, &end, out);
}

static bool
is_labelled(const lg_graph *graph, const lg_hop *hop, char first, lg_text *out)
{
    lg_text label = {0};
    lg_hop_label(graph, hop, &label);
    out->failed |= label.failed;
    bool found = !label.failed && label.length > 0 && label.data[0] == first;
    lg_text_free(&label);
    return found;
}

// Formats an element with the holder of its container: `Trainer.callbacks[0]`.
void
lg__format_cut(const lg_graph *graph, const lg_cycle *cycle,
               const lg_cycle_cut *cut, lg_text *out)
{
    const lg_hops *round_trip = &cycle->shortest;
    const lg_hop *before = NULL;
    if (cut == cycle->cuts && is_labelled(graph, &cut->hop, '[', out))
        before = &round_trip->items[(cycle->cut + round_trip->count - 1) %
                                    round_trip->count];
    if (before != NULL && is_labelled(graph, before, '.', out)) {
        lg__format_node(graph, before->source, out);
        lg__format_label(graph, before, out);
    } else {
        lg__format_node(graph, cut->hop.source, out);
    }
    lg__format_label(graph, &cut->hop, out);
    lg_text_addf(out, ": %s", lg__cut_words(cut->reason));
}

void
lg_cycle_advice(const lg_graph *graph, const lg_cycle *cycle, lg_text *out)
{
    if (cycle->cut_count > 0)
        lg__format_cut(graph, cycle, &cycle->cuts[0], out);
    else
        lg_text_add(out, lg__cut_words(cycle->left));
}

static void
underline(const char *indent, size_t begin, size_t end, lg_text *out)
{
    lg_text_addf(out, "\n%s", indent);
    for (size_t i = 0; i < end; i++)
        lg_text_add(out, i < begin ? " " : "~");
}

static void
draw_lines(const lg_graph *graph, const lg_hops *round_trip, size_t cut,
           const char *indent, lg_text *out)
{
    size_t begin;
    size_t end;
    lg_text_add(out, indent);
    for (size_t i = 0; i < round_trip->count; i++) {
        if (format_gap(round_trip, i, out))
            lg_text_addf(out, "\n%s-> ", indent);
        if (!is_shown(round_trip, i))
            continue;
        format_step(graph, &round_trip->items[i], &begin, &end, out->length,
                    out);
        size_t arrow = i > 0 ? 3 : 0;
        if (i == cut)
            underline(indent, begin + arrow, end + arrow, out);
        lg_text_addf(out, "\n%s-> ", indent);
    }
    format_return(graph, round_trip, out);
}

void
lg__format_cycle(const lg_graph *graph, const lg_hops *round_trip, size_t cut,
                 const char *indent, lg_text *out)
{
    lg_text line = {0};
    size_t begin = 0;
    size_t end = 0;
    format_line(graph, round_trip, cut, &begin, &end, &line);
    out->failed |= line.failed;
    if (lg__text_width(&line, 0) > LINE_WIDEST) {
        draw_lines(graph, round_trip, cut, indent, out);
    } else {
        lg_text_add(out, indent);
        lg_text_add(out, line.data ? line.data : "");
        if (end > begin)
            underline(indent, begin, end, out);
    }
    lg_text_add(out, "\n");
    lg_text_free(&line);
}
