// Completes a selector while somebody types it.
#include "paths/selection.h"

#include <leakgraph/internal/hops.h>

#include <string.h>
#include <strings.h>

// Nobody waits for completions from ten million hops.
enum { HOPS = 100000 };

typedef struct completing {
    const lg_graph *graph;
    lg_text *out;
    size_t left;        // lines that may still be added
    const char *before; // begins each line
    size_t before_length;
    const char *wanted;
    size_t length;
    size_t hops;
    bool within;    // looks inside of names
    lg_text holder; // of what is offered: a module or a variable
    lg_text label;
} completing;

static void
add_line(completing *state, lg_string rest)
{
    if (state->left == 0)
        return;
    state->left--;
    lg_text_add_bytes(state->out, state->before, state->before_length);
    lg_text_add_bytes(state->out, rest.data, rest.length);
    lg_text_add(state->out, "\n");
}

static bool
begins(const completing *state, lg_string name)
{
    return name.length >= state->length &&
           strncasecmp(name.data, state->wanted, state->length) == 0;
}

// Returns whether the name contains the wanted text but does not begin with it.
static bool
is_within(const completing *state, lg_string name)
{
    return !begins(state, name) &&
           lg__string_find_any_case(name, state->wanted, state->length, 1) !=
               SIZE_MAX;
}

static void
offer(completing *state, lg_string name, bool within)
{
    if (name.length > 0 &&
        (within ? is_within(state, name) : begins(state, name)))
        add_line(state, name);
}

static void
offer_types(completing *state, bool within)
{
    for (uint32_t i = 0; i < lg_graph_type_count(state->graph); i++)
        offer(state, lg_graph_type(state->graph, i).name, within);
}

static void
offer_modules(completing *state, bool within)
{
    for (uint32_t i = 0; i < lg_graph_root_count(state->graph); i++) {
        lg_root root = lg_graph_root(state->graph, i);
        if (root.kind == LG_ROOT_MODULE)
            offer(state, root.name, within);
    }
}

static bool
goes_on(const completing *state)
{
    return state->left > 0 && state->hops < HOPS && !state->label.failed &&
           !state->holder.failed;
}

// Writes `.name` as the label. Returns false for other labels.
static bool
label_attribute(completing *state, const lg_hop *hop)
{
    state->hops++;
    state->label.length = 0;
    lg_hop_label(state->graph, hop, &state->label);
    return !state->label.failed && state->label.length >= 2 &&
           state->label.data[0] == '.';
}

// Offers the variables of a module, or the attributes of a variable:
// `train.trainer`, `train.trainer.metrics`.
static bool
offer_attribute(void *context, const lg_hop *hop)
{
    completing *state = context;
    if (!label_attribute(state, hop))
        return goes_on(state);
    const lg_string name = {state->label.data + 1,
                            (uint32_t)state->label.length - 1};
    if (state->within ? is_within(state, name) : begins(state, name)) {
        const size_t length = state->holder.length;
        lg_text_add_bytes(&state->holder, state->label.data,
                          state->label.length);
        if (!state->holder.failed)
            add_line(state, (lg_string){state->holder.data,
                                        (uint32_t)state->holder.length});
        state->holder.length = length;
    }
    return goes_on(state);
}

static void
offer_held(completing *state, uint32_t holder,
           bool (*visit)(void *, const lg_hop *))
{
    lg__hop_walk walk = {.graph = state->graph,
                         .fold = lg__graph_folds(state->graph),
                         .visit = visit,
                         .context = state};
    state->label.failed |= walk.fold == NULL;
    if (goes_on(state))
        lg__hops_out_walk(&walk, holder);
}

// Modules and classes have names of their own.
static bool
offer_of_variable(void *context, const lg_hop *hop)
{
    completing *state = context;
    const lg_category category = lg__node_category(state->graph, hop->target);
    const size_t length = state->holder.length;
    if (category == LG_CATEGORY_MODULE || category == LG_CATEGORY_TYPE ||
        !label_attribute(state, hop))
        return goes_on(state);
    lg_text_add_bytes(&state->holder, state->label.data, state->label.length);
    offer_held(state, hop->target, offer_attribute);
    state->holder.length = length;
    return goes_on(state);
}

// A module may have several names in `sys.modules`.
static bool
is_first_root(const lg_graph *graph, uint32_t index)
{
    const uint32_t node = lg_graph_root(graph, index).node;
    for (uint32_t i = 0; i < index; i++)
        if (lg_graph_root(graph, i).node == node)
            return false;
    return true;
}

static void
offer_of_modules(completing *state, bool within,
                 bool (*visit)(void *, const lg_hop *))
{
    const lg_graph *graph = state->graph;
    state->within = within;
    for (uint32_t i = 0; i < lg_graph_root_count(graph) && goes_on(state);
         i++) {
        lg_root root = lg_graph_root(graph, i);
        if (root.kind != LG_ROOT_MODULE ||
            lg__module_is_library(graph, root.node) || !is_first_root(graph, i))
            continue;
        lg_string module = lg_node_text(graph, root.node);
        state->holder.length = 0;
        lg_text_add_bytes(&state->holder, module.data, module.length);
        offer_held(state, root.node, visit);
    }
}

static void
offer_variables(completing *state, bool within)
{
    offer_of_modules(state, within, offer_attribute);
}

static void
offer_attributes(completing *state, bool within)
{
    offer_of_modules(state, within, offer_of_variable);
}

static bool
offer_label(void *context, const lg_hop *hop)
{
    completing *state = context;
    state->label.length = 0;
    lg_hop_label(state->graph, hop, &state->label);
    if (state->label.length > 0 && strchr(".[", state->label.data[0]) != NULL)
        offer(state,
              (lg_string){state->label.data, (uint32_t)state->label.length},
              false);
    return state->left > 0 && ++state->hops < HOPS && !state->label.failed;
}

// Returns where the last step of a name begins, outside of quotes; the length
// of the name if it has no step.
static size_t
last_step(const char *name)
{
    size_t found = strlen(name);
    char quote = '\0';
    for (size_t i = 0; name[i] != '\0'; i++) {
        if (quote != '\0')
            quote = name[i] == quote ? '\0' : quote;
        else if (strchr("'\"", name[i]) != NULL)
            quote = name[i];
        else if (strchr(".[", name[i]) != NULL)
            found = i;
    }
    return found;
}

// Offers what can follow the object that the name leads to without its last
// step.
static lg_status
offer_steps(completing *state, const char *name, lg_error *err)
{
    size_t step = last_step(name);
    uint32_t node = LG_NONE;
    lg_text base = {0};
    lg_text_add_bytes(&base, name, step);
    state->before = name;
    state->before_length = step;
    state->wanted = name + step;
    state->length = strlen(name + step);
    lg_status status =
        base.failed ? lg__error_memory(err)
        : state->length == 0 || step == 0
            ? LG_ENOTFOUND
            : lg__name_resolve(state->graph, base.data, &node, NULL);
    lg_text_free(&base);
    if (status == LG_ENOTFOUND || status == LG_EINVAL)
        return LG_OK;
    lg__hop_walk walk = {.graph = state->graph,
                         .fold = lg__graph_folds(state->graph),
                         .visit = offer_label,
                         .context = state};
    if (status == LG_OK && walk.fold == NULL)
        return lg__error_memory(err);
    if (status == LG_OK)
        lg__hops_out_walk(&walk, node);
    return status;
}

static void
offer_all(completing *state, const char *prefix, const char *wanted,
          void (*names)(completing *, bool))
{
    state->before = prefix;
    state->before_length = strlen(prefix);
    state->wanted = wanted;
    state->length = strlen(wanted);
    names(state, false);
    if (state->length > 0)
        names(state, true);
}

lg_status
lg_graph_complete(const lg_graph *graph, const char *text, size_t limit,
                  lg_text *out, lg_error *err)
{
    completing state = {.graph = graph, .out = out, .left = limit};
    lg_status status = LG_OK;
    if (strncmp(text, "type:", 5) == 0) {
        offer_all(&state, "type:", text + 5, offer_types);
    } else if (strncmp(text, "module:", 7) == 0) {
        offer_all(&state, "module:", text + 7, offer_modules);
    } else if (*text != '\0' && strchr("#0123456789", *text) == NULL &&
               strncmp(text, "node:", 5) != 0) {
        const char *name = strncmp(text, "name:", 5) == 0 ? text + 5 : text;
        status = offer_steps(&state, name, err);
        if (status == LG_OK) {
            offer_all(&state, "", name, offer_variables);
            offer_all(&state, "", name, offer_attributes);
            offer_all(&state, "module:", name, offer_modules);
            offer_all(&state, "type:", name, offer_types);
        }
    }
    if (status == LG_OK &&
        (state.label.failed || state.holder.failed || out->failed))
        status = lg__error_memory(err);
    lg_text_free(&state.holder);
    lg_text_free(&state.label);
    return status;
}
