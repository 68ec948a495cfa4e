// Cycles as one line or hop by hop, the hop to cut underlined.
#include "report/words.h"
#include "cycles/cycles_private.h"

// Wider ones are told hop by hop.
enum { LINE_WIDEST = 84 };

// Adds one hop; the columns since `start` where its label stands.
static void
say_step(const lg_graph *graph, const lg_hop *hop, size_t *begin, size_t *end,
         size_t start, lg_text *out)
{
    lg__say_node(graph, hop->source, out);
    *begin = lg__text_width(out, start);
    lg__say_label(graph, hop, out);
    *end = lg__text_width(out, start);
}

static void
say_return(const lg_graph *graph, const lg_hops *circuit, lg_text *out)
{
    lg_text_add(out, circuit->count == 1 ? "itself" : "back to ");
    if (circuit->count > 1)
        lg__say_node(graph, circuit->items[0].source, out);
}

// The hops that are shown of a long cycle begin with the first and end with the
// last.
static bool
is_shown(const lg_hops *circuit, size_t hop)
{
    return circuit->count <= LG__CIRCUIT_SHOWN || hop < LG__CIRCUIT_SHOWN / 2 ||
           hop >= circuit->count - LG__CIRCUIT_SHOWN / 2;
}

// True for the first of those that are not.
static bool
say_gap(const lg_hops *circuit, size_t hop, lg_text *out)
{
    if (is_shown(circuit, hop) || !is_shown(circuit, hop - 1))
        return false;
    lg_text_add(out, "… ");
    lg_text_add_count(out, circuit->count - LG__CIRCUIT_SHOWN);
    lg_text_add(out, " more …");
    return true;
}

static void
say_line(const lg_graph *graph, const lg_hops *circuit, size_t cut,
         size_t *begin, size_t *end, lg_text *out)
{
    size_t start = out->length;
    size_t ignored[2];
    for (size_t i = 0; i < circuit->count; i++) {
        if (say_gap(circuit, i, out))
            lg_text_add(out, " -> ");
        if (!is_shown(circuit, i))
            continue;
        say_step(graph, &circuit->items[i], i == cut ? begin : &ignored[0],
                 i == cut ? end : &ignored[1], start, out);
        lg_text_add(out, " -> ");
    }
    say_return(graph, circuit, out);
}

void
lg_cycle_label(const lg_graph *graph, const lg_cycle *cycle, lg_text *out)
{
    size_t begin;
    size_t end;
    if (cycle->shortest.count > 0)
        say_line(graph, &cycle->shortest, SIZE_MAX, &begin, &end, out);
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

// An element is told with who holds its container: `Trainer.callbacks[0]`.
void
lg_cycle_advice(const lg_graph *graph, const lg_cycle *cycle, lg_text *out)
{
    const lg_hops *circuit = &cycle->shortest;
    if (circuit->count == 0)
        return;
    const lg_hop *hop = &circuit->items[cycle->cut];
    const lg_hop *before =
        &circuit->items[(cycle->cut + circuit->count - 1) % circuit->count];
    if (is_labelled(graph, hop, '[', out) &&
        is_labelled(graph, before, '.', out)) {
        lg__say_node(graph, before->source, out);
        lg__say_label(graph, before, out);
    } else {
        lg__say_node(graph, hop->source, out);
    }
    lg__say_label(graph, hop, out);
    lg_text_addf(out, ": %s", cycle->cut_reason);
}

static void
underline(const char *indent, size_t begin, size_t end, lg_text *out)
{
    lg_text_addf(out, "\n%s", indent);
    for (size_t i = 0; i < end; i++)
        lg_text_add(out, i < begin ? " " : "~");
}

static void
draw_lines(const lg_graph *graph, const lg_hops *circuit, size_t cut,
           const char *indent, lg_text *out)
{
    size_t begin;
    size_t end;
    lg_text_add(out, indent);
    for (size_t i = 0; i < circuit->count; i++) {
        if (say_gap(circuit, i, out))
            lg_text_addf(out, "\n%s-> ", indent);
        if (!is_shown(circuit, i))
            continue;
        say_step(graph, &circuit->items[i], &begin, &end, out->length, out);
        size_t arrow = i > 0 ? 3 : 0;
        if (i == cut)
            underline(indent, begin + arrow, end + arrow, out);
        lg_text_addf(out, "\n%s-> ", indent);
    }
    say_return(graph, circuit, out);
}

void
lg__draw_circuit(const lg_graph *graph, const lg_hops *circuit, size_t cut,
                 const char *indent, lg_text *out)
{
    lg_text line = {0};
    size_t begin = 0;
    size_t end = 0;
    say_line(graph, circuit, cut, &begin, &end, &line);
    out->failed |= line.failed;
    if (lg__text_width(&line, 0) > LINE_WIDEST) {
        draw_lines(graph, circuit, cut, indent, out);
    } else {
        lg_text_add(out, indent);
        lg_text_add(out, line.data ? line.data : "");
        underline(indent, begin, end, out);
    }
    lg_text_add(out, "\n");
    lg_text_free(&line);
}
