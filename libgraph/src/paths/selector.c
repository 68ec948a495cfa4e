// Resolves selectors: the text that names objects.
#include "paths/selection.h"
#include "graph/graph_private.h"

#include <leakgraph/internal/growth.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// Resolves paths as reports of growth write them: `[*]` stands for any position
// in a container, ` key` for any key, and ` … ` for steps that are left out. So
// one text may name many objects.
//
// The search goes through the text step by step. It keeps where it is: nodes,
// each with the rest of the text. A step may lead to several nodes, and one
// that is written with spaces may end in several places.

static const char GAP[] = " … ";

typedef struct spot {
    const char *rest;
    uint32_t node;
} spot;

typedef struct folded {
    const lg_graph *graph;
    const lg_monitor *monitor;
    lg__vector now;   // spot
    lg__vector next;  // spot
    const char *rest; // of the spots to add
    lg__gathered found;
    uint8_t *seen; // [node] for a gap
    lg_text step;
    bool failed;
} folded;

static void
add_spot(folded *state, uint32_t node, const char *rest)
{
    lg_allocator allocator = lg_allocator_default();
    spot *made = lg__vector_extend(&allocator, &state->next, 1);
    if (made != NULL)
        *made = (spot){rest, node};
    state->failed |= made == NULL;
}

static int
compare_spots(const void *left, const void *right)
{
    const spot *a = left;
    const spot *b = right;
    if (a->rest != b->rest)
        return a->rest < b->rest ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

// Makes the next spots the present ones, each once.
static void
advance(folded *state)
{
    lg__vector spots = state->next;
    spot *all = spots.data;
    size_t kept = 0;
    if (spots.count > 0)
        lg__sort(all, spots.count, sizeof *all, compare_spots);
    for (size_t i = 0; i < spots.count; i++)
        if (kept == 0 || compare_spots(&all[kept - 1], &all[i]) != 0)
            all[kept++] = all[i];
    spots.count = kept;
    state->next = state->now;
    state->next.count = 0;
    state->now = spots;
}

// Returns what follows a word of the text; NULL if the text does not begin with
// the word, or the word goes on.
static const char *
behind(const char *text, const char *word)
{
    size_t length = strlen(word);
    return strncmp(text, word, length) == 0 &&
                   strchr(" .[", text[length]) != NULL
               ? text + length
               : NULL;
}

static bool
take_position(void *context, const lg_hop *hop)
{
    folded *state = context;
    if (!hop->weak && lg__hop_is_position(state->graph, hop))
        add_spot(state, hop->target, state->rest);
    return !state->failed;
}

static bool
note_parts(void *context, const lg_hop *hop)
{
    folded *state = context;
    if (lg__hop_opens_parts(state->graph, hop, &state->step))
        state->failed |= !lg__gather_append(&state->found, hop->target);
    return !state->failed && !state->step.failed;
}

static bool
take_key(void *context, const lg_hop *hop)
{
    folded *state = context;
    if (lg__edge_kind(state->graph, hop->edges[0]) == LG_EDGE_KEY)
        add_spot(state, hop->target, state->rest);
    return !state->failed;
}

static void
walk_from(folded *state, uint32_t node, lg__hop_visit visit)
{
    lg__hop_walk walk = {.graph = state->graph,
                         .fold = lg__graph_folds(state->graph),
                         .everything = true,
                         .visit = visit,
                         .context = state};
    if (walk.fold == NULL)
        state->failed = true;
    else
        lg__hops_out_walk(&walk, node);
}

// Takes all positions. What a torch.nn.ModuleList has is in one of its dicts.
static void
take_positions(folded *state, uint32_t node)
{
    size_t before = state->next.count;
    walk_from(state, node, take_position);
    if (state->next.count > before)
        return;
    state->found.count = 0;
    walk_from(state, node, note_parts);
    for (size_t i = 0; i < state->found.count && !state->failed; i++)
        walk_from(state, state->found.items[i], take_position);
    state->found.count = 0;
}

static bool
take_target(void *context, const lg_hop *hop)
{
    folded *state = context;
    add_spot(state, hop->target, state->rest);
    return !state->failed;
}

static bool
take_shown(void *context, const lg_hop *hop)
{
    folded *state = context;
    size_t length =
        lg__shown_step_length(state->graph, hop, state->rest, &state->step);
    if (length > 0)
        add_spot(state, hop->target, state->rest + length);
    return !state->failed && !state->step.failed;
}

// Follows a step as people write it. Returns whether there is one.
static bool
take_written(folded *state, const spot *from)
{
    size_t before = state->next.count;
    state->rest = from->rest;
    state->step.length = 0;
    if (lg__step_take(&state->rest, &state->step))
        lg__step_walk(state->graph, &state->step, false, from->node,
                      take_target, state, NULL);
    return state->next.count > before;
}

// Follows a step to what a thread has in a threading.local. It is written as an
// attribute, and is the value of a dict.
static void
take_local(folded *state, const spot *from)
{
    if (*from->rest != '.')
        return;
    state->rest = from->rest + 1;
    size_t length = strcspn(state->rest, " .[");
    state->step.length = 0;
    lg_text_addf(&state->step, "['%.*s']", (int)length, state->rest);
    state->rest += length;
    lg__step_walk(state->graph, &state->step, false, from->node, take_target,
                  state, NULL);
}

static void
take_named(folded *state, const spot *from)
{
    size_t before = state->next.count;
    if (take_written(state, from))
        return;
    state->rest = from->rest;
    walk_from(state, from->node, take_shown);
    if (state->next.count == before)
        take_local(state, from);
}

static bool
pass_gap(void *context, const lg_hop *hop)
{
    folded *state = context;
    lg_category category = lg__node_category(state->graph, hop->target);
    if (hop->weak || state->seen[hop->target] ||
        category == LG_CATEGORY_MODULE || category == LG_CATEGORY_TYPE)
        return true;
    state->seen[hop->target] = 1;
    if (!lg__gather_append(&state->found, hop->target))
        state->failed = true;
    return !state->failed;
}

// Adds what is anywhere below a node. The text behind the gap goes on with a
// step, or with what is there.
static void
take_gap(folded *state, const spot *from)
{
    const char *rest = from->rest + sizeof GAP - 1;
    state->found.count = 0;
    memset(state->seen, 0, (size_t)state->graph->columns.node_count + 1);
    walk_from(state, from->node, pass_gap);
    for (size_t i = 0; i < state->found.count && !state->failed; i++)
        walk_from(state, state->found.items[i], pass_gap);
    for (size_t i = 0; i < state->found.count && !state->failed; i++) {
        uint32_t node = state->found.items[i];
        state->step.length = 0;
        lg__format_node(state->graph, node, &state->step);
        const char *after = *rest == '.' || *rest == '[' ? rest
                            : state->step.failed
                                ? NULL
                                : behind(rest, state->step.data);
        if (after != NULL)
            add_spot(state, node, after);
    }
    state->found.count = 0;
}

static void
take_step(folded *state, const spot *from)
{
    const char *rest;
    state->rest = from->rest;
    if (strncmp(from->rest, GAP, sizeof GAP - 1) == 0) {
        take_gap(state, from);
    } else if ((rest = behind(from->rest, "[*]"))) {
        state->rest = rest;
        take_positions(state, from->node);
    } else if ((rest = behind(from->rest, " key"))) {
        walk_from(state, from->node, take_shown);
        state->rest = rest;
        walk_from(state, from->node, take_key);
    } else {
        take_named(state, from);
    }
}

static lg_status
follow(folded *state, lg_error *err)
{
    lg__gathered ends = {0};
    for (advance(state); state->now.count > 0 && !state->failed;
         advance(state)) {
        const spot *spots = state->now.data;
        uint32_t count = (uint32_t)state->now.count;
        for (uint32_t i = 0; i < count && !state->failed; i++) {
            if (!lg__select_goes_on(state->monitor, i, count, err)) {
                lg__free(ends.items);
                return LG_ECANCELLED;
            }
            if (*spots[i].rest != '\0')
                take_step(state, &spots[i]);
            else if (!lg__gather_append(&ends, spots[i].node))
                state->failed = true;
        }
    }
    lg__free(state->found.items);
    state->found = ends;
    return state->failed || state->step.failed ? lg__error_memory(err) : LG_OK;
}

// Begins at the roots that the text begins with: `native code: list`,
// `interpreter state`.
static void
begin_at_roots(folded *state, const char *text)
{
    static const char native[] = "native code: ";
    const lg_graph *graph = state->graph;
    bool natively = strncmp(text, native, sizeof native - 1) == 0;
    text += natively ? sizeof native - 1 : 0;
    for (uint32_t i = 0; i < graph->root_count; i++) {
        uint32_t node = graph->root_node[i];
        if ((graph->root_kind[i] == LG_ROOT_NATIVE) != natively)
            continue;
        state->step.length = 0;
        lg__format_node(graph, node, &state->step);
        const char *rest =
            state->step.failed ? NULL : behind(text, state->step.data);
        state->step.length = 0;
        lg_string kind = lg__node_kind(graph, node);
        lg_text_add_bytes(&state->step, kind.data, kind.length);
        if (rest == NULL && natively && !state->step.failed)
            rest = behind(text, state->step.data);
        if (rest != NULL)
            add_spot(state, node, rest);
    }
}

static void
begin_path(folded *state, const char *text)
{
    static const char thread[] = "thread ";
    uint32_t node = LG_NONE;
    const char *rest = text;
    if (strncmp(text, thread, sizeof thread - 1) == 0) {
        rest += sizeof thread - 1;
        node = lg__thread_begin(state->graph, &rest);
    } else if (lg__name_begin(state->graph, text, &node, &rest, NULL) !=
               LG_OK) {
        node = LG_NONE;
    }
    if (node != LG_NONE)
        add_spot(state, node, rest);
    else
        begin_at_roots(state, text);
}

// Finds the nodes that a path may mean in which positions are written as `[*]`,
// keys as ` key`, and steps left out as ` … `. It may begin at a module, a
// thread, the interpreter, or native code. LG_ENOTFOUND if there are none.
static lg_status
folded_select(const lg_graph *graph, const char *text,
              const lg_monitor *monitor, lg_nodes *out, lg_error *err)
{
    lg_allocator allocator = lg_allocator_default();
    folded state = {.graph = graph,
                    .monitor = monitor,
                    .now = {.element = sizeof(spot)},
                    .next = {.element = sizeof(spot)},
                    .seen = lg__alloc((size_t)graph->columns.node_count + 1)};
    lg_status status = LG_OK;
    if (state.seen != NULL)
        begin_path(&state, text);
    status = state.seen == NULL || state.failed ? lg__error_memory(err)
                                                : follow(&state, err);
    if (status == LG_OK)
        status = lg__nodes_take(&state.found, text, out, err);
    lg__vector_free(&allocator, &state.now);
    lg__vector_free(&allocator, &state.next);
    lg__free(state.found.items);
    lg__free(state.seen);
    lg_text_free(&state.step);
    return status;
}

static lg_status
malformed(const char *selector, lg_error *err)
{
    return lg_error_set(
        err, LG_EINVAL,
        "cannot read the selector '%.100s': write node:17 or #17, an address "
        "such as 0x7f1200, type:torch.Tensor (with * for any text, a trailing "
        "+ for subclasses too), name:train.losses[0]['x'].y (also without "
        "name:), module:train, or garbage",
        selector);
}

static lg_status
select_one(uint32_t node, lg_nodes *out, lg_error *err)
{
    uint32_t *items = lg__alloc(sizeof *items);
    if (items == NULL)
        return lg__error_memory(err);
    *items = node;
    *out = (lg_nodes){items, 1};
    return LG_OK;
}

static bool
read_number(const char *digits, int base, uint64_t *out)
{
    char *end;
    if (strspn(digits, base == 16 ? "0123456789abcdefABCDEF" : "0123456789") !=
            strlen(digits) ||
        *digits == '\0')
        return false;
    errno = 0;
    *out = strtoull(digits, &end, base);
    return errno == 0;
}

static lg_status
select_node(const lg_graph *graph, const char *digits, const char *selector,
            lg_nodes *out, lg_error *err)
{
    uint64_t node;
    if (!read_number(digits, 10, &node))
        return malformed(selector, err);
    if (node >= graph->columns.node_count)
        return lg_error_set(err, LG_ENOTFOUND,
                            "there is no %s: nodes go from 0 to %lld", selector,
                            (long long)graph->columns.node_count - 1);
    return select_one((uint32_t)node, out, err);
}

static lg_status
select_address(const lg_graph *graph, const char *selector, lg_nodes *out,
               lg_error *err)
{
    uint64_t address;
    if (!read_number(selector + 2, 16, &address))
        return malformed(selector, err);
    uint32_t node = lg_graph_find(graph, address);
    if (node == LG_NONE)
        return lg_error_set(err, LG_ENOTFOUND, "no object is at %s", selector);
    return select_one(node, out, err);
}

// Finds the one node that a text names.
typedef lg_status finder(const lg_graph *graph, const char *text,
                         uint32_t *node, lg_error *err);

static lg_status
select_found(const lg_graph *graph, const char *text, finder *find,
             lg_nodes *out, lg_error *err)
{
    uint32_t node;
    lg_status status = find(graph, text, &node, err);
    return status == LG_OK ? select_one(node, out, err) : status;
}

static lg_status
select_module(const lg_graph *graph, const char *name, lg_nodes *out,
              lg_error *err)
{
    uint32_t root = lg__module_find(graph, name, strlen(name));
    if (root != LG_NONE)
        return select_one(graph->root_node[root], out, err);
    lg__guess guess = lg__guess_new(name, strlen(name));
    for (uint32_t i = 0; i < graph->root_count; i++)
        if (graph->root_kind[i] == LG_ROOT_MODULE)
            lg__guess_offer(&guess,
                            lg_graph_string(graph, graph->root_name[i]));
    if (guess.best.length == 0)
        return lg_error_set(err, LG_ENOTFOUND, "there is no module:%.200s",
                            name);
    return lg_error_set(err, LG_ENOTFOUND,
                        "there is no module:%.200s; did you mean module:%.*s?",
                        name, (int)guess.best.length, guess.best.data);
}

// Marks the types whose name matches, and with a trailing `+` also their
// subclasses. Returns false if there is none.
static bool
mark_types(const lg_graph *graph, const char *pattern, bool *marked)
{
    size_t length = strlen(pattern);
    bool subclasses = length > 1 && pattern[length - 1] == '+';
    bool any = false;
    for (uint32_t type = 0; type < graph->type_count; type++) {
        lg_type about = lg_graph_type(graph, type);
        uint32_t looked_at = subclasses ? about.mro_count : 1;
        for (uint32_t i = 0; i < looked_at && !marked[type]; i++)
            marked[type] = lg__glob_matches(
                pattern, length - subclasses,
                lg_graph_string(graph, graph->type_name[about.mro[i]]));
        any |= marked[type];
    }
    return any;
}

static lg_status
no_type(const lg_graph *graph, const char *pattern, bool known, lg_error *err)
{
    if (known)
        return lg_error_set(err, LG_ENOTFOUND,
                            "there is no instance of type:%.200s", pattern);
    size_t length = strlen(pattern);
    if (length > 1 && pattern[length - 1] == '+')
        length--;
    lg__guess guess = lg__guess_new(pattern, length);
    for (uint32_t type = 0; type < graph->type_count; type++)
        lg__guess_offer(&guess, lg_graph_string(graph, graph->type_name[type]));
    if (guess.best.length == 0)
        return lg_error_set(err, LG_ENOTFOUND, "there is no type:%.200s",
                            pattern);
    return lg_error_set(err, LG_ENOTFOUND,
                        "there is no type:%.200s; did you mean type:%.*s?",
                        pattern, (int)guess.best.length, guess.best.data);
}

static lg_status
collect_marked(const lg_graph *graph, const bool *marked, lg_nodes *out,
               lg_error *err)
{
    const lg_columns *columns = &graph->columns;
    size_t count = 0;
    for (uint32_t node = 0; node < columns->node_count; node++)
        count += marked[columns->type[node]];
    if (count == 0)
        return LG_ENOTFOUND;
    uint32_t *items = lg__alloc(count * sizeof *items);
    if (items == NULL)
        return lg__error_memory(err);
    *out = (lg_nodes){items, count};
    for (uint32_t node = 0; node < columns->node_count; node++)
        if (marked[columns->type[node]])
            *items++ = node;
    return LG_OK;
}

static lg_status
select_type(const lg_graph *graph, const char *pattern, lg_nodes *out,
            lg_error *err)
{
    bool *marked = lg__calloc(graph->type_count, sizeof *marked);
    if (marked == NULL)
        return lg__error_memory(err);
    bool known = mark_types(graph, pattern, marked);
    lg_status status =
        known ? collect_marked(graph, marked, out, err) : LG_ENOTFOUND;
    if (status == LG_ENOTFOUND)
        status = no_type(graph, pattern, known, err);
    lg__free(marked);
    return status;
}

static const char *
after(const char *selector, const char *prefix)
{
    size_t length = strlen(prefix);
    return strncmp(selector, prefix, length) == 0 && selector[length] != '\0'
               ? selector + length
               : NULL;
}

// Finds the node of a text that follows `thread `: `MainThread in main()
// app.py:3 local x`.
static lg_status
thread_resolve(const lg_graph *graph, const char *name, uint32_t *out,
               lg_error *err)
{
    const char *rest = name;
    uint32_t node = lg__thread_begin(graph, &rest);
    if (node == LG_NONE)
        return lg_error_set(err, LG_ENOTFOUND,
                            "no thread begins 'thread %.200s'", name);
    return lg__steps_follow(graph, rest, name, node, out, err);
}

static lg_status
select_whole(const lg_graph *graph, const char *selector,
             const lg_monitor *monitor, lg_nodes *out, lg_error *err)
{
    const char *rest;
    if ((rest = after(selector, "node:")) || (rest = after(selector, "#")))
        return select_node(graph, rest, selector, out, err);
    if (after(selector, "0x") || after(selector, "0X"))
        return select_address(graph, selector, out, err);
    if ((rest = after(selector, "type:")))
        return select_type(graph, rest, out, err);
    if ((rest = after(selector, "name:")))
        return select_found(graph, rest, lg__name_resolve, out, err);
    if ((rest = after(selector, "module:")))
        return select_module(graph, rest, out, err);
    if (strcmp(selector, "garbage") == 0)
        return lg__garbage_select(graph, monitor, out, err);
    if (strcmp(selector, "native code") == 0)
        return lg__native_select(graph, monitor, out, err);
    if (lg__unrooted_is(selector))
        return lg__unrooted_select(graph, selector, monitor, out, err);
    if (after(selector, "native code: ") || after(selector, "garbage: "))
        return lg__unnamed_select(graph, selector, monitor, out, err);
    // This is how reports write paths.
    if ((rest = after(selector, "thread ")))
        return select_found(graph, rest, thread_resolve, out, err);
    if (lg__name_is_likely(selector))
        return select_found(graph, selector, lg__name_resolve, out, err);
    return malformed(selector, err);
}

// Reads a text that a report writes for an object, or for several.
static lg_status
select_pasted(const lg_graph *graph, const char *text,
              const lg_monitor *monitor, lg_nodes *out, lg_error *err)
{
    lg_status status = select_found(graph, text, lg__numbered_find, out, NULL);
    if (status != LG_OK && strstr(text, " … ") != NULL)
        status =
            lg__elided_select(graph, text, lg_graph_select, monitor, out, err);
    if (status == LG_ENOTFOUND || status == LG_EINVAL)
        status = folded_select(graph, text, monitor, out, err);
    return status;
}

// Native memory that grows has a row in reports, too.
static bool
is_native_memory(const char *text)
{
    for (int kind = 0; kind < LG_NATIVE_COUNT; kind++)
        if (strcmp(text, lg_native_kind_text((lg_native_kind)kind)) == 0)
            return true;
    return false;
}

// A key may look as if a report had left something out, or as a title does.
lg_status
lg_graph_select(const lg_graph *graph, const char *selector,
                const lg_monitor *monitor, lg_nodes *out, lg_error *err)
{
    lg_nodes nodes;
    lg_error ignored;
    const char *name = after(selector, "name:");
    const char *text = name != NULL ? name : selector;
    lg_status status = select_whole(graph, selector, monitor, out, err);
    if (status != LG_ENOTFOUND && status != LG_EINVAL)
        return status;
    if (is_native_memory(text))
        return lg_error_set(err, LG_ENOTFOUND,
                            "'%s' is no object: `memory` accounts for it",
                            text);
    lg_status pasted =
        name != NULL ? select_whole(graph, name, monitor, &nodes, &ignored)
                     : LG_ENOTFOUND;
    if (pasted == LG_ENOTFOUND || pasted == LG_EINVAL)
        pasted = select_pasted(graph, text, monitor, &nodes, &ignored);
    if (pasted == LG_ECANCELLED)
        return lg_error_set(err, pasted, "%s", ignored.message);
    if (pasted != LG_OK)
        return status;
    *out = nodes;
    return LG_OK;
}
