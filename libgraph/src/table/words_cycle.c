// Writes cycles on one line or hop by hop, with the hop to cut underlined.
#include "cycles/cycles_private.h"
#include "table/words.h"

// A wider cycle takes one line per hop.
enum { LINE_WIDEST = 84 };

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
    lg_text_addf(out, ": %s", cut->reason);
}

void
lg_cycle_advice(const lg_graph *graph, const lg_cycle *cycle, lg_text *out)
{
    if (cycle->cut_count > 0)
        lg__format_cut(graph, cycle, &cycle->cuts[0], out);
    else
        lg_text_add(out, cycle->left != NULL ? cycle->left : "");
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
