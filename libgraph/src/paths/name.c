// Objects by name: `name:` selectors, and paths as reports write them.
#include "graph/graph_private.h"
#include "paths/selection.h"

#include <leakgraph/internal/wording.h>

#include <stdlib.h>
#include <string.h>

// Follows paths as reports write them. Their steps may be neither .attribute
// nor [index]: `thread MainThread in main() app.py:3 local x`, `.f[0][1].y`.

typedef struct matching {
    const lg_graph *graph;
    const char *text;
    lg_text label;
    size_t longest;
    uint32_t target;
    bool ahead; // look one step ahead, to distinguish hops with equal labels
} matching;

static bool has_next(const matching *state, uint32_t node, const char *text);

static bool
ends_a_step(char after)
{
    return after == '\0' || after == '.' || after == '[' || after == ' ';
}

// Returns how much of the text a label covers, with the space before it; 0 if
// the text does not begin with it.
static size_t
length_of_label(const lg_text *label, const char *text)
{
    if (label->failed || label->length == 0)
        return 0;
    size_t space = label->data[0] != '.' && label->data[0] != '[';
    size_t length = space + label->length;
    bool begins = (!space || *text == ' ') &&
                  strncmp(text + space, label->data, label->length) == 0 &&
                  ends_a_step(text[length]);
    return begins ? length : 0;
}

// A coroutine or generator that runs may be called one, `in coroutine main()
// app.py:3`, or not.
static size_t
length_of_frame(const lg_graph *graph, uint32_t frame, const char *text,
                lg_text *label)
{
    label->length = 0;
    lg_text_add(label, "in ");
    lg__format_node(graph, frame, label);
    size_t length = length_of_label(label, text);
    if (length > 0)
        return length;
    label->length = 0;
    lg_text_add(label, "in ");
    lg__text_add_string(label, lg_node_text(graph, frame));
    return length_of_label(label, text);
}

size_t
lg__shown_step_length(const lg_graph *graph, const lg_hop *hop,
                      const char *text, lg_text *label)
{
    if (lg__edge_kind(graph, hop->edges[0]) == LG_EDGE_FRAME)
        return length_of_frame(graph, hop->target, text, label);
    label->length = 0;
    lg_hop_label(graph, hop, label);
    return length_of_label(label, text);
}

static bool
keep_longest(void *context, const lg_hop *hop)
{
    matching *state = context;
    size_t length =
        lg__shown_step_length(state->graph, hop, state->text, &state->label);
    if (length == 0 || length < state->longest)
        return !state->label.failed;
    if (length > state->longest ||
        (state->ahead && has_next(state, hop->target, state->text + length)))
        state->target = hop->target;
    state->longest = length;
    return true;
}

static bool
find_longest(matching *state, uint32_t node)
{
    lg__hop_walk walk = {.graph = state->graph,
                         .fold = lg__graph_folds(state->graph),
                         .visit = keep_longest,
                         .context = state};
    state->target = LG_NONE;
    if (walk.fold != NULL)
        lg__hops_out_walk(&walk, node);
    bool enough = walk.fold != NULL && !state->label.failed;
    lg_text_free(&state->label);
    return enough;
}

static bool
has_next(const matching *state, uint32_t node, const char *text)
{
    matching next = {.graph = state->graph, .text = text};
    return find_longest(&next, node) && next.target != LG_NONE;
}

// Follows the hop whose label, as reports write it, is the longest that the
// text begins with, and takes it off. LG_ENOTFOUND, without a message, if there
// is none.
static lg_status
shown_step_follow(const lg_graph *graph, const char **text, uint32_t *node,
                  lg_error *err)
{
    matching state = {.graph = graph, .text = *text, .ahead = true};
    if (!find_longest(&state, *node))
        return lg__error_memory(err);
    if (state.target == LG_NONE)
        return LG_ENOTFOUND;
    *text += state.longest;
    *node = state.target;
    return LG_OK;
}

uint32_t
lg__thread_begin(const lg_graph *graph, const char **text)
{
    size_t longest = 0;
    uint32_t found = LG_NONE;
    for (uint32_t i = 0; i < graph->root_count; i++) {
        if (graph->root_kind[i] != LG_ROOT_THREAD)
            continue;
        lg_string name = lg_graph_string(graph, graph->root_name[i]);
        if (name.length == 0)
            name = lg_node_text(graph, graph->root_node[i]);
        if (name.length <= longest ||
            strncmp(*text, name.data, name.length) != 0 ||
            !ends_a_step((*text)[name.length]))
            continue;
        longest = name.length;
        found = graph->root_node[i];
    }
    *text += longest;
    return found;
}

// Resolves name: selectors: the longest module prefix, then one hop per step.

uint32_t
lg__module_find(const lg_graph *graph, const char *name, size_t length)
{
    for (uint32_t i = 0; i < graph->root_count; i++) {
        lg_string known = lg_graph_string(graph, graph->root_name[i]);
        if (graph->root_kind[i] == LG_ROOT_MODULE && known.length == length &&
            memcmp(known.data, name, length) == 0)
            return i;
    }
    return LG_NONE;
}

// Finds the longest prefix, cut at a dot, that is a module. Sets *used to its
// length.
static uint32_t
find_prefix(const lg_graph *graph, const char *name, size_t *used)
{
    size_t length = strcspn(name, "[ ");
    while (length > 0) {
        uint32_t root = lg__module_find(graph, name, length);
        if (root != LG_NONE) {
            *used = length;
            return graph->root_node[root];
        }
        do
            length--;
        while (length > 0 && name[length] != '.');
    }
    return LG_NONE;
}

// Takes a backslash and the character behind it. Graphs keep a line feed as the
// four characters `\x0a`, and so on.
static void
take_escape(const char **at, lg_text *key)
{
    (*at)++;
    if (**at == 'n' || **at == 'r' || **at == 't')
        lg_text_add(key, **at == 'n'   ? "\\x0a"
                         : **at == 'r' ? "\\x0d"
                                       : "\\x09");
    else
        lg_text_addf(key, strchr("xuU", **at) ? "\\%c" : "%c", **at);
}

static bool
take_quoted(const char **text, lg_text *step)
{
    char quote = **text;
    const char *at = *text + 1;
    lg_text key = {0};
    for (; *at != '\0' && *at != quote; at++) {
        if (*at == '\\' && at[1] != '\0')
            take_escape(&at, &key);
        else
            lg_text_add_bytes(&key, at, 1);
    }
    lg__text_add_quoted(
        step, (lg_string){key.data ? key.data : "", (uint32_t)key.length});
    step->failed |= key.failed;
    lg_text_free(&key);
    if (*at != quote)
        return false;
    *text = at + 1;
    return true;
}

// Takes what is between brackets. Indexes of an array may follow each other
// with or without a space: `[1,2]`.
static void
take_indexes(const char **text, lg_text *step)
{
    const char *at = *text;
    bool numbers = strspn(at, "0123456789, ") == strcspn(at, "]");
    for (; *at != '\0' && *at != ']'; at++) {
        if (!numbers || *at != ' ')
            lg_text_add_bytes(step, at, 1);
        if (numbers && *at == ',')
            lg_text_add(step, " ");
    }
    *text = at;
}

bool
lg__step_take(const char **text, lg_text *step)
{
    const char *at = *text;
    if (*at == '.') {
        size_t length = strcspn(at + 1, ".[");
        lg_text_add_bytes(step, at, length + 1);
        *text = at + 1 + length;
        return length > 0;
    }
    if (*at != '[')
        return false;
    at++;
    lg_text_add(step, "[");
    if (*at == '\'' || *at == '"') {
        if (!take_quoted(&at, step))
            return false;
    } else {
        take_indexes(&at, step);
    }
    lg_text_add(step, "]");
    if (*at != ']')
        return false;
    *text = at + 1;
    return true;
}

enum { PARTS = 3 }; // the dicts in which torch.nn.Module keeps its parts

typedef struct stepper {
    const lg_graph *graph;
    const lg_text *step;
    bool globs;
    lg_text label;
    lg_text scratch;
    lg__hop_visit visit;
    void *context;
    uint32_t parts[PARTS];
    uint32_t part_count;
    bool going;
} stepper;

static bool
step_is(const stepper *state, const char *text)
{
    size_t length = strlen(text);
    return state->step->length == length &&
           memcmp(state->step->data, text, length) == 0;
}

// The fewest bytes that graphs keep of a key that they cut.
enum { LEAST_KEPT = 61 };

// Returns whether the step is the label. Graphs keep the beginning of a long
// key, with an ellipsis: such a label is any step that begins and ends like it.
static bool
is_label(const stepper *state)
{
    static const char cut[] = LG__ELLIPSIS "']", end[] = "']";
    const size_t cut_length = sizeof cut - 1, end_length = sizeof end - 1;
    const lg_text *label = &state->label, *step = state->step;
    if (label->length == step->length &&
        memcmp(label->data, step->data, label->length) == 0)
        return true;
    if (label->length < LEAST_KEPT + cut_length)
        return false;
    size_t head = label->length - cut_length;
    return step->length > head + end_length &&
           memcmp(label->data + head, cut, cut_length) == 0 &&
           memcmp(label->data, step->data, head) == 0 &&
           memcmp(step->data + step->length - end_length, end, end_length) == 0;
}

// Returns whether the hop is an attribute, and the step its name with `*` in
// place of numbers.
static bool
is_numbered(const stepper *state)
{
    const lg_text *label = &state->label, *step = state->step;
    return label->length > 0 && label->data[0] == '.' &&
           lg__string_fits((lg_string){label->data, (uint32_t)label->length},
                           (lg_string){step->data, (uint32_t)step->length});
}

// Returns whether the hop is the step. The member of a set has no key.
static bool
is_the_step(const stepper *state, const lg_hop *hop)
{
    const lg_text *label = &state->label;
    unsigned kind =
        lg__edge_kind(state->graph, hop->edges[hop->edge_count - 1]);
    if (state->globs && step_is(state, "[*]"))
        return label->length > 0 &&
               (label->data[0] == '[' || kind == LG_EDGE_ELEMENT);
    if (state->globs && step_is(state, ".*"))
        return label->length > 0 && label->data[0] == '.';
    return is_label(state) || (state->globs && is_numbered(state));
}

static bool
visit_the_step(stepper *state, const lg_hop *hop)
{
    if (state->label.failed || state->scratch.failed)
        return false;
    if (is_the_step(state, hop))
        state->going = state->visit(state->context, hop);
    return state->going;
}

static bool
compare_label(void *context, const lg_hop *hop)
{
    stepper *state = context;
    state->label.length = 0;
    lg_hop_label(state->graph, hop, &state->label);
    if (state->part_count < PARTS &&
        lg__hop_opens_parts(state->graph, hop, &state->scratch))
        state->parts[state->part_count++] = hop->target;
    return visit_the_step(state, hop);
}

static bool
compare_part(void *context, const lg_hop *hop)
{
    stepper *state = context;
    state->label.length = 0;
    return !lg__format_part(state->graph, hop, &state->scratch,
                            &state->label) ||
           visit_the_step(state, hop);
}

lg_status
lg__step_walk(const lg_graph *graph, const lg_text *step, bool globs,
              uint32_t node, lg__hop_visit visit, void *context, lg_error *err)
{
    stepper state = {.graph = graph,
                     .step = step,
                     .globs = globs,
                     .visit = visit,
                     .context = context,
                     .going = true};
    lg__hop_walk walk = {.graph = graph,
                         .fold = lg__graph_folds(graph),
                         .visit = compare_label,
                         .context = &state};
    if (walk.fold == NULL || step->failed)
        return lg__error_memory(err);
    lg__hops_out_walk(&walk, node);
    walk.visit = compare_part;
    for (uint32_t i = 0; i < state.part_count && state.going; i++)
        lg__hops_out_walk(&walk, state.parts[i]);
    bool failed = state.label.failed || state.scratch.failed;
    lg_text_free(&state.label);
    lg_text_free(&state.scratch);
    return failed ? lg__error_memory(err) : LG_OK;
}

static bool
keep_first(void *target, const lg_hop *hop)
{
    *(uint32_t *)target = hop->target;
    return false;
}

// Finds the target of the step from the node, or LG_NONE.
static lg_status
find_step(const lg_graph *graph, const lg_text *step, uint32_t node,
          uint32_t *out, lg_error *err)
{
    uint32_t target = LG_NONE;
    lg_status status =
        lg__step_walk(graph, step, false, node, keep_first, &target, err);
    if (status == LG_OK)
        *out = target;
    return status;
}

static lg_status
follow(const lg_graph *graph, const lg_text *step, uint32_t *node,
       lg_error *err)
{
    uint32_t target;
    lg_status status = find_step(graph, step, *node, &target, err);
    if (status == LG_OK && target == LG_NONE)
        return lg__step_missing(graph, step, *node, err);
    if (status == LG_OK)
        *node = target;
    return status;
}

// Returns a module with the variable that the name begins with: __main__ if it
// has it.
static uint32_t
find_variable(const lg_graph *graph, const char *name)
{
    lg_text step = {0};
    uint32_t main = lg__module_find(graph, "__main__", strlen("__main__"));
    uint32_t found = LG_NONE;
    lg_text_add(&step, ".");
    lg_text_add_bytes(&step, name, strcspn(name, ".["));
    for (uint32_t i = 0; i <= graph->root_count && found == LG_NONE; i++) {
        uint32_t root = i == 0 ? main : i - 1;
        uint32_t target = LG_NONE;
        if (root == LG_NONE || graph->root_kind[root] != LG_ROOT_MODULE ||
            find_step(graph, &step, graph->root_node[root], &target, NULL) !=
                LG_OK)
            continue;
        if (target != LG_NONE)
            found = root;
    }
    lg_text_free(&step);
    return found;
}

// Returns the module that a script is, whose own name is another one for
// __main__: `train` for train.py. Sets *used to the length of that name.
static uint32_t
find_script(const lg_graph *graph, const char *name, size_t *used)
{
    lg_string program = lg_graph_info_find(graph, "program");
    size_t begin = program.length, end = program.length;
    while (begin > 0 && program.data[begin - 1] != '/')
        begin--;
    if (end - begin > 3 && memcmp(program.data + end - 3, ".py", 3) == 0)
        end -= 3;
    size_t length = strcspn(name, ".[ ");
    uint32_t root = lg__module_find(graph, "__main__", strlen("__main__"));
    if (root == LG_NONE || length == 0 || length != end - begin ||
        memcmp(name, program.data + begin, length) != 0)
        return LG_NONE;
    *used = length;
    return graph->root_node[root];
}

static lg_status
no_module(const lg_graph *graph, const char *name, lg_error *err)
{
    uint32_t root = find_variable(graph, name);
    if (root != LG_NONE) {
        lg_string module = lg_graph_string(graph, graph->root_name[root]);
        return lg_error_set(
            err, LG_ENOTFOUND,
            "name:%.200s does not begin with a module; did you mean "
            "name:%.*s.%.200s?",
            name, (int)module.length, module.data, name);
    }
    lg__guess guess = lg__guess_new(name, strcspn(name, ".["));
    for (uint32_t i = 0; i < graph->root_count; i++)
        if (graph->root_kind[i] == LG_ROOT_MODULE)
            lg__guess_offer(&guess,
                            lg_graph_string(graph, graph->root_name[i]));
    if (lg__variable_suggest(graph, name, guess.distance, err))
        return LG_ENOTFOUND;
    if (guess.best.length > 0)
        return lg_error_set(
            err, LG_ENOTFOUND,
            "name:%.200s does not begin with a module; did you mean "
            "name:%.*s?",
            name, (int)guess.best.length, guess.best.data);
    return lg_error_set(err, LG_ENOTFOUND,
                        "name:%.200s does not begin with a module", name);
}

bool
lg__name_is_likely(const char *text)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    size_t length = strcspn(text, " .[:");
    return length > 0 && text[length] != ' ' && text[length] != ':' &&
           (strchr(letters, *text) != NULL || (*text & 0x80) != 0);
}

lg_status
lg__name_begin(const lg_graph *graph, const char *name, uint32_t *node,
               const char **rest, lg_error *err)
{
    size_t used = 0;
    uint32_t module = find_prefix(graph, name, &used);
    if (module == LG_NONE)
        module = find_script(graph, name, &used);
    if (module == LG_NONE)
        return no_module(graph, name, err);
    *node = module;
    *rest = name + used;
    return LG_OK;
}

lg_status
lg__step_malformed(const char *step, const char *name, lg_error *err)
{
    return lg_error_set(err, LG_EINVAL,
                        "cannot read %.100s in name:%.200s: write .attribute, "
                        "[0] or ['key']",
                        step, name);
}

// Follows the next step as people write it, or else as reports do.
static lg_status
follow_next(const lg_graph *graph, const char **rest, const char *name,
            uint32_t *node, lg_error *err)
{
    lg_text step = {0};
    const char *begin = *rest;
    lg_status status = lg__step_take(rest, &step)
                           ? follow(graph, &step, node, err)
                           : lg__step_malformed(begin, name, err);
    lg_text_free(&step);
    if (status != LG_ENOTFOUND && status != LG_EINVAL)
        return status;
    lg_status shown = shown_step_follow(graph, &begin, node, NULL);
    if (shown == LG_OK)
        *rest = begin;
    return shown == LG_OK ? LG_OK : status;
}

lg_status
lg__steps_follow(const lg_graph *graph, const char *rest, const char *name,
                 uint32_t node, uint32_t *out, lg_error *err)
{
    lg_status status = LG_OK;
    while (status == LG_OK && *rest != '\0')
        status = follow_next(graph, &rest, name, &node, err);
    if (status == LG_OK)
        *out = node;
    return status;
}

lg_status
lg__name_resolve(const lg_graph *graph, const char *name, uint32_t *out,
                 lg_error *err)
{
    uint32_t node = LG_NONE;
    const char *rest = "";
    lg_status status = lg__name_begin(graph, name, &node, &rest, err);
    return status == LG_OK ? lg__steps_follow(graph, rest, name, node, out, err)
                           : status;
}

// Returns the length of a name if the text begins with it; else 0.
static size_t
length_of(const char *text, lg_string name)
{
    bool begins = name.length > 0 &&
                  strncmp(text, name.data, name.length) == 0 &&
                  strchr(" .[", text[name.length]) != NULL;
    return begins ? name.length : 0;
}

lg_status
lg__titled_follow(const lg_graph *graph, const char *text, const char *whole,
                  uint32_t node, lg_text *title, uint32_t *target,
                  lg_error *err)
{
    title->length = 0;
    lg__format_node(graph, node, title);
    if (title->failed)
        return lg__error_memory(err);
    size_t length =
        length_of(text, (lg_string){title->data, (uint32_t)title->length});
    if (length == 0)
        length = length_of(text, lg__node_kind(graph, node));
    if (length == 0)
        return LG_ENOTFOUND;
    lg_status status =
        lg__steps_follow(graph, text + length, whole, node, target, NULL);
    if (status == LG_ENOMEM)
        return lg__error_memory(err);
    return status == LG_OK ? LG_OK : LG_ENOTFOUND;
}
