// Finds what retains the most, and where it is.
//
// What gathers bytes comes in no order, an object or many small ones of one
// place at a time. What libraries keep for themselves is added up for each of
// them; of the others, the biggest are kept, and become rows.
#include "answers/answers_private.h"
#include "native/native_private.h"

#include <leakgraph/internal/options.h>
#include <leakgraph/internal/retained.h>

#include <stdlib.h>
#include <string.h>

// The smallest kept item is on top. The heap has its biggest on top, so bytes
// and order are inverted.
static lg__weighed_node
turned(const lg__top_item *item, size_t at)
{
    return (lg__weighed_node){UINT64_MAX - item->bytes,
                              UINT32_MAX - item->order, (uint32_t)at};
}

static bool
is_before(const lg__top_item *a, const lg__top_item *b)
{
    return a->bytes != b->bytes ? a->bytes > b->bytes : a->order < b->order;
}

static bool
keep_at(lg__top_best *best, const lg__top_item *item, size_t at)
{
    uint32_t *nodes = lg__alloc(item->count * sizeof *nodes);
    if (nodes == NULL)
        return false;
    memcpy(nodes, item->nodes, item->count * sizeof *nodes);
    best->items[at] = *item;
    best->items[at].nodes = nodes;
    if (lg__node_heap_push(&best->heap, turned(item, at)))
        return true;
    lg__free(nodes);
    return false;
}

// An item that has to go leaves its index to the new one, so the items need no
// more room than `most`. O(log most) for each offer.
bool
lg__top_best_offer(lg__top_best *best, const lg__top_item *item,
                   uint32_t *left_out)
{
    size_t count = best->heap.count;
    *left_out = 0;
    if (count < best->most)
        return lg__array_room(&best->items, count, sizeof *best->items) &&
               keep_at(best, item, count);
    lg__top_item *last =
        count > 0 ? &best->items[best->heap.items[0].tag] : NULL;
    if (last == NULL || !is_before(item, last)) {
        *left_out = item->count;
        return true;
    }
    *left_out = last->count;
    lg__free((void *)last->nodes);
    return keep_at(best, item, lg__node_heap_pop(&best->heap).tag);
}

static int
by_rank(const void *left, const void *right)
{
    return is_before(left, right) ? -1 : is_before(right, left);
}

size_t
lg__top_best_sort(lg__top_best *best)
{
    if (best->heap.count > 0)
        qsort(best->items, best->heap.count, sizeof *best->items, by_rank);
    return best->heap.count;
}

// An item that is not in the heap had to go for one that there was no memory
// for.
void
lg__top_best_free(lg__top_best *best)
{
    for (size_t i = 0; i < best->heap.count; i++)
        lg__free((void *)best->items[best->heap.items[i].tag].nodes);
    lg__free(best->items);
    lg__node_heap_free(&best->heap);
}

typedef struct package {
    lg_string name;
    uint64_t bytes;
} package;

// What each library keeps. It begins as {0}.
typedef struct packages {
    lg__library_tables tables;
    lg__tree_ahead *ahead;
    lg__keepers keepers; // once a node's owner was asked for
    const lg_monitor *monitor;
    lg_status status;    // what packages_owner failed with
    lg_error *err;       // what it said; borrowed
    uint32_t *of_module; // [node] 1 + the package of a module, once known
    lg__vector all;
    lg_allocator allocator;
} packages;

// Begins. `mark` says that packages_owner will be called. What that needs is
// looked for ahead. Release with packages_end, also on failure.
static lg_status
packages_begin(packages *self, const lg_analysis *analysis, bool mark,
               const lg_monitor *monitor, lg_error *err)
{
    const lg_graph *graph = analysis->graph;
    size_t nodes = (size_t)graph->columns.node_count + 1;
    self->monitor = monitor;
    self->err = err;
    self->allocator = lg_allocator_default();
    self->all.element = sizeof(package);
    self->of_module = lg__sparse_calloc(nodes, sizeof *self->of_module);
    if (self->of_module == NULL ||
        !lg__library_tables_begin(&self->tables, analysis))
        return lg__error_memory(err);
    if (mark) {
        self->ahead = lg__tree_ahead_begin(graph);
        lg__library_tables_mark(&self->tables);
    }
    return LG_OK;
}

static lg_status
wait_for_paths(const packages *self)
{
    return lg__tree_ahead_wait(self->ahead, self->monitor, self->err);
}

// Finds the keeper of a node. Returns false on failure.
static bool
find_keeper(packages *self, uint32_t node, uint32_t *out)
{
    lg__keepers *keepers = &self->keepers;
    if (keepers->shifted == NULL) {
        self->status = wait_for_paths(self);
        if (self->status == LG_OK)
            self->status = lg__keepers_begin(self->tables.analysis->graph,
                                             self->monitor, keepers, self->err);
    }
    if (self->status == LG_OK)
        *out = lg__keepers_of(keepers, node);
    if (self->status == LG_OK && keepers->failed)
        self->status = lg__error_memory(self->err);
    return self->status == LG_OK;
}

// Returns the number of the package with that name; LG_NONE when memory ran
// out.
static uint32_t
find_package(packages *self, lg_string name)
{
    const package *known = self->all.data;
    for (size_t at = 0; at < self->all.count; at++)
        if (lg__string_same(known[at].name, name))
            return (uint32_t)at;
    package *added = lg__vector_extend(&self->allocator, &self->all, 1);
    if (added == NULL)
        return LG_NONE;
    *added = (package){name, 0};
    return (uint32_t)self->all.count - 1;
}

// Sets *out to the number of the library, or the interpreter, that keeps the
// node, if the node retains nothing that a program made; else to LG_NONE.
// Returns false on failure: see `status`.
static bool
packages_owner(packages *self, uint32_t node, uint32_t *out)
{
    const lg_graph *graph = self->tables.analysis->graph;
    *out = LG_NONE;
    if (lg__library_tables_retains(&self->tables, node))
        return true;
    uint32_t keeper;
    if (!find_keeper(self, node, &keeper))
        return false;
    uint32_t *known =
        keeper < graph->columns.node_count ? &self->of_module[keeper] : NULL;
    if (known != NULL && *known != 0) {
        *out = *known - 1;
        return true;
    }
    lg_string name = lg__library_tables_keeper(&self->tables, node, keeper);
    if (name.length == 0)
        return true;
    *out = find_package(self, name);
    if (*out == LG_NONE)
        self->status = lg__error_memory(self->err);
    if (known != NULL && *out != LG_NONE)
        *known = *out + 1;
    return *out != LG_NONE;
}

// Returns whether the library is a module or package of the standard one.
static bool
packages_is_standard(const packages *self, uint32_t owner)
{
    const package *all = self->all.data;
    return lg__package_is_standard(all[owner].name);
}

static void
packages_add(packages *self, uint32_t owner, uint64_t bytes)
{
    ((package *)self->all.data)[owner].bytes += bytes;
}

static int
by_bytes(const void *left, const void *right)
{
    const package *a = left;
    const package *b = right;
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    return a->name.data < b->name.data ? -1 : a->name.data > b->name.data;
}

// Names the packages with the most bytes in the answer. Changes their numbers.
static void
packages_name(packages *self, lg_top *out)
{
    package *all = self->all.data;
    size_t count = self->all.count;
    if (count > 0)
        qsort(all, count, sizeof *all, by_bytes);
    while (out->package_count < LG_TOP_PACKAGES && out->package_count < count &&
           all[out->package_count].bytes > 0) {
        out->package[out->package_count] = all[out->package_count].name;
        out->package_count++;
    }
}

static void
forget_owners(packages *self)
{
    lg__library_tables_end(&self->tables);
    lg__keepers_end(&self->keepers);
    lg__free(self->of_module);
    self->of_module = NULL;
}

// Waits until what was looked for ahead is found, and forgets who keeps which
// node: from then on, only packages have names and bytes.
static lg_status
packages_close(packages *self)
{
    lg_status status = wait_for_paths(self);
    forget_owners(self);
    return status;
}

static void
packages_end(packages *self)
{
    lg__tree_ahead_end(self->ahead);
    lg__vector_free(&self->allocator, &self->all);
    forget_owners(self);
}

// The sums of all rows, each by device.
enum { REACHABLE, GARBAGE, LIBRARIES, MORE, SUMS };

// A table of a library gets a row from this size on, because it may be a cache.
enum { BIG_PERCENT = 10, BIG_BYTES = 16 << 20 };

// The standard library puts fewer members and bytes into its own containers, or
// a smaller share of what the program imports. Somebody else filled one that
// has more, so it gets a row, too.
enum {
    FILLED_MEMBERS = 256,
    FILLED_BYTES = 512 << 10,
    FILLED_SHARE = 64,
    FILLED_BY_ANY_SHARE = 4 << 20
};

// At least so many modules have something alike if it has one row for all of
// them. The program that has fewer names each.
enum { MODULES_LEAST = 5 };

typedef struct listing {
    const lg_analysis *analysis;
    const lg_graph *graph;
    const lg_monitor *monitor;
    const lg_top_options *options;
    lg__finder finder;
    const lg_scope *scope;
    packages packages;
    lg__top_best best;
    lg__gathered kept; // scratch
    size_t each;       // number of devices, and the host
    size_t capacity;
    uint8_t *worth; // [node] by what it is held; NULL: all exactly
    lg_top out;
} listing;

static void
add_total(listing *to, uint32_t which, uint64_t *bytes)
{
    uint32_t root = to->graph->columns.node_count + which;
    for (uint32_t on = 0; on < to->each; on++) {
        bytes[on] = lg__dominated_on(to->analysis, root, on);
        if (to->out.device == LG_NONE || to->out.device == on)
            to->out.total += bytes[on];
    }
}

// Returns the sizes of a row. They are in one array, which may move until all
// rows exist.
static uint64_t *
bytes_at(const listing *to, size_t row, size_t which)
{
    return to->out.bytes + (SUMS + 2 * row + which) * to->each;
}

static uint64_t *
sum_of(const listing *to, size_t which)
{
    return to->out.bytes + which * to->each;
}

// Makes room for a row with both sizes 0.
static lg_top_row *
add_row(listing *to)
{
    size_t sizes = to->each * sizeof *to->out.bytes;
    const lg__row_array arrays[] = {
        {&to->out.rows, sizeof *to->out.rows, 0},
        {&to->out.bytes, 2 * sizes, SUMS * sizes},
    };
    if (!lg__rows_room(arrays, 2, to->out.count, &to->capacity))
        return NULL;
    memset(bytes_at(to, to->out.count, 0), 0, 2 * sizes);
    lg_top_row *row = &to->out.rows[to->out.count++];
    *row = (lg_top_row){.node = LG_NONE};
    return row;
}

static bool
begin_sums(listing *to)
{
    to->out.bytes = lg__calloc(SUMS * to->each, sizeof *to->out.bytes);
    if (to->out.bytes == NULL)
        return false;
    add_total(to, REACHABLE, sum_of(to, REACHABLE));
    add_total(to, GARBAGE, sum_of(to, GARBAGE));
    to->out.spent = sum_of(to, REACHABLE)[0] + sum_of(to, GARBAGE)[0] +
                    lg_analysis_rounding(to->analysis);
    return true;
}

// Computes the bytes that no row has.
static void
find_rest(listing *to)
{
    uint64_t *more = sum_of(to, MORE);
    for (size_t on = 0; on < to->each; on++) {
        more[on] = sum_of(to, REACHABLE)[on] + sum_of(to, GARBAGE)[on] -
                   sum_of(to, LIBRARIES)[on];
        for (size_t row = 0; row < to->out.count; row++)
            more[on] -= bytes_at(to, row, 1)[on];
    }
}

static void
end_sums(listing *to)
{
    for (size_t row = 0; row < to->out.count; row++) {
        to->out.rows[row].size = bytes_at(to, row, 0);
        to->out.rows[row].retained = bytes_at(to, row, 1);
    }
    to->out.reachable = sum_of(to, REACHABLE);
    to->out.garbage = sum_of(to, GARBAGE);
    if (to->out.group == LG_GROUP_OBJECT) {
        to->out.libraries = sum_of(to, LIBRARIES);
        to->out.more = sum_of(to, MORE);
    }
}

static void
add_retained(const listing *to, const lg__top_item *item, uint64_t *bytes)
{
    for (uint32_t i = 0; i < item->count; i++)
        for (uint32_t on = 0; on < to->each; on++)
            bytes[on] += lg_node_retained_on(to->analysis, item->nodes[i], on);
}

static lg_status
find_spent(const listing *to, const lg__top_item *item, uint64_t *out,
           lg_error *err)
{
    uint64_t spent = 0, rounding = 0;
    lg_status status = LG_OK;
    for (uint32_t i = 0; i < item->count && status == LG_OK; i++) {
        status =
            lg_retained_rounding(to->analysis, item->nodes[i], &rounding, err);
        spent +=
            rounding + lg_node_retained_on(to->analysis, item->nodes[i], 0);
    }
    if (status == LG_OK)
        *out = spent;
    return status;
}

// What goes with objects, by what it is held.
typedef struct claim_sum {
    const listing *to;
    lg__native_claim claim;
} claim_sum;

static void
add_to_claim(void *context, uint32_t node)
{
    claim_sum *sum = context;
    if (lg_node_device(sum->to->graph, node) == 0)
        sum->claim.bytes[sum->to->worth[node]] +=
            lg_node_size(sum->to->graph, node);
}

static lg_status
find_claim(const listing *to, const lg__top_item *item, int *out, lg_error *err)
{
    claim_sum sum = {.to = to};
    lg_status status = LG_OK;
    *out = LG_LEVEL_EXACT;
    if (to->worth == NULL)
        return LG_OK;
    for (uint32_t i = 0; i < item->count && status == LG_OK; i++)
        status = lg__retained_each(to->analysis, item->nodes[i], add_to_claim,
                                   &sum, err);
    *out = (int)lg__native_claim_level(&sum.claim);
    return status;
}

// Returns whether the objects are what several modules have alike.
static bool
is_in_modules(const listing *to, const lg__top_item *item)
{
    uint32_t first = lg_node_owner(to->analysis, item->nodes[0]);
    if (first == LG_NONE ||
        lg__node_category(to->graph, first) != LG_CATEGORY_MODULE)
        return false;
    for (uint32_t i = 1; i < item->count; i++)
        if (lg_node_owner(to->analysis, item->nodes[i]) != first)
            return true;
    return false;
}

static lg_status
add_item(listing *to, const lg__top_item *item, lg_error *err)
{
    lg_top_row *row = add_row(to);
    if (row == NULL)
        return lg__error_memory(err);
    size_t index = to->out.count - 1;
    row->node = item->nodes[0];
    row->count = item->count;
    row->varied = lg__top_nodes_vary(to->graph, item->nodes, item->count);
    row->category = lg__node_category(to->graph, row->node);
    row->weight = item->bytes;
    for (uint32_t i = 0; i < item->count; i++)
        bytes_at(to, index, 0)[lg_node_device(to->graph, item->nodes[i])] +=
            lg_node_size(to->graph, item->nodes[i]);
    add_retained(to, item, bytes_at(to, index, 1));
    lg_status status = find_spent(to, item, &row->spent, err);
    if (status == LG_OK)
        status = find_claim(to, item, &row->by, err);
    if (status == LG_OK)
        status = lg__where_find(&to->finder, to->analysis, row->node,
                                to->monitor, &row->where, err);
    row->where.in_modules = is_in_modules(to, item);
    return status == LG_OK
               ? lg__top_parts_find(to->analysis, &to->out, item, &to->finder,
                                    to->monitor, row, err)
               : status;
}

static void
add_library(listing *to, const lg__top_item *item, uint32_t owner)
{
    packages_add(&to->packages, owner, item->bytes);
    add_retained(to, item, sum_of(to, LIBRARIES));
    to->out.library_objects += item->count;
}

static bool
is_big(const listing *to, uint64_t bytes)
{
    return bytes >= BIG_BYTES && bytes >= to->out.total / 100 * BIG_PERCENT;
}

static bool
is_filled(const listing *to, const lg__top_item *one, uint32_t owner)
{
    uint32_t node = one->nodes[0];
    return one->bytes >= FILLED_BYTES &&
           (one->bytes >= FILLED_BY_ANY_SHARE ||
            one->bytes >= to->out.total / FILLED_SHARE) &&
           packages_is_standard(&to->packages, owner) &&
           lg__node_category(to->graph, node) == LG_CATEGORY_CONTAINER &&
           lg__node_role(to->graph, node) != LG__ROLE_TUPLE &&
           lg__count_elements(to->graph, node) >= FILLED_MEMBERS;
}

// Counts an object for the library that keeps it, or for the rest if it is out
// of scope. *counted is false if it may have a row.
static bool
count_elsewhere(listing *to, const lg__top_item *one, bool big, bool *counted)
{
    uint32_t owner = LG_NONE;
    *counted = !lg_scope_has(to->scope, one->nodes[0]);
    if (*counted) {
        to->out.more_objects++;
        return true;
    }
    if (!to->options->libraries && !big &&
        !packages_owner(&to->packages, one->nodes[0], &owner))
        return false;
    *counted = owner != LG_NONE && !is_filled(to, one, owner);
    if (*counted)
        add_library(to, one, owner);
    return true;
}

static bool
offer(listing *to, const lg__top_item *item)
{
    uint32_t left_out;
    bool enough = lg__top_best_offer(&to->best, item, &left_out);
    to->out.more_objects += left_out;
    return enough;
}

static bool
offer_each(listing *to, const lg__top_item *item)
{
    bool enough = true;
    for (uint32_t i = 0; i < item->count && enough; i++) {
        uint32_t node = item->nodes[i];
        uint64_t bytes = lg__top_weight(to->analysis, node, to->out.device);
        enough = offer(to, &(lg__top_item){&node, 1, bytes, node});
    }
    return enough;
}

// Keeps for a row what has no other place. Objects that nothing holds alone can
// be of one item and have different holders.
static bool
place_item(void *context, const lg__top_item *item)
{
    listing *to = context;
    bool counted, big = is_big(to, item->bytes);
    lg__top_item kept = {.order = item->order};
    to->kept.count = 0;
    for (uint32_t i = 0; i < item->count; i++) {
        uint32_t node = item->nodes[i];
        lg__top_item one = {
            &node, 1, lg__top_weight(to->analysis, node, to->out.device), 0};
        if (!count_elsewhere(to, &one, big, &counted))
            return false;
        if (counted)
            continue;
        kept.bytes += one.bytes;
        if (!lg__gather_append(&to->kept, node))
            return false;
    }
    kept.nodes = to->kept.items;
    kept.count = (uint32_t)to->kept.count;
    if (kept.count == 0)
        return true;
    if (kept.count < MODULES_LEAST && is_in_modules(to, &kept))
        return offer_each(to, &kept);
    return offer(to, kept.count == item->count ? item : &kept);
}

static lg_status
add_items(listing *to, lg_error *err)
{
    size_t count = lg__top_best_sort(&to->best);
    lg_status status = LG_OK;
    for (size_t i = 0; i < count && status == LG_OK; i++)
        status = add_item(to, &to->best.items[i], err);
    return status;
}

static lg_status
list_objects(listing *to, size_t limit, lg_error *err)
{
    to->best.most = limit;
    if (lg__graph_has_native(to->graph)) {
        to->worth = lg__native_worth(to->graph);
        if (to->worth == NULL)
            return lg__error_memory(err);
    }
    lg_status status = packages_begin(
        &to->packages, to->analysis, !to->options->libraries, to->monitor, err);
    if (status == LG_OK &&
        !lg__top_each(to->analysis, to->out.device, place_item, to))
        status = to->packages.status != LG_OK ? to->packages.status
                                              : lg__error_memory(err);
    // The rows have paths, too.
    if (status == LG_OK)
        status = packages_close(&to->packages);
    if (status == LG_OK)
        status = add_items(to, err);
    if (status == LG_OK) {
        find_rest(to);
        packages_name(&to->packages, &to->out);
    }
    return status;
}

static bool
add_group(listing *to, const lg__top_group *group)
{
    lg_top_row *row = add_row(to);
    if (row == NULL)
        return false;
    size_t index = to->out.count - 1;
    row->name = group->name;
    row->count = group->count;
    row->by = LG_LEVEL_EXACT;
    if (to->out.group == LG_GROUP_TYPE)
        row->category =
            (lg_category)to->graph->type_trait[group->type].category;
    row->weight = group->rank;
    row->spent = group->spent;
    memcpy(bytes_at(to, index, 0), group->size, to->each * sizeof *group->size);
    memcpy(bytes_at(to, index, 1), group->retained,
           to->each * sizeof *group->retained);
    return true;
}

static lg_status
list_groups(listing *to, size_t limit, lg_error *err)
{
    lg__top_list list = {0};
    lg_status status =
        lg__top_groups(to->analysis, to->out.group, to->out.device, limit,
                       to->monitor, &list, err);
    for (size_t i = 0; i < list.count && status == LG_OK; i++)
        if (!add_group(to, &list.items[i]))
            status = lg__error_memory(err);
    lg__top_list_free(&list);
    return status;
}

static lg_status
list_rows(listing *to, lg_error *err)
{
    size_t limit = to->options->limit > 0 ? to->options->limit : SIZE_MAX;
    lg_status status = !begin_sums(to) ? lg__error_memory(err)
                       : to->out.group == LG_GROUP_OBJECT
                           ? list_objects(to, limit, err)
                           : list_groups(to, limit, err);
    lg__finder_free(&to->finder);
    lg__top_best_free(&to->best);
    lg__free(to->kept.items);
    lg__free(to->worth);
    packages_end(&to->packages);
    return status;
}

lg_status
lg_analysis_top(const lg_analysis *analysis, const lg_top_options *given,
                const lg_monitor *monitor, lg_top *out, lg_error *err)
{
    const lg_graph *graph = analysis->graph;
    lg_top_options options = LG_TOP_OPTIONS_INIT;
    lg_status status = lg_options_read(&options, given, "lg_top_options", err);
    if (status != LG_OK)
        return status;
    if (options.device != LG_NONE && options.device > graph->device_count)
        return lg_error_set(err, LG_EINVAL, "there is no device %u",
                            options.device);
    if (options.group != LG_GROUP_OBJECT && options.scope != NULL)
        return lg_error_set(err, LG_EINVAL,
                            "modules can be chosen only of what holds objects, "
                            "not of types and modules");
    listing to = {.analysis = analysis,
                  .graph = graph,
                  .monitor = monitor,
                  .options = &options,
                  .scope = options.scope,
                  .finder = {.graph = graph},
                  .each = (size_t)graph->device_count + 1,
                  .out = {.group = options.group,
                          .device = options.device,
                          .devices = graph->device_count}};
    status = list_rows(&to, err);
    if (status == LG_OK) {
        end_sums(&to);
        *out = to.out;
    } else {
        lg_top_free(&to.out);
    }
    return status;
}

void
lg_top_free(lg_top *top)
{
    for (size_t i = 0; i < top->count; i++) {
        lg_where_free(&top->rows[i].where);
        lg__top_parts_free(&top->rows[i]);
    }
    lg__free(top->rows);
    lg__free(top->bytes);
    *top = (lg_top){0};
}
