// Finds names by words: variables, attributes, keys, locals, types and modules.
//
// A reference has a name, and its source is the owner of that name. References
// with equal names of owners of one kind are one hit: `.losses` of all
// Trainers. The search makes a record of each such reference, and of each
// object of a type and each module with such a name. It sorts the records by
// the hash of owner and name, so each hit is a run of records.
#include "answers/answers_private.h"
#include "table/table_private.h"

#include <leakgraph/internal/options.h>
#include <leakgraph/path.h>
#include <leakgraph/internal/search.h>

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

// Nobody types more.
enum { MOST_WORDS = 16 };

// Whether a name may be meant.
enum { UNKNOWN = 0, NO, YES };

typedef struct record {
    uint64_t key;
    uint32_t owner;
    uint32_t node;
    uint64_t edge; // UINT64_MAX: of a type or module
    uint8_t kind;
} record;

// A hit, and its records.
typedef struct found {
    lg_hit hit;
    const record *first;
    size_t records;
} found;

typedef struct searching {
    const lg_analysis *analysis;
    const lg_graph *graph;
    const lg_monitor *monitor;
    const lg__folds *folds;
    char *text; // the words point into it
    const char *words[MOST_WORDS];
    size_t word_count;
    bool special; // a word has two underscores
    uint8_t *of_string;
    uint8_t *of_node;
    lg_allocator allocator;
    lg__vector records;
    lg__vector hits; // found
    uint32_t *seen;  // [node] 1 + the hit that last looked at it
    lg__keepers keepers;
    lg_text name;
    lg_search out;
} searching;

static lg_status
read_words(searching *to, const char *text, lg_error *err)
{
    char *rest = NULL;
    to->text = strdup(text);
    if (to->text == NULL)
        return lg__error_memory(err);
    for (char *word = strtok_r(to->text, " \t", &rest);
         word != NULL && to->word_count < MOST_WORDS;
         word = strtok_r(NULL, " \t", &rest)) {
        to->words[to->word_count++] = word;
        to->special |= strstr(word, "__") != NULL;
    }
    return LG_OK;
}

// Returns where the word ends in the text, from `from` on; SIZE_MAX if the text
// does not have it.
static size_t
end_of(lg_string text, const char *word, size_t from)
{
    size_t length = strlen(word);
    size_t at = lg__string_find_any_case(text, word, length, from);
    return at != SIZE_MAX ? at + length : SIZE_MAX;
}

// Returns what stands after the last dot or bracket of a word.
static const char *
tail_of(const char *word)
{
    const char *tail = word;
    for (; *word != '\0'; word++)
        if (strchr(".[]'\"", *word) != NULL && word[1] != '\0')
            tail = word + 1;
    return tail;
}

static bool
is_special(lg_string name)
{
    return name.length > 4 && memcmp(name.data, "__", 2) == 0 &&
           memcmp(name.data + name.length - 2, "__", 2) == 0;
}

// Returns whether the last part of a name has the end of a word.
static bool
may_be_meant(const searching *to, lg_string name)
{
    bool meant = to->word_count == 0;
    if (name.length == 0 || (!to->special && is_special(name)))
        return false;
    for (size_t i = 0; i < to->word_count && !meant; i++)
        meant = end_of(name, tail_of(to->words[i]), 0) != SIZE_MAX;
    return meant;
}

// Returns whether the whole name has all words, one of which ends in its last
// part.
static bool
is_meant(const searching *to, lg_string whole, size_t last)
{
    bool reaches = to->word_count == 0;
    for (size_t i = 0; i < to->word_count; i++) {
        size_t end = end_of(whole, to->words[i], 0);
        if (end == SIZE_MAX)
            return false;
        for (; end != SIZE_MAX && !reaches;
             end = end_of(whole, to->words[i], end + 1 - strlen(to->words[i])))
            reaches = end > whole.length - last;
    }
    return reaches;
}

// Writes the name of a class or a function, or else the type of an object.
static void
add_owner(const lg_graph *graph, uint32_t owner, lg_text *out)
{
    lg_category category = lg__node_category(graph, owner);
    lg_string text = lg_node_text(graph, owner);
    bool named = category == LG_CATEGORY_TYPE || category == LG_CATEGORY_MODULE;
    if (named && text.length > 0)
        lg__text_add_string(out, text);
    else
        lg__text_add_string(
            out,
            lg_graph_type(graph, lg_columns_type(&graph->columns, owner)).name);
}

static void
add_frame(const lg_graph *graph, uint32_t frame, lg_text *out)
{
    lg_string text = lg_node_text(graph, frame);
    if (text.length == 0)
        lg_node_title(graph, frame, false, out);
    else
        lg__text_add_string(out, text);
    lg_text_add(out, " local ");
}

static lg_string
edge_name(const lg_graph *graph, uint64_t edge)
{
    return lg__edge_kind(graph, edge) == LG_EDGE_LOCAL
               ? lg_graph_string(graph,
                                 lg_columns_payload(&graph->columns, edge))
               : lg__edge_name(graph, edge);
}

void
lg_hit_name(const lg_graph *graph, const lg_hit *hit, lg_text *out)
{
    switch (hit->kind) {
    case LG_HIT_VARIABLE:
    case LG_HIT_ATTRIBUTE:
        add_owner(graph, hit->owner, out);
        lg_text_add(out, ".");
        lg__text_add_string(out, edge_name(graph, hit->edge));
        break;
    case LG_HIT_KEY:
        add_owner(graph, hit->owner, out);
        lg_edge_label(graph, hit->edge, out);
        break;
    case LG_HIT_LOCAL:
        add_frame(graph, hit->owner, out);
        lg__text_add_string(out, edge_name(graph, hit->edge));
        break;
    case LG_HIT_TYPE:
        lg__text_add_string(
            out,
            lg_graph_type(graph, lg_columns_type(&graph->columns, hit->node))
                .name);
        break;
    case LG_HIT_MODULE:
        lg__text_add_string(out, lg_node_text(graph, hit->node));
        break;
    default:
        lg_node_title(graph, hit->node, false, out);
    }
}

// Returns whether the words mean a record, by its whole name.
static bool
is_wanted(searching *to, const record *one, size_t last)
{
    const lg_hit hit = {.kind = (lg_hit_kind)one->kind,
                        .owner = one->owner,
                        .edge = one->edge,
                        .node = one->node};
    if (to->word_count == 0)
        return true;
    to->name.length = 0;
    lg_hit_name(to->graph, &hit, &to->name);
    return is_meant(to,
                    (lg_string){to->name.data ? to->name.data : "",
                                (uint32_t)to->name.length},
                    last);
}

static bool
add_record(searching *to, const record *one)
{
    record *place = lg__vector_extend(&to->allocator, &to->records, 1);
    if (place != NULL)
        *place = *one;
    return place != NULL;
}

// Objects of one type, and all frames of a function, own their names together.
static uint64_t
owner_key(const searching *to, unsigned kind, uint32_t owner)
{
    const lg_graph *graph = to->graph;
    lg_string text = lg_node_text(graph, owner);
    lg_category category = lg__node_category(graph, owner);
    if (kind == LG_HIT_LOCAL && text.length > 0)
        return XXH3_64bits(text.data, text.length);
    return kind == LG_HIT_VARIABLE || kind == LG_HIT_LOCAL ||
                   category == LG_CATEGORY_TYPE
               ? (UINT64_C(1) << 32) + owner
               : lg_columns_type(&graph->columns, owner);
}

static uint8_t *
known_of(searching *to, uint64_t edge)
{
    uint32_t payload = lg_columns_payload(&to->graph->columns, edge);
    switch (lg__edge_kind(to->graph, edge)) {
    case LG_EDGE_ATTRIBUTE:
    case LG_EDGE_LOCAL:
        return payload < to->graph->string_count ? &to->of_string[payload]
                                                 : NULL;
    case LG_EDGE_VALUE:
        return payload != LG_NONE ? &to->of_node[payload] : NULL;
    default:
        return NULL;
    }
}

static lg_hit_kind
kind_of(const searching *to, uint64_t edge, uint32_t source, uint32_t owner)
{
    unsigned kind = lg__edge_kind(to->graph, edge);
    if (kind == LG_EDGE_LOCAL)
        return LG_HIT_LOCAL;
    if (lg__node_category(to->graph, owner) == LG_CATEGORY_MODULE)
        return LG_HIT_VARIABLE;
    return kind == LG_EDGE_VALUE && source == owner ? LG_HIT_KEY
                                                    : LG_HIT_ATTRIBUTE;
}

// Without words, only variables of the program's own modules count.
static bool
counts(const searching *to, const record *one)
{
    if (lg__node_category(to->graph, one->node) == LG_CATEGORY_MODULE)
        return false;
    return to->word_count > 0 ||
           (one->kind == LG_HIT_VARIABLE &&
            !lg__module_is_library(to->graph, one->owner));
}

static bool
look_at_edge(searching *to, uint32_t source, uint64_t edge)
{
    const lg_graph *graph = to->graph;
    uint8_t *known = known_of(to, edge);
    if (known == NULL ||
        (lg_columns_kind(&graph->columns, edge) & LG_EDGE_WEAK) || *known == NO)
        return true;
    lg_string name = edge_name(graph, edge);
    if (*known == UNKNOWN)
        *known = may_be_meant(to, name) ? YES : NO;
    uint32_t owner = lg__seen_node(to->folds, source);
    record one = {.owner = owner,
                  .node = lg__seen_node(
                      to->folds, lg_columns_target(&graph->columns, edge)),
                  .edge = edge,
                  .kind = (uint8_t)kind_of(to, edge, source, owner)};
    if (*known == NO || one.node == owner || !counts(to, &one) ||
        !is_wanted(to, &one, name.length + (one.kind == LG_HIT_KEY ? 2 : 0)))
        return true;
    one.key = XXH3_64bits_withSeed(
        name.data, name.length, owner_key(to, one.kind, owner) * 8 + one.kind);
    return add_record(to, &one);
}

static lg_status
look_at_edges(searching *to, lg_error *err)
{
    const lg_columns *columns = &to->graph->columns;
    for (uint32_t node = 0; node < columns->node_count; node++) {
        if (node % 65536 == 0 &&
            !lg__monitor_goes_on(to->monitor, "searching names",
                                 (double)node / columns->node_count, err))
            return LG_ECANCELLED;
        const lg_edge_range edges = lg_columns_edges(columns, node);
        for (uint64_t edge = edges.begin; edge < edges.end; edge++)
            if (!look_at_edge(to, node, edge))
                return lg__error_memory(err);
    }
    return LG_OK;
}

static lg_status
look_at_types(searching *to, lg_error *err)
{
    const lg_graph *graph = to->graph;
    uint8_t *known = lg__calloc((size_t)graph->type_count + 1, 1);
    bool enough = known != NULL;
    for (uint32_t node = 0; node < graph->columns.node_count && enough;
         node++) {
        uint32_t type = lg_columns_type(&graph->columns, node);
        lg_string name = lg_graph_type(graph, type).name;
        record one = {.key = XXH3_64bits(name.data, name.length),
                      .owner = node,
                      .node = node,
                      .edge = UINT64_MAX,
                      .kind = LG_HIT_TYPE};
        lg_string last = lg__last_part(name);
        if (known[type] == UNKNOWN)
            known[type] =
                may_be_meant(to, last) && is_wanted(to, &one, last.length) ? YES
                                                                           : NO;
        if (known[type] == YES && lg__fold_owner(to->folds, node) == LG_NONE)
            enough = add_record(to, &one);
    }
    lg__free(known);
    return enough ? LG_OK : lg__error_memory(err);
}

static lg_status
look_at_modules(searching *to, lg_error *err)
{
    for (uint32_t i = 0; i < to->graph->root_count; i++) {
        lg_root root = lg_graph_root(to->graph, i);
        lg_string name = lg_node_text(to->graph, root.node);
        lg_string last = lg__last_part(name);
        const record one = {.key = UINT64_MAX - root.node,
                            .owner = root.node,
                            .node = root.node,
                            .edge = UINT64_MAX,
                            .kind = LG_HIT_MODULE};
        if (root.kind == LG_ROOT_MODULE && may_be_meant(to, last) &&
            is_wanted(to, &one, last.length) && !add_record(to, &one))
            return lg__error_memory(err);
    }
    return LG_OK;
}

static int
compare_records(const void *a, const void *b)
{
    const record *one = a;
    const record *other = b;
    if (one->key != other->key)
        return one->key < other->key ? -1 : 1;
    return one->node < other->node ? -1 : one->node > other->node;
}

// Returns whether the hit has another object that dominates the node, so that
// its bytes count already. Nodes of the hit have the mark `own`; those on the
// way that lead to none get `own + 1`, so each is looked at once.
static bool
is_below_own(searching *to, uint32_t node, uint32_t own)
{
    uint32_t at = lg_node_dominator(to->analysis, node);
    uint32_t first = at;
    while (at != LG_NONE && to->seen[at] != own && to->seen[at] != own + 1)
        at = lg_node_dominator(to->analysis, at);
    bool below = at != LG_NONE && to->seen[at] == own;
    for (at = first; !below && at != LG_NONE && to->seen[at] != own + 1;
         at = lg_node_dominator(to->analysis, at))
        to->seen[at] = own + 1;
    return below;
}

static bool
add_hit(searching *to, const record *run, size_t count)
{
    uint32_t own = 2 * (uint32_t)to->hits.count + 2;
    found *added = lg__vector_extend(&to->allocator, &to->hits, 1);
    if (added == NULL)
        return false;
    *added = (found){{.kind = (lg_hit_kind)run->kind}, run, count};
    lg_hit *hit = &added->hit;
    uint64_t most = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t bytes = lg__freed_by(to->analysis, run[i].node);
        if (to->seen[run[i].node] == own)
            continue;
        to->seen[run[i].node] = own;
        if (hit->count++ == 0 || bytes > most) {
            most = bytes;
            hit->owner = run[i].owner;
            hit->edge = run[i].edge;
            hit->node = run[i].node;
        }
    }
    for (size_t i = 0; i < count; i++)
        if ((i == 0 || run[i].node != run[i - 1].node) &&
            !is_below_own(to, run[i].node, own))
            hit->weight += lg__freed_by(to->analysis, run[i].node);
    return true;
}

static bool
is_mine(searching *to, const lg_hit *hit)
{
    uint32_t keeper = lg__keepers_of(&to->keepers, hit->owner);
    if (keeper == LG__KEPT_BY_PROGRAM)
        return true;
    return keeper < LG__KEPT_BY_INTERPRETER &&
           !lg__module_is_library(to->graph, keeper);
}

static int
compare_hits(const void *a, const void *b)
{
    const lg_hit *one = a;
    const lg_hit *other = b;
    if (one->mine != other->mine)
        return one->mine ? -1 : 1;
    if (one->weight != other->weight)
        return one->weight > other->weight ? -1 : 1;
    if (one->kind != other->kind)
        return one->kind < other->kind ? -1 : 1;
    return one->node < other->node ? -1 : one->node > other->node;
}

// Modules of libraries import one object under many names. Keeps one of them:
// that of the module with the shortest name.
static void
unify_imports(searching *to)
{
    found *hits = to->hits.data;
    uint32_t base = 2 * (uint32_t)to->hits.count + 2;
    size_t kept = 0;
    for (size_t i = 0; i < to->hits.count; i++) {
        const lg_hit *hit = &hits[i].hit;
        uint32_t *seen = &to->seen[hit->node];
        bool imported = hit->kind == LG_HIT_VARIABLE && !hit->mine;
        if (imported && *seen >= base) {
            found *other = &hits[*seen - base];
            if (lg_node_text(to->graph, hit->owner).length <
                lg_node_text(to->graph, other->hit.owner).length)
                *other = hits[i];
            continue;
        }
        if (imported)
            *seen = base + (uint32_t)kept;
        hits[kept++] = hits[i];
    }
    to->hits.count = kept;
}

static lg_status
make_hits(searching *to, lg_error *err)
{
    const record *all = to->records.data;
    size_t count = to->records.count;
    lg__sort(to->records.data, count, sizeof *all, compare_records);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && all[end].key == all[i].key;)
            end++;
        if (!add_hit(to, all + i, end - i))
            return lg__error_memory(err);
    }
    lg_status status =
        lg__keepers_begin(to->graph, to->monitor, &to->keepers, err);
    found *hits = to->hits.data;
    for (size_t i = 0; i < to->hits.count && status == LG_OK; i++)
        hits[i].hit.mine = is_mine(to, &hits[i].hit);
    if (status == LG_OK && to->keepers.failed)
        status = lg__error_memory(err);
    if (status == LG_OK && to->hits.count > 0) {
        lg__sort(hits, to->hits.count, sizeof *hits, compare_hits);
        unify_imports(to);
    }
    return status;
}

// Adds up by device what a hit retains.
static void
add_up(searching *to, const found *of, uint32_t own, uint64_t *retained)
{
    const record only = {.node = of->hit.node};
    const record *run = of->records > 0 ? of->first : &only;
    size_t count = of->records > 0 ? of->records : 1;
    for (size_t i = 0; i < count; i++)
        to->seen[run[i].node] = own;
    for (size_t i = 0; i < count; i++) {
        if ((i > 0 && run[i].node == run[i - 1].node) ||
            is_below_own(to, run[i].node, own))
            continue;
        for (uint32_t on = 0; on <= to->out.devices; on++)
            retained[on] += lg_node_retained_on(to->analysis, run[i].node, on);
    }
}

static lg_status
take_rows(searching *to, size_t limit, lg_error *err)
{
    size_t count = to->hits.count;
    size_t each = (size_t)to->out.devices + 1;
    to->out.total_rows = count;
    count = limit > 0 && limit < count ? limit : count;
    to->out.rows = lg__calloc(count + 1, sizeof *to->out.rows);
    to->out.bytes = lg__calloc((count + 1) * each, sizeof *to->out.bytes);
    if (to->out.rows == NULL || to->out.bytes == NULL)
        return lg__error_memory(err);
    to->out.count = count;
    return LG_OK;
}

static void
fill_rows(searching *to)
{
    size_t each = (size_t)to->out.devices + 1;
    uint32_t own = UINT32_MAX - 2 * (uint32_t)to->out.count - 2;
    const found *hits = to->hits.data;
    for (size_t i = 0; i < to->out.count; i++, own += 2) {
        uint64_t *retained = to->out.bytes + i * each;
        add_up(to, &hits[i], own, retained);
        to->out.rows[i] = hits[i].hit;
        to->out.rows[i].retained = retained;
    }
}

static lg_status
find_where(searching *to, lg_error *err)
{
    lg__finder finder = {.graph = to->graph};
    lg_status status = LG_OK;
    for (size_t i = 0; i < to->out.count && status == LG_OK; i++)
        status = lg__where_find(&finder, to->analysis, to->out.rows[i].node,
                                to->monitor, &to->out.rows[i].where, err);
    lg__finder_free(&finder);
    return status;
}

static bool
add_object(searching *to, uint32_t node)
{
    found *added = lg__vector_extend(&to->allocator, &to->hits, 1);
    if (added == NULL)
        return false;
    *added = (found){{.owner = node,
                      .edge = UINT64_MAX,
                      .node = node,
                      .count = 1,
                      .mine = true,
                      .weight = lg__freed_by(to->analysis, node)},
                     NULL,
                     0};
    return true;
}

// Makes a hit of each object that a selector names. What they retain is their
// order, whoever holds them.
static lg_status
take_selected(searching *to, const char *selector, lg_error *err)
{
    lg_nodes nodes = {0};
    lg_status status =
        lg_graph_select(to->graph, selector, to->monitor, &nodes, err);
    if (status == LG_OK)
        status = lg__keepers_begin(to->graph, to->monitor, &to->keepers, err);
    for (size_t i = 0; i < nodes.count && status == LG_OK; i++)
        if (!add_object(to, nodes.items[i]))
            status = lg__error_memory(err);
    found *hits = to->hits.data;
    if (status == LG_OK)
        lg__sort(hits, to->hits.count, sizeof *hits, compare_hits);
    for (size_t i = 0; i < to->hits.count && status == LG_OK; i++)
        hits[i].hit.mine = is_mine(to, &hits[i].hit);
    lg_nodes_free(&nodes);
    return status;
}

static lg_status
take_named(searching *to, lg_error *err)
{
    lg_status status = look_at_edges(to, err);
    if (status == LG_OK && to->word_count > 0)
        status = look_at_types(to, err);
    if (status == LG_OK && to->word_count > 0)
        status = look_at_modules(to, err);
    if (status == LG_OK && to->name.failed)
        status = lg__error_memory(err);
    return status == LG_OK && to->records.count > 0 ? make_hits(to, err)
                                                    : status;
}

static bool
is_missing(lg_status status)
{
    return status == LG_ENOTFOUND || status == LG_EINVAL;
}

// The message about a selector has a suggestion, which helps with words, too.
static lg_status
say_missing(const char *text, const lg_error *said, lg_error *err)
{
    const char *suggestion = strstr(said->message, "; did you mean");
    return lg_error_set(err, LG_ENOTFOUND, "no name has '%.100s' in it%s", text,
                        suggestion ? suggestion : "");
}

// A text with a mark of a selector is one if it names something. One without is
// one if nothing has such a name.
static lg_status
take_hits(searching *to, const char *text, lg_error *err)
{
    lg_error ignored;
    bool marked =
        strpbrk(text, "#:.[>*") != NULL || strncmp(text, "0x", 2) == 0;
    lg_status status =
        marked ? take_selected(to, text, &ignored) : LG_ENOTFOUND;
    if (!is_missing(status)) {
        if (status != LG_OK)
            lg_error_set(err, status, "%s", ignored.message);
        return status;
    }
    status = take_named(to, err);
    if (status != LG_OK || to->hits.count > 0 || to->word_count == 0)
        return status;
    status = take_selected(to, text, &ignored);
    if (is_missing(status) && !marked)
        return say_missing(text, &ignored, err);
    return status == LG_OK ? status
                           : lg_error_set(err, status, "%s", ignored.message);
}

static lg_status
prepare(searching *to, const char *text, lg_error *err)
{
    size_t nodes = (size_t)to->graph->columns.node_count + 1;
    to->folds = lg__graph_folds(to->graph);
    to->of_string = lg__calloc((size_t)to->graph->string_count + 1, 1);
    to->of_node = lg__calloc(nodes, 1);
    to->seen = lg__calloc(nodes, sizeof *to->seen);
    if (!to->folds || !to->of_string || !to->of_node || !to->seen)
        return lg__error_memory(err);
    return read_words(to, text, err);
}

lg_status
lg_analysis_search(const lg_analysis *analysis, const lg_search_options *given,
                   const lg_monitor *monitor, lg_search *out, lg_error *err)
{
    const lg_graph *graph = analysis->graph;
    lg_search_options options = LG_SEARCH_OPTIONS_INIT;
    lg_status status =
        lg_options_read(&options, given, "lg_search_options", err);
    if (status != LG_OK)
        return status;
    const char *text = options.words ? options.words : "";
    searching to = {.analysis = analysis,
                    .graph = graph,
                    .monitor = monitor,
                    .allocator = lg_allocator_default(),
                    .records = {.element = sizeof(record)},
                    .hits = {.element = sizeof(found)},
                    .out = {.devices = graph->device_count}};
    status = prepare(&to, text, err);
    if (status == LG_OK)
        status = take_hits(&to, text, err);
    if (status == LG_OK)
        status = take_rows(&to, options.limit, err);
    if (status == LG_OK) {
        fill_rows(&to);
        status = find_where(&to, err);
    }
    if (status == LG_OK)
        *out = to.out;
    else
        lg_search_free(&to.out);
    lg__vector_free(&to.allocator, &to.records);
    lg__vector_free(&to.allocator, &to.hits);
    lg__keepers_end(&to.keepers);
    lg__free(to.of_string);
    lg__free(to.of_node);
    lg__free(to.seen);
    lg_text_free(&to.name);
    free(to.text);
    return status;
}

void
lg_search_free(lg_search *search)
{
    for (size_t i = 0; i < search->count; i++)
        lg_where_free(&search->rows[i].where);
    lg__free(search->rows);
    lg__free(search->bytes);
    *search = (lg_search){0};
}

static void
write_name(const lg_ask *ask, const void *answer, const void *row, lg_text *out)
{
    (void)answer;
    lg_hit_name(ask->graph, row, out);
}

static void
write_what(const lg_ask *ask, const void *answer, const void *of, lg_text *out)
{
    const lg_hit *hit = of;
    (void)answer;
    if (hit->count > 1) {
        lg_text_add_count(out, hit->count);
        lg_text_add(out, " objects such as ");
    }
    lg__format_node(ask->graph, hit->node, out);
}

static void
write_held_by(const lg_ask *ask, const void *answer, const void *of,
              lg_text *out)
{
    const lg_hit *hit = of;
    (void)answer;
    lg__where_write_row(ask, hit->node, hit->count, &hit->where, out);
}

static lg_status
ask_search(const lg_ask *ask, void *answer, lg_error *err)
{
    return lg_analysis_search(ask->analysis, ask->options, ask->monitor, answer,
                              err);
}

static void
free_search(void *answer)
{
    lg_search_free(answer);
}

static const char *const kinds[] = {"object", "variable", "attribute", "key",
                                    "local",  "type",     "module",    NULL};

static const lg_option options[] = {
    {.name = "words",
     .type = LG_OPTION_WORDS,
     .help = "parts of a name, or a selector; without, all variables of the "
             "program's own modules",
     .offset = offsetof(lg_search_options, words)},
    LG__LIMIT(lg_search_options, "the program's own first"),
    {0},
};

#define ROW(member) .offset = offsetof(lg_hit, member)

static const lg_field fields[] = {
    {"retained", NULL, "what the objects retain", LG_COLUMN_SIZE, ROW(retained),
     .look = {.least = 12}},
    {"kind", NULL, "what has the name", LG_COLUMN_TEXT, ROW(kind),
     .words = kinds, .look = {.gap = 2, .least = 9}},
    {"name", NULL, "the whole name, with its module, type or function",
     LG_COLUMN_TEXT, .write = write_name, .look = {.gap = 2}},
    {"mine", NULL, "whether the program's own modules hold them",
     LG_COLUMN_BOOL, ROW(mine), .look = {.in = LG_IN_DATA}},
    {"count", NULL, "number of objects", LG_COLUMN_COUNT, ROW(count),
     .look = {.in = LG_IN_DATA}},
    {"node", NULL, "of these objects, the one that retains the most",
     LG_COLUMN_NODE, ROW(node), .look = {.in = LG_IN_DATA}},
    {"title", NULL, "that object in a few words", LG_COLUMN_TEXT, ROW(node),
     .of = LG_FIELD_TITLE, .look = {.in = LG_IN_DATA}},
    {"type", NULL, "its type", LG_COLUMN_TEXT, ROW(node), .of = LG_FIELD_TYPE,
     .look = {.in = LG_IN_DATA}},
    {NULL, "what", NULL, LG_COLUMN_TEXT, .write = write_what,
     .look = {.gap = 2}},
    {"held_by", "held by",
     "the path to it from a root; with `[*]` for several objects",
     LG_COLUMN_PATH, .write = write_held_by, .look = {.gap = 2}},
    {0},
};

static const lg_field facts[] = {
    {"total", NULL, "number of names that have the words", LG_COLUMN_COUNT,
     .offset = offsetof(lg_search, total_rows)},
    {0},
};

static const lg_search_options usual = LG_SEARCH_OPTIONS_INIT;

static const lg_answering in_c = {
    .options_size = sizeof usual,
    .usual = &usual,
    .answer_size = sizeof(lg_search),
    .ask = ask_search,
    .free = free_search,
    .row_size = sizeof(lg_hit),
    .rows = offsetof(lg_search, rows),
    .count = offsetof(lg_search, count),
    .total = offsetof(lg_search, total_rows),
    .node = offsetof(lg_hit, node),
    .retained = offsetof(lg_hit, retained),
    .noun = "name",
};

const lg_question lg__ask_search = {
    .name = "search",
    .title = "Search",
    .help = "find variables, attributes, keys and types by words",
    .about = "Lists the variables, attributes, keys, locals, types and modules "
             "whose names have all the words, with what their objects retain. "
             "What the program's own modules hold comes first. A selector "
             "finds the objects that it names.",
    .order = "the program's own first, then by what they retain",
    .example = "losses",
    .result = "Search",
    .row = "SearchRow",
    .needs = LG_NEEDS_ANALYSIS,
    .options = options,
    .fields = fields,
    .facts = facts,
    .in_c = &in_c,
};
