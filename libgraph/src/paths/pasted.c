// Resolves the texts by which reports name objects, which somebody may paste as
// a selector. Such a text says less than a path: a title with a number, or a
// path with gaps and without its positions and keys. So several objects may
// match.
#include "graph/graph_private.h"
#include "paths/selection.h"
#include "paths/suspended.h"

#include <leakgraph/internal/hops.h>

#include <stdlib.h>
#include <string.h>

static const char GAP[] = " … ";

// The longest chain of coroutines that await each other.
enum { AWAITED_MOST = 64 };

// Reads an object as reports write it: `list of 2 #17`, also behind its place.

// Returns where the last part of a line of a report begins, behind two spaces.
static const char *
last_cell(const char *text)
{
    const char *cell = text;
    for (const char *next; (next = strstr(cell, "  ")) != NULL;)
        cell = next + strspn(next, " ");
    return cell;
}

static lg_status
has_title(const lg_graph *graph, uint32_t node, const char *cell, bool *out,
          lg_error *err)
{
    lg_text title = {0};
    lg_node_title(graph, node, false, &title);
    bool failed = title.failed;
    *out = !failed && title.length > 0 &&
           strncmp(cell, title.data, title.length) == 0 &&
           cell[title.length] == ' ';
    lg_text_free(&title);
    return failed ? lg__error_memory(err) : LG_OK;
}

// Finds the node that a report writes as its title and number, `list of 2 #17`,
// also behind its place and two spaces. LG_ENOTFOUND if the text is none, or if
// the node has another title: the report is of another snapshot.
static lg_status
select_numbered(const lg_graph *graph, const char *text, lg_nodes *out,
                lg_error *err)
{
    const char *cell = last_cell(text);
    const char *number = strrchr(cell, '#');
    bool found = false;
    char *end;
    if (number == NULL || number == cell || number[-1] != ' ' ||
        strspn(number + 1, "0123456789") == 0)
        return LG_ENOTFOUND;
    unsigned long long node = strtoull(number + 1, &end, 10);
    if (*end != '\0' || node >= graph->columns.node_count)
        return LG_ENOTFOUND;
    lg_status status = has_title(graph, (uint32_t)node, cell, &found, err);
    if (status == LG_OK && !found)
        status = LG_ENOTFOUND;
    return status == LG_OK ? lg__nodes_one((uint32_t)node, out, err) : status;
}

// Resolves paths that reports write through an autograd graph: of several
// steps, such a path names only the last node. Several nodes may match.

typedef struct elided {
    const lg_graph *graph;
    const lg_monitor *monitor;
    lg__select *select; // resolves what stands before the first gap
    const char *whole;
    const char *rest;   // the text behind a gap
    lg__gathered nodes; // the autograd nodes behind the gap
    lg__gathered found;
    uint8_t *seen;
    lg_text title;
    lg_error *err;
    bool failed;
} elided;

static void
append_node(elided *state, lg__gathered *to, uint32_t node)
{
    if (!lg__gather_append(to, node))
        state->failed = true;
}

static bool
step_back(void *context, const lg_hop *hop)
{
    elided *state = context;
    if (lg__hop_is_backward(state->graph, hop) && !state->seen[hop->target]) {
        state->seen[hop->target] = 1;
        append_node(state, &state->nodes, hop->target);
    }
    return !state->failed;
}

static void
go_back(elided *state, const lg_nodes *from)
{
    lg__hop_walk walk = {.graph = state->graph,
                         .fold = lg__graph_folds(state->graph),
                         .visit = step_back,
                         .context = state};
    state->failed = walk.fold == NULL;
    for (size_t i = 0; i < from->count && !state->failed; i++)
        lg__hops_out_walk(&walk, from->items[i]);
    for (size_t i = 0; i < state->nodes.count && !state->failed; i++)
        lg__hops_out_walk(&walk, state->nodes.items[i]);
}

// Takes what the steps behind the gap lead to, if the steps begin with this
// node.
static lg_status
take_behind(elided *state, uint32_t node)
{
    uint32_t target;
    lg_status status =
        lg__titled_follow(state->graph, state->rest, state->whole, node,
                          &state->title, &target, state->err);
    if (status == LG_OK)
        append_node(state, &state->found, target);
    return status == LG_ENOTFOUND ? LG_OK : status;
}

static lg_status
take_all_behind(elided *state, const lg_nodes *from)
{
    lg_status status = LG_OK;
    go_back(state, from);
    for (size_t i = 0; i < state->nodes.count && status == LG_OK; i++)
        status = take_behind(state, state->nodes.items[i]);
    return status == LG_OK && state->failed ? lg__error_memory(state->err)
                                            : status;
}

static lg_status
select_part(elided *state, const char *text, size_t length, lg_nodes *out)
{
    lg_text part = {0};
    lg_text_add_bytes(&part, text, length);
    lg_status status = part.failed
                           ? lg__error_memory(state->err)
                           : state->select(state->graph, part.data,
                                           state->monitor, out, state->err);
    lg_text_free(&part);
    return status;
}

// Crosses one gap: replaces the nodes by those behind it.
static lg_status
cross(elided *state, const char *text, size_t length, lg_nodes *nodes)
{
    lg_text part = {0};
    lg_nodes from = *nodes;
    lg_text_add_bytes(&part, text, length);
    memset(state->seen, 0, state->graph->columns.node_count);
    state->nodes.count = state->found.count = 0;
    state->rest = part.data;
    *nodes = (lg_nodes){0};
    lg_status status = part.failed ? lg__error_memory(state->err)
                                   : take_all_behind(state, &from);
    if (status == LG_OK)
        status = lg__nodes_take(&state->found, state->whole, nodes, state->err);
    lg_nodes_free(&from);
    lg_text_free(&part);
    return status;
}

static lg_status
cross_all(elided *state, lg_nodes *nodes)
{
    const char *text = state->whole;
    const char *end = strstr(text, GAP);
    lg_status status = select_part(state, text, (size_t)(end - text), nodes);
    while (status == LG_OK && *end != '\0') {
        text = end + sizeof GAP - 1;
        end = strstr(text, GAP);
        if (end == NULL)
            end = text + strlen(text);
        status = cross(state, text, (size_t)(end - text), nodes);
    }
    return status;
}

// Finds the nodes that a path may mean in which a report leaves out steps
// through an autograd graph: `train.loss.grad_fn … AddBackward0._saved_self`.
static lg_status
select_elided(const lg_graph *graph, const char *text, lg__select *select,
              const lg_monitor *monitor, lg_nodes *out, lg_error *err)
{
    elided state = {.graph = graph,
                    .monitor = monitor,
                    .select = select,
                    .whole = text,
                    .seen = lg__alloc((size_t)graph->columns.node_count + 1),
                    .err = err};
    lg_nodes nodes = {0};
    lg_status status =
        state.seen == NULL ? lg__error_memory(err) : cross_all(&state, &nodes);
    if (status == LG_OK)
        *out = nodes;
    else
        lg_nodes_free(&nodes);
    lg__free(state.nodes.items);
    lg__free(state.found.items);
    lg_text_free(&state.title);
    lg__free(state.seen);
    return status;
}

// Resolves paths as reports of growth write them: `[*]` stands for any position
// in a container, ` key` for any key, and ` … ` for steps that are left out. So
// one text may name many objects.
//
// The search goes through the text step by step. It keeps where it is: nodes,
// each with the rest of the text. A step may lead to several nodes, and one
// that is written with spaces may end in several places.

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
    uint8_t *seen;      // [node] for a gap
    lg_string numbered; // the step, in which `*` stands for a number
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

// Makes the next spots the present ones, each once. Several ways may lead to
// one node with the same rest of the text. Without the copies, the spots of a
// round are at most nodes times places in the text.
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

static bool
take_if_numbered(void *context, const lg_hop *hop)
{
    folded *state = context;
    state->step.length = 0;
    lg_hop_label(state->graph, hop, &state->step);
    lg_string label = {state->step.data, (uint32_t)state->step.length};
    if (lg__string_fits(label, state->numbered))
        add_spot(state, hop->target, state->rest);
    return !state->failed && !state->step.failed;
}

// Follows the attributes that differ in the number for which `*` stands.
static void
take_numbered(folded *state, const spot *from)
{
    size_t length = strcspn(from->rest + 1, " .[") + 1;
    state->numbered = (lg_string){from->rest, (uint32_t)length};
    state->rest = from->rest + length;
    if (*from->rest == '.' && memchr(from->rest, '*', length) != NULL)
        walk_from(state, from->node, take_if_numbered);
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
    if (state->next.count == before)
        take_numbered(state, from);
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

static bool
take_within(void *context, const lg_hop *hop)
{
    folded *state = context;
    if (lg__passes_over(state->graph, hop->source, hop->target))
        add_spot(state, hop->target, state->rest);
    return !state->failed;
}

// Stays at the coroutine or generator that the text names, as in ` in coroutine
// worker() app.py:9`, or goes to it from a task or from a coroutine that awaits
// it. Returns whether there is one.
static bool
take_suspended(folded *state, const spot *from)
{
    uint32_t node = from->node;
    for (int i = 0; i < AWAITED_MOST && node != LG_NONE; i++) {
        state->step.length = 0;
        lg__format_suspended(state->graph, node, &state->step);
        const char *rest =
            state->step.failed ? NULL : behind(from->rest, state->step.data);
        if (rest != NULL) {
            add_spot(state, node, rest);
            return true;
        }
        node = lg__node_awaits(state->graph, node);
    }
    return false;
}

static void
take_step(folded *state, const spot *from)
{
    const char *rest;
    if (strncmp(from->rest, " in ", 4) == 0 && take_suspended(state, from))
        return;
    state->rest = from->rest;
    if (lg__node_is_of_context(state->graph, from->node))
        walk_from(state, from->node, take_within);
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

// Begins at the tasks that the text names: `task Task-3`.
static void
begin_at_tasks(folded *state, const char *text)
{
    const lg_graph *graph = state->graph;
    for (uint32_t node = 0; node < graph->columns.node_count; node++) {
        uint32_t coroutine = lg__node_is_task(graph, node)
                                 ? lg__node_awaits(graph, node)
                                 : (uint32_t)LG_NONE;
        if (coroutine == LG_NONE)
            continue;
        state->step.length = 0;
        lg__format_task(graph, node, coroutine, &state->step);
        const char *rest =
            state->step.failed ? NULL : behind(text, state->step.data);
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
    else if (strncmp(text, "task ", 5) == 0)
        begin_at_tasks(state, text);
    else
        begin_at_roots(state, text);
}

// Finds the nodes that a path may mean in which positions are written as `[*]`,
// keys as ` key`, and steps left out as ` … `. It may begin at a module, a
// thread, a task, the interpreter, or native code. LG_ENOTFOUND if there are
// none.
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

lg_status
lg__pasted_select(const lg_graph *graph, const char *text, lg__select *select,
                  const lg_monitor *monitor, lg_nodes *out, lg_error *err)
{
    lg_status status = select_numbered(graph, text, out, NULL);
    if (status != LG_OK && strstr(text, GAP) != NULL)
        status = select_elided(graph, text, select, monitor, out, err);
    if (status == LG_ENOTFOUND || status == LG_EINVAL)
        status = folded_select(graph, text, monitor, out, err);
    return status;
}
