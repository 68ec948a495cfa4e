// "Did you mean": finds the known name nearest to a wrong one, and what a name
// that does not exist may mean.
#include "paths/paths_private.h"
#include "paths/selection.h"

#include <string.h>
#include <strings.h>

enum {
    LONGEST = 96, // letters to compare at most
    // Distances. A name that shares a whole part, or that one slip of a finger
    // turns into the wanted one, precedes names that only share letters.
    SAME_LAST_PART = 0,
    ONE_SLIP = 1,
    CONTAINED = 2,
    BY_LETTERS = 3,
    SLIPS_FROM = 4, // letters: of shorter names, too many are one slip away
};

lg__guess
lg__guess_new(const char *wanted, size_t length)
{
    return (lg__guess){
        wanted, length, {"", 0}, BY_LETTERS + (length + 1) / 3 + 1};
}

static lg_string
last_part(const char *name, size_t length)
{
    size_t start = length;
    while (start > 0 && name[start - 1] != '.')
        start--;
    return (lg_string){name + start, (uint32_t)(length - start)};
}

// Returns the part of a candidate to compare. A name without a dot is compared
// with the last part.
static lg_string
comparable(const lg__guess *guess, lg_string candidate)
{
    bool whole = memchr(guess->wanted, '.', guess->length) != NULL;
    return whole ? candidate : last_part(candidate.data, candidate.length);
}

static bool
is_same(lg_string a, lg_string b)
{
    return a.length > 0 && a.length == b.length &&
           strncasecmp(a.data, b.data, a.length) == 0;
}

static size_t
least(size_t a, size_t b)
{
    return a < b ? a : b;
}

// Counts letters to change, to insert and to remove, and swaps of neighbours.
// rows[i % 3][j] is the distance between the first i letters of one text and
// the first j of the other, which depends only on this row and the two before.
static size_t
edit_distance(const char *a, size_t a_length, lg_string b)
{
    size_t rows[3][LONGEST + 1];
    size_t *row = rows[0];
    for (size_t j = 0; j <= b.length; j++)
        row[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        const size_t *last = rows[(i - 1) % 3];
        const size_t *before = rows[(i + 1) % 3];
        row = rows[i % 3];
        row[0] = i;
        for (size_t j = 1; j <= b.length; j++) {
            size_t replaced = last[j - 1] + (a[i - 1] != b.data[j - 1]);
            row[j] = least(replaced, least(last[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b.data[j - 2] &&
                a[i - 2] == b.data[j - 1])
                row[j] = least(row[j], before[j - 2] + 1);
        }
    }
    return row[b.length];
}

// A few letters are in many names, so they must begin a word.
static bool
contains(lg_string whole, const char *part, size_t length)
{
    for (size_t at = 0; at + length <= whole.length; at++) {
        bool begins = at == 0 || strchr("._", whole.data[at - 1]) != NULL;
        if ((begins || length >= SLIPS_FROM) &&
            strncasecmp(whole.data + at, part, length) == 0)
            return true;
    }
    return false;
}

static size_t
distance_of(const lg__guess *guess, lg_string candidate)
{
    if (is_same(last_part(guess->wanted, guess->length),
                last_part(candidate.data, candidate.length)))
        return SAME_LAST_PART;
    size_t letters = SIZE_MAX - BY_LETTERS;
    if (guess->distance > SAME_LAST_PART && candidate.length <= LONGEST &&
        guess->length <= LONGEST)
        letters = edit_distance(guess->wanted, guess->length,
                                comparable(guess, candidate));
    if (letters <= 1 && guess->length >= SLIPS_FROM)
        return ONE_SLIP;
    if (guess->distance >= CONTAINED && guess->length >= 3 &&
        contains(candidate, guess->wanted, guess->length))
        return CONTAINED;
    return BY_LETTERS + letters;
}

void
lg__guess_offer(lg__guess *guess, lg_string candidate)
{
    if (candidate.length == 0 || guess->length == 0)
        return;
    size_t distance = distance_of(guess, candidate);
    if (distance < guess->distance ||
        (distance == guess->distance && guess->best.length > 0 &&
         (distance == SAME_LAST_PART || distance == CONTAINED) &&
         candidate.length < guess->best.length)) {
        guess->distance = distance;
        guess->best = candidate;
    }
}

// The label nearest to the step, and a copy of it.
typedef struct nearest {
    const lg_graph *graph;
    lg__guess guess;
    lg_text label;
    lg_text best;
} nearest;

static bool
offer_label(void *context, const lg_hop *hop)
{
    nearest *state = context;
    size_t distance = state->guess.distance;
    state->label.length = 0;
    lg_hop_label(state->graph, hop, &state->label);
    lg__guess_offer(&state->guess, (lg_string){state->label.data,
                                               (uint32_t)state->label.length});
    if (state->guess.distance < distance) {
        state->best.length = 0;
        lg_text_add_bytes(&state->best, state->label.data, state->label.length);
    }
    state->guess.best = (lg_string){"", 0}; // the label will be overwritten
    return !state->label.failed;
}

static void
offer_hops(nearest *state, uint32_t node)
{
    lg__hop_walk walk = {.graph = state->graph,
                         .fold = lg__graph_folds(state->graph),
                         .visit = offer_label,
                         .context = state};
    if (walk.fold != NULL)
        lg__hops_out_walk(&walk, node);
}

// Suggests nothing for an index, because no index is near another.
lg_status
lg__step_missing(const lg_graph *graph, const lg_text *step, uint32_t node,
                 lg_error *err)
{
    lg_text title = {0};
    nearest state = {.graph = graph,
                     .guess = lg__guess_new(step->data, step->length)};
    bool named = step->data[0] == '.' || step->data[1] == '\'';
    if (named)
        offer_hops(&state, node);
    lg_node_title(graph, node, false, &title);
    bool known = state.best.length > 0 && !state.best.failed;
    lg_status status =
        lg_error_set(err, LG_ENOTFOUND,
                     known ? "%.200s has no %.200s; did you mean %.200s?"
                           : "%.200s has no %.200s",
                     title.failed ? "it" : title.data, step->data,
                     known ? state.best.data : "");
    lg_text_free(&title);
    lg_text_free(&state.label);
    lg_text_free(&state.best);
    return status;
}

bool
lg__variable_suggest(const lg_graph *graph, const char *name, size_t distance,
                     lg_error *err)
{
    size_t length = strcspn(name, ".[");
    uint32_t root = LG_NONE;
    lg_text step = {0};
    lg_text_add(&step, ".");
    lg_text_add_bytes(&step, name, length);
    nearest state = {.graph = graph};
    if (!step.failed)
        state.guess = lg__guess_new(step.data, step.length);
    for (uint32_t i = 0; i < graph->root_count; i++) {
        size_t before = state.guess.distance;
        if (graph->root_kind[i] == LG_ROOT_MODULE &&
            !lg__module_is_library(graph, graph->root_node[i]))
            offer_hops(&state, graph->root_node[i]);
        root = state.guess.distance < before ? i : root;
    }
    bool found = root != LG_NONE && state.guess.distance < distance &&
                 state.best.length > 0 && !state.best.failed;
    if (found) {
        lg_string module = lg_graph_string(graph, graph->root_name[root]);
        lg_error_set(err, LG_ENOTFOUND,
                     "name:%.200s does not begin with a module; did you mean "
                     "name:%.*s%.200s%.200s?",
                     name, (int)module.length, module.data, state.best.data,
                     name + length);
    }
    lg_text_free(&step);
    lg_text_free(&state.label);
    lg_text_free(&state.best);
    return found;
}
