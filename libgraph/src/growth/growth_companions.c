// Joins the rows that only accompany another one, which is their cause: they go
// when its members do.
//
// What an object has in its fields belongs to it already, unless something else
// refers to it, too. A thread that waits for ever is the most frequent case:
// its frames, and the objects in them, refer to each other, so each type would
// be a row. A row is a companion if the paths to most of its members lead
// through the members of another row, and it gained objects in step with that
// one: so many for each.
//
// A snapshot may fall into the middle of a request, which has made an object
// and not yet its companion. Each thread and each task is in one request at
// most. So at each snapshot, counts may be apart by as many objects as there
// are of these, and never by more: what one snapshot misses, the next one has.
#include "growth/growth_comparison.h"

#include <string.h>

// The part by which a row may differ from being in step, and the least number:
// a snapshot of a running program may show a member without its companion.
static const double OUT_OF_STEP = 0.1;
static const double OUT_OF_STEP_BYTES = 0.5;
static const double NEARLY_WHOLE = 0.03;
// What the C library and the interpreter keep for a thread besides its stack.
enum { BESIDE_THREAD = 16 << 10 };

// Returns how many requests a snapshot may have caught in the middle.
static double
count_under_way(const lg_summary *summary)
{
    const lg__type_sum *sums = summary->types.data;
    uint64_t count = lg__summary_tallied(summary, LG_TALLY_THREAD);
    for (size_t i = 0; i < summary->types.count; i++)
        if (lg__string_is(lg__places_text(summary->places, sums[i].name),
                          "_asyncio.Task"))
            count += sums[i].count;
    return count > 0 ? (double)count : 1;
}

static double
most_under_way(const lg__comparison *state)
{
    double most = 1;
    for (uint32_t i = 0; i < state->count; i++) {
        double count = count_under_way(state->summaries[i]);
        most = count > most ? count : most;
    }
    return most;
}

static double
gain_of(const uint64_t *numbers, uint32_t i, uint32_t j)
{
    return (double)numbers[j] - (double)numbers[i];
}

static double
distance(double one, double other)
{
    return one > other ? one - other : other - one;
}

// Returns by how many objects another row may be apart from this one: few of
// those that it gained, however many requests are under way.
static double
slack_of(const lg__comparison *state, const lg_growth_row *row,
         double under_way)
{
    double few = OUT_OF_STEP * gain_of(row->counts, 0, state->count - 1);
    return under_way < few ? under_way : few;
}

// Returns whether the row gained as many objects as the other one up to each
// snapshot, but for requests under way.
static bool
is_equal(const lg__comparison *state, const lg_growth_row *row,
         const lg_growth_row *other, double under_way)
{
    double most = slack_of(state, other, under_way);
    for (uint32_t i = 1; i < state->count; i++)
        if (distance(gain_of(row->counts, 0, i), gain_of(other->counts, 0, i)) >
            most)
            return false;
    return true;
}

static bool
is_of_weak_references(const lg_growth_row *row)
{
    // Before CPython 3.10 the type is named `weakref`.
    bool weak = lg__string_is(lg__package_of(row->type), "weakref") ||
                lg__string_is(row->type, "weakref");
    return weak && row->types == 1 && row->verdict == LG_GROWTH_ACCUMULATES;
}

// Returns whether the row is a container beside the members of the other row in
// their holder, such as the dict of an lru_cache.
static bool
is_index_of(const lg__comparison *state, const lg_growth_row *row,
            const lg_growth_row *other)
{
    if (row->verdict != LG_GROWTH_IN_PLACE ||
        other->verdict != LG_GROWTH_ACCUMULATES || other->place == LG_NONE)
        return false;
    uint32_t parent = lg__place_at(state->newest, row->place)->parent;
    return parent != LG_NONE &&
           parent == lg__place_at(state->newest, other->place)->parent &&
           lg__place_at(state->newest, row->place)->references >=
               other->counts[state->count - 1];
}

// Returns whether numbers, `each` apart, rise in step with the objects of the
// other row: in each interval about as much for each of its new objects, or
// with at most `objects` of these more or less.
static bool
is_in_step(const lg__comparison *state, const uint64_t *numbers, uint32_t each,
           double part, double objects, const lg_growth_row *other)
{
    uint32_t last = state->count - 1;
    double others = gain_of(other->counts, 0, last);
    double ratio = ((double)numbers[last * each] - (double)numbers[0]) / others;
    if (others < 1 || ratio <= 0)
        return false;
    for (uint32_t i = 1; i <= last; i++) {
        double gained =
            (double)numbers[i * each] - (double)numbers[(i - 1) * each];
        double expected = ratio * gain_of(other->counts, i - 1, i);
        double apart = distance(gained, expected);
        if (apart > ratio * objects && apart > part * expected)
            return false;
    }
    return true;
}

// Returns whether members of the other row have more and more of these: not the
// same whole number each, and in the end a twentieth more than at first. Then
// these accumulate in them.
static bool
is_fuller(const lg__comparison *state, const lg_growth_row *row,
          const lg_growth_row *other)
{
    uint32_t last = state->count - 1;
    double each =
        gain_of(row->counts, 0, last) / gain_of(other->counts, 0, last);
    double whole = (double)(uint64_t)(each + 0.5);
    double apart = each > whole ? each - whole : whole - each;
    double before = (double)row->counts[0] * (double)other->counts[last];
    double after = (double)row->counts[last] * (double)other->counts[0];
    return each > 1 + OUT_OF_STEP && apart > NEARLY_WHOLE * each &&
           after >= LG__FULLER * before;
}

// Returns whether the row has some objects for each new one of the other.
static bool
is_accompanying(const lg__comparison *state, const lg_growth_row *row,
                const lg_growth_row *other, double under_way)
{
    double slack = slack_of(state, other, under_way);
    return is_in_step(state, row->counts, 1, OUT_OF_STEP, slack < 1 ? 1 : slack,
                      other) &&
           !is_fuller(state, row, other);
}

static bool
is_of_threads(const lg__comparison *state, const lg_growth_row *row)
{
    return row->place != LG_NONE && lg__string_is(row->type, "thread") &&
           lg__place_at(state->newest, row->place)->kind == LG_PLACE_ROOT;
}

// Returns whether the row has an object for each new thread.
static bool
counts_threads(const lg__comparison *state, const lg_growth_row *row)
{
    return is_of_threads(state, row) ||
           lg__string_is(row->type, "threading.Thread");
}

static bool
is_contained(const lg__place_item *item)
{
    return (item->kind == LG_PLACE_ITEM || item->kind == LG_PLACE_KEY) &&
           item->parent != LG_NONE;
}

static bool
has_label(const lg_places *places, uint32_t place, const char *label)
{
    return lg__string_is(
        lg__places_text(places, lg__place_at(places, place)->label), label);
}

// Returns whether the place is a variable of that module. Where several of its
// references lead there, the place has no parent, and its label is a path.
static bool
is_variable_of(const lg_places *places, uint32_t place, const char *module)
{
    const lg__place_item *at = lg__place_at(places, place);
    if (at->parent != LG_NONE)
        return has_label(places, at->parent, module);
    lg_string path = lg__places_text(places, at->label);
    size_t length = strlen(module);
    return path.length > length && lg__string_begins(path, module) &&
           path.data[length] == '.';
}

// Returns whether the place is a table in which the standard library lists
// threads, or the dict of a weak one; or that of a condition, an event or a
// queue, which has the locks of the threads that wait for it.
static bool
is_table_of_threads(const lg_places *places, uint32_t place)
{
    if (place != LG_NONE && has_label(places, place, ".data"))
        place = lg__place_at(places, place)->parent;
    return place != LG_NONE &&
           (has_label(places, place, "._waiters") ||
            is_variable_of(places, place, "threading") ||
            is_variable_of(places, place, "concurrent.futures.thread"));
}

// Returns whether the row is a table of threads with an entry for each new one.
static bool
lists_threads(const lg__comparison *state, const lg_growth_row *row,
              const lg_growth_row *threads)
{
    return row->verdict == LG_GROWTH_IN_PLACE &&
           is_table_of_threads(state->newest, row->place) &&
           (double)lg__place_at(state->newest, row->place)->references >=
               gain_of(threads->counts, 0, state->count - 1);
}

// Returns whether the row is a container of the program that lists the threads:
// at least every second element is one, and it took little for each new thread.
// Threads that run keep themselves.
static bool
is_list_of_threads(const lg__comparison *state, const lg_growth_row *row,
                   const lg_growth_row *threads)
{
    enum { ENTRY = 128 };
    double gained = gain_of(threads->counts, 0, state->count - 1);
    if (state->analysis == NULL || row->node == LG_NONE ||
        row->verdict != LG_GROWTH_IN_PLACE ||
        (double)row->gained > ENTRY * gained)
        return false;
    const lg_graph *graph = state->analysis->graph;
    const lg_columns *columns = &graph->columns;
    uint64_t listed = 0;
    const lg_edge_range edges = lg_columns_edges(columns, row->node);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        listed += lg__node_is_a(graph, lg_columns_target(columns, edge),
                                "threading.Thread");
    return (double)listed >= gained &&
           2 * listed >= lg__count_elements(graph, row->node);
}

// Returns whether the row is of what such a table keeps.
static bool
is_listed_for_threads(const lg__comparison *state, const lg_growth_row *row)
{
    return row->verdict == LG_GROWTH_ACCUMULATES &&
           is_table_of_threads(state->newest,
                               lg__place_above(state->newest, row->place));
}

// Returns whether the row is of the objects of threads that run: each thread
// keeps its own until it ends, whatever lists it.
static bool
is_of_objects(const lg__comparison *state, const lg_growth_row *row,
              const lg_growth_row *threads)
{
    bool known =
        lg__string_is(row->type, "threading.Thread") ||
        (state->analysis != NULL && row->node != LG_NONE &&
         lg__node_is_a(state->analysis->graph, row->node, "threading.Thread"));
    return known && row->verdict == LG_GROWTH_ACCUMULATES &&
           is_of_threads(state, threads) &&
           is_accompanying(state, row, threads, 1);
}

// Returns whether native memory is that of the threads: their stacks, or what
// the C library keeps for each.
static bool
is_native_of(const lg__comparison *state, const lg_growth_row *row,
             const lg_growth_row *threads)
{
    uint32_t last = state->count - 1;
    double members = gain_of(threads->counts, 0, last);
    return is_in_step(state, row->bytes, state->each, OUT_OF_STEP_BYTES, 1,
                      threads) &&
           (row->native == LG_NATIVE_STACKS ||
            (double)row->gained <= BESIDE_THREAD * members);
}

// Returns whether the row is what the interpreter and the C library keep for
// threads.
static bool
is_kept_for(const lg__comparison *state, const lg_growth_row *row,
            const lg_growth_row *threads)
{
    if (!counts_threads(state, threads))
        return false;
    if (row->verdict == LG_GROWTH_NATIVE)
        return is_native_of(state, row, threads);
    return lists_threads(state, row, threads) ||
           is_list_of_threads(state, row, threads) ||
           is_of_objects(state, row, threads) ||
           ((lg__growth_is_kept_natively(state, row) ||
             is_listed_for_threads(state, row)) &&
            is_accompanying(state, row, threads, 1));
}

// Returns whether growth only accompanies that of more bytes, such as the weak
// references to its members, and their index.
static bool
is_follower(const lg__comparison *state, const lg_growth_row *row,
            const lg_growth_row *other, double under_way)
{
    return row->verdict != LG_GROWTH_NATIVE && row->gained <= other->gained &&
           (is_index_of(state, row, other) ||
            (is_of_weak_references(row) && !is_of_weak_references(other) &&
             (is_equal(state, row, other, under_way) ||
              (lg__growth_is_held_by_several(state, row) &&
               is_accompanying(state, row, other, under_way)))));
}

// Returns whether the row is a class that each module of the other row defines:
// both are roots, so neither holds the other. What distinguishes the modules in
// their names is left out in both labels.
static bool
is_defined_in(const lg__comparison *state, const lg_growth_row *row,
              const lg_growth_row *modules, double under_way)
{
    if (row->place == LG_NONE || modules->place == LG_NONE ||
        !lg__string_is(modules->type, "module"))
        return false;
    const lg__place_item *class = lg__place_at(state->newest, row->place);
    const lg__place_item *module = lg__place_at(state->newest, modules->place);
    lg_string name = lg__places_text(state->newest, class->label);
    lg_string prefix = lg__places_text(state->newest, module->label);
    return class->kind == LG_PLACE_ROOT && module->kind == LG_PLACE_ROOT &&
           name.length > prefix.length && prefix.length > 0 &&
           memcmp(name.data, prefix.data, prefix.length) == 0 &&
           name.data[prefix.length] == '.' &&
           is_accompanying(state, row, modules, under_way);
}

// Returns whether the row is of the names of attributes that are the members of
// the other row.
static bool
is_of_names(const lg_places *places, const lg_growth_row *row,
            const lg_growth_row *other)
{
    return row->place != LG_NONE && other->place != LG_NONE &&
           lg__place_at(places, other->place)->kind == LG_PLACE_NAMED &&
           lg__growth_is_key_beside(places, row, other);
}

// Returns whether the row is of objects like those of the other row, in the
// same container, which something else holds, too: a cache has some of the
// requests that a list never lets go of.
static bool
is_rest_of(const lg_places *places, const lg_growth_row *row,
           const lg_growth_row *other)
{
    if (row->verdict != LG_GROWTH_ACCUMULATES ||
        other->verdict != LG_GROWTH_ACCUMULATES || row->place == LG_NONE ||
        other->place == LG_NONE || !lg__string_same(row->type, other->type))
        return false;
    const lg__place_item *shared = lg__place_at(places, row->place);
    const lg__place_item *item = lg__place_at(places, other->place);
    return shared->kind == LG_PLACE_SEVERAL && is_contained(item) &&
           lg__place_above(places, row->place) == item->parent;
}

// A row that accumulates, by the place that contains its members.
typedef struct contained {
    uint32_t container;
    uint32_t row;
} contained;

// Why a row grows.
typedef struct reason {
    size_t cause;      // the row that is its cause, or the number of rows
    size_t last;       // the last cause, the row itself if it has none
    uint32_t weak_key; // the weak key that the row goes with, or LG_NONE
    bool is_rest;      // it has the rest of what its cause has
} reason;

// A search for the causes of rows. Comparing each row with each other one would
// take too long where thousands grow. So a row is compared with the leaders,
// which are few, and with what has a container of its own; only what may go
// with weak references is compared with all, and then for that alone.
typedef struct search {
    const lg__comparison *state;
    lg_growth *growth;
    uint32_t *row;       // [place] 1 + the row of its members; 0: none
    uint32_t *container; // [place] 1 + the row of what it contains
    uint32_t *leader;    // ascending rows that may be the cause of any other
    size_t leaders;      // number of these
    contained *member;   // ascending
    size_t members;      // number of these
    reason *reason;      // [row]
    double under_way;    // requests that a snapshot may have caught
    uint32_t executors;  // the place of the most executors, or LG_NONE
    uint32_t workers;    // ... of the most threads of executors, if they wait
} search;

// Finds the places of executors, also of subclasses, which alone have such a
// semaphore, and of their threads. A thread that waits for work ends when its
// executor goes; one in the middle of a task may not.
static void
find_pools(search *of)
{
    const lg_places *places = of->state->newest;
    uint64_t executors = 0;
    uint64_t workers = 0;
    for (uint32_t i = 0; i < places->items.count; i++) {
        const lg__place_item *item = lg__place_at(places, i);
        if (item->members > executors && item->parent != LG_NONE &&
            has_label(places, i, "._idle_semaphore")) {
            executors = item->members;
            of->executors = item->parent;
        }
        if (item->members > workers &&
            has_label(places, i, "_worker() thread.py")) {
            workers = item->members;
            of->workers = item->parent;
        }
    }
    for (uint32_t i = 0; i < places->items.count; i++)
        if (lg__place_at(places, i)->parent == of->workers &&
            lg__place_at(places, i)->members > workers / 2 &&
            (has_label(places, i, "_WorkItem.run() thread.py") ||
             has_label(places, i, "run() thread.py")))
            of->workers = LG_NONE;
}

// Returns whether the row is of threads of executors, or of what they have.
static bool
is_of_workers(const search *of, const lg_growth_row *row)
{
    return of->workers != LG_NONE && row->place != LG_NONE &&
           (lg__place_is_through(of->state->newest, row->place, of->workers) ||
            is_listed_for_threads(of->state, row));
}

static bool
has_executors(const search *of, const lg_growth_row *row)
{
    return of->executors != LG_NONE && row->place != LG_NONE &&
           lg__place_is_below(of->state->newest, of->executors, row->place);
}

// Returns whether the row has executors, and the other one what their threads
// have.
static bool
are_pools_of(const search *of, const lg_growth_row *row,
             const lg_growth_row *other)
{
    return has_executors(of, row) && is_of_workers(of, other);
}

// Returns whether is_cause may find the row to be the cause of one that has
// another container and does not go with weak references.
static bool
may_lead(const search *of, const lg_growth_row *row)
{
    return has_executors(of, row) || counts_threads(of->state, row) ||
           lg__growth_is_of_compiled(of->state, row) ||
           lg__growth_leads_structs(of->state, row) ||
           lg__string_is(row->type, "module");
}

// Lists the leaders and the members of containers. Returns false when memory
// ran out.
static bool
list_causes(search *of)
{
    const lg_allocator allocator = lg_allocator_default();
    const lg_places *places = of->state->newest;
    for (uint32_t i = 0; i < of->growth->count; i++) {
        const lg_growth_row *row = &of->growth->rows[i];
        if (may_lead(of, row))
            of->leader[of->leaders++] = i;
        if (row->place != LG_NONE && row->verdict == LG_GROWTH_ACCUMULATES)
            of->member[of->members++] =
                (contained){lg__place_at(places, row->place)->parent, i};
    }
    return lg__radix_sort(&allocator, of->member, of->members,
                          sizeof *of->member);
}

static bool
has_more_members(const lg__comparison *state, const lg__place_item *item)
{
    const lg_places *oldest = state->summaries[0]->places;
    const uint32_t before = lg_places_find(oldest, item->key);
    return before == LG_NONE ||
           item->members > lg__place_at(oldest, before)->members;
}

// Returns 1 + the row whose members are in that place, or come beside it into
// one container, or 0. Elements that stay, such as lists in one dict, are no
// members of what comes into a dict beside them.
static uint32_t
row_at(const search *of, uint32_t place)
{
    const lg__place_item *item = lg__place_at(of->state->newest, place);
    return is_contained(item) && has_more_members(of->state, item)
               ? of->container[item->parent]
               : of->row[place];
}

static void
list_places(search *of)
{
    for (uint32_t i = 0; i < of->growth->count; i++) {
        const lg_growth_row *row = &of->growth->rows[i];
        if (row->place == LG_NONE || row->verdict != LG_GROWTH_ACCUMULATES)
            continue;
        const lg__place_item *item =
            lg__place_at(of->state->newest, row->place);
        of->row[row->place] = i + 1;
        if (is_contained(item))
            of->container[item->parent] = i + 1;
    }
}

// Returns the nearest row, on the way up from the row's place, with which the
// row is in step; the number of rows if there is none.
static size_t
find_above(const search *of, size_t index)
{
    const lg_growth *growth = of->growth;
    const lg_growth_row *row = &growth->rows[index];
    uint32_t at = lg__place_above(of->state->newest, row->place);
    for (int i = 0; i < LG__STEPS_MOST && at != LG_NONE; i++) {
        uint32_t found = row_at(of, at);
        if (found != 0 && found - 1 != index &&
            is_accompanying(of->state, row, &growth->rows[found - 1],
                            of->under_way))
            return found - 1;
        at = lg__place_above(of->state->newest, at);
    }
    return growth->count;
}

// Returns whether the members of the row go with those of the other one through
// weak references, or are such references themselves.
static bool
goes_weakly(const search *of, size_t index, size_t other_index)
{
    const lg_growth_row *row = &of->growth->rows[index];
    const lg_growth_row *other = &of->growth->rows[other_index];
    return (other_index < index &&
            is_follower(of->state, row, other, of->under_way)) ||
           (is_accompanying(of->state, row, other, of->under_way) &&
            lg__growth_is_weak_entry_of(of->state, row,
                                        of->reason[index].weak_key, other));
}

static bool
may_be_cause(const search *of, size_t index, size_t other_index)
{
    return index != other_index &&
           of->growth->rows[index].verdict != LG_GROWTH_SETTLED &&
           of->growth->rows[other_index].verdict == LG_GROWTH_ACCUMULATES;
}

// Returns whether the other row is why the row grows.
static bool
is_cause(const search *of, size_t index, size_t other_index)
{
    const lg_growth_row *row = &of->growth->rows[index];
    const lg_growth_row *other = &of->growth->rows[other_index];
    if (is_rest_of(of->state->newest, row, other) ||
        lg__growth_has_structs(of->state, row, other))
        return true;
    if (!may_be_cause(of, index, other_index))
        return false;
    return (are_pools_of(of, other, row) &&
            is_accompanying(of->state, row, other, of->under_way)) ||
           is_kept_for(of->state, row, other) ||
           (lg__growth_is_of_compiled(of->state, other) &&
            lg__growth_is_kept_for_compiled(
                of->state, row, other,
                is_accompanying(of->state, row, other, of->under_way))) ||
           is_defined_in(of->state, row, other, of->under_way) ||
           (is_of_names(of->state->newest, row, other) &&
            is_accompanying(of->state, row, other, of->under_way)) ||
           goes_weakly(of, index, other_index);
}

// Finds the first row, before `end`, with whose members those of the row go
// through weak references; `end` if there is none.
static size_t
find_weakly(const search *of, size_t index, size_t end)
{
    size_t found = 0;
    if (!is_of_weak_references(&of->growth->rows[index]) &&
        !lg__growth_may_be_weak_entry(of->state, &of->growth->rows[index],
                                      of->reason[index].weak_key))
        return end;
    while (found < end &&
           !(may_be_cause(of, index, found) && goes_weakly(of, index, found)))
        found++;
    return found;
}

static size_t
find_among_leaders(const search *of, size_t index)
{
    for (size_t i = 0; i < of->leaders; i++)
        if (is_cause(of, index, of->leader[i]))
            return of->leader[i];
    return of->growth->count;
}

// Finds the cause among the rows whose members have the container in which the
// row is, or in which the objects are whose rest it has.
static size_t
find_in_container(const search *of, size_t index)
{
    const lg_places *places = of->state->newest;
    const lg_growth_row *row = &of->growth->rows[index];
    if (row->place == LG_NONE)
        return of->growth->count;
    const uint32_t container = row->verdict == LG_GROWTH_ACCUMULATES
                                   ? lg__place_above(places, row->place)
                                   : lg__place_at(places, row->place)->parent;
    if (container == LG_NONE)
        return of->growth->count;
    size_t i = lg_items_place(of->member, of->members,
                              LG_ITEM_KEY(contained, container), container);
    for (; i < of->members && of->member[i].container == container; i++)
        if (is_cause(of, index, of->member[i].row))
            return of->member[i].row;
    return of->growth->count;
}

// Finds the first row that is why the row grows; the number of rows if there is
// none.
static size_t
find_first(const search *of, size_t index)
{
    size_t led = find_among_leaders(of, index);
    size_t beside = find_in_container(of, index);
    return find_weakly(of, index, led < beside ? led : beside);
}

static size_t
find_cause(search *of, size_t index)
{
    const lg_growth *growth = of->growth;
    const lg_growth_row *row = &growth->rows[index];
    size_t found = row->verdict == LG_GROWTH_ACCUMULATES ? find_above(of, index)
                                                         : growth->count;
    if (found < growth->count)
        return found;
    found = find_first(of, index);
    of->reason[index].is_rest =
        found < growth->count &&
        is_rest_of(of->state->newest, row, &growth->rows[found]);
    return found;
}

// Follows causes to the last one. Returns the row itself if it has no cause, or
// if causes lead back to it.
static size_t
last_cause(const search *of, size_t index)
{
    size_t count = of->growth->count;
    size_t at = index;
    for (size_t i = 0; i < count && of->reason[at].cause < count; i++)
        at = of->reason[at].cause;
    return of->reason[at].cause < count ? index : at;
}

void
lg__growth_note(const lg_growth_row *companion, lg_growth_row *row)
{
    if (companion->verdict != LG_GROWTH_ACCUMULATES ||
        is_of_weak_references(companion) ||
        lg__growth_names(row, companion->type))
        return;
    if (row->companions < LG_COMPANIONS)
        row->companion[row->companions] = companion->type;
    row->companions++;
}

// Remembers what the members of a row share with others: whoever lets go of the
// members alone does not free it. Threads hold what they have until they end.
static void
note_shared(const search *of, const lg_growth_row *companion,
            lg_growth_row *row)
{
    enum { PART = 10 };
    const lg__comparison *state = of->state;
    if (are_pools_of(of, row, companion)) {
        row->threads_end = true;
        return;
    }
    if (companion->verdict != LG_GROWTH_ACCUMULATES ||
        companion->gained < row->gained / PART ||
        row->shared_count == LG_SHARED || is_of_threads(state, row) ||
        lg__growth_is_of_compiled(state, row))
        return;
    if (lg__growth_is_held_by_several(state, companion))
        row->shared[row->shared_count++] = companion->key;
}

// Returns whether a row lies below its last cause, or below another companion
// of that. What members retain has what lies below them, such as tuples between
// dicts.
static bool
is_retained(const search *of, size_t index)
{
    const lg_places *places = of->state->newest;
    uint32_t at = of->growth->rows[index].place;
    while (at != LG_NONE) {
        at = lg__place_at(places, at)->parent;
        if (at != LG_NONE && of->row[at] != 0 &&
            of->reason[of->row[at] - 1].last == of->reason[index].last)
            return true;
    }
    return false;
}

// Gives the row of a last cause what a companion has: objects, too, if it has
// the rest of them.
static void
take(const search *of, size_t index)
{
    const reason *why = &of->reason[index];
    const lg_growth_row *companion = &of->growth->rows[index];
    lg_growth_row *row = &of->growth->rows[why->last];
    bool is_rest = why->is_rest && why->cause == why->last;
    if (is_rest || !is_retained(of, index))
        lg__growth_add_bytes(of->state, of->growth, companion, row);
    if (is_rest)
        lg__growth_add_counts(of->state, of->growth, companion, row);
    else
        lg__growth_note(companion, row);
}

// Returns false when memory ran out.
static bool
join(search *of)
{
    lg_growth *growth = of->growth;
    size_t count = growth->count;
    size_t kept = 0;
    list_places(of);
    find_pools(of);
    if (!list_causes(of))
        return false;
    for (size_t i = 0; i < count; i++)
        of->reason[i].cause = find_cause(of, i);
    for (size_t i = 0; i < count; i++)
        of->reason[i].last = last_cause(of, i);
    for (size_t i = 0; i < count; i++) {
        if (of->reason[i].last == i)
            continue;
        take(of, i);
        note_shared(of, &growth->rows[i], &growth->rows[of->reason[i].last]);
    }
    for (size_t i = 0; i < count; i++)
        if (of->reason[i].last == i)
            growth->rows[kept++] = growth->rows[i];
    growth->count = kept;
    return true;
}

bool
lg__growth_goes_along(const lg__comparison *state, const lg_growth *growth,
                      const lg_growth_row *row)
{
    enum { PART = 10 };
    const lg_growth_row *lead = &growth->rows[row->lead];
    if (lead == row || lead->holder_count == 0 ||
        lead->verdict != LG_GROWTH_ACCUMULATES ||
        (row->finding != LG_NONE && row->finding != lead->finding))
        return false;
    return row->gained <= lead->gained / PART ||
           (row->verdict == LG_GROWTH_ACCUMULATES &&
            is_accompanying(state, row, lead, most_under_way(state)));
}

bool
lg__growth_join(const lg__comparison *state, lg_growth *out)
{
    size_t places = state->newest->items.count + 1;
    search of = {.state = state,
                 .growth = out,
                 .under_way = most_under_way(state),
                 .executors = LG_NONE,
                 .workers = LG_NONE,
                 .row = lg__calloc(places, sizeof *of.row),
                 .container = lg__calloc(places, sizeof *of.container),
                 .leader = lg__alloc((out->count + 1) * sizeof *of.leader),
                 .member = lg__alloc((out->count + 1) * sizeof *of.member),
                 .reason = lg__calloc(out->count + 1, sizeof *of.reason)};
    bool enough = of.row != NULL && of.container != NULL && of.leader != NULL &&
                  of.member != NULL && of.reason != NULL;
    for (size_t i = 0; enough && i < out->count; i++)
        of.reason[i].weak_key = lg__growth_weak_key(state, &out->rows[i]);
    enough = enough && join(&of);
    if (enough)
        lg__growth_name_wrapped(state->newest, out);
    lg__free(of.row);
    lg__free(of.container);
    lg__free(of.leader);
    lg__free(of.member);
    lg__free(of.reason);
    return enough;
}
