// Chooses what is worth doing first.
#include "answers/answers_private.h"

#include <leakgraph/internal/advice.h>

// Unattributed blocks count from here on, because caches of libraries always
// have some.
enum { UNATTRIBUTED_BYTES = 1 << 20, UNATTRIBUTED_PERCENT = 5 };

// A holder of less than this share of what libraries do not keep for themselves
// is not worth reading about, unless something is wrong with it. Nor is a
// holder of so few bytes that no process runs out: a bare interpreter needs no
// advice.
enum { HOLDER_PERCENT = 1, HOLDER_BYTES = 1 << 16 };

// Garbage of fewer bytes that the collector will free is not worth reading
// about either.
enum { GARBAGE_BYTES = 1 << 16 };

// How many dominators lie between two holders that are one to a reader.
enum { CLOSE = 3 };

// How many dominators are looked at: a linked list has as many as elements.
enum { DEEPEST = 1000 };

const char *
lg_advice_kind_name(lg_advice_kind kind)
{
    static const char *const names[] = {"finding", "growth", "cycle",
                                        "unattributed", "holder"};
    size_t index = (size_t)kind;
    return index < sizeof names / sizeof *names ? names[index] : "";
}

// Keeps the items sorted by bytes, largest first, up to the limit.
static void
add(lg_advice *advice, size_t from, size_t limit, lg_advice_item item)
{
    size_t at = advice->count;
    while (at > from && advice->items[at - 1].bytes < item.bytes)
        at--;
    if (at >= limit)
        return;
    if (advice->count < limit)
        advice->count++;
    for (size_t i = advice->count - 1; i > at; i--)
        advice->items[i] = advice->items[i - 1];
    advice->items[at] = item;
}

static bool
is_of(const lg_growth *growth, const lg_growth_row *row, const char *pattern)
{
    return row->finding != LG_NONE &&
           lg__string_is(growth->tallies[row->finding].name, pattern);
}

// Returns whether one node is the other, or dominates it closely: a dict of
// lists, and one of the lists.
static bool
is_close(const lg_analysis *analysis, uint32_t above, uint32_t node)
{
    for (int i = 0; i < CLOSE && node != LG_NONE; i++) {
        if (node == above)
            return true;
        node = lg_node_dominator(analysis, node);
    }
    return false;
}

// Returns whether a leak and a finding have a holder in common.
static bool
share_holder(const lg_answers *answers, const lg_finding *finding,
             const lg_growth_row *lead)
{
    const lg_analysis *analysis = answers->analysis;
    for (size_t i = 0; i < lead->holder_count; i++)
        for (size_t j = 0; j < finding->holder_count; j++) {
            uint32_t one = lead->holders[i].node;
            uint32_t other = finding->holders[j].node;
            if (one != LG_NONE && other != LG_NONE &&
                (is_close(analysis, one, other) ||
                 is_close(analysis, other, one)))
                return true;
        }
    return false;
}

// Returns whether a group of findings explains the leak that the row leads: it
// has a holder of it, or keeps at least half of what it gained. Graphs of
// outputs that are large themselves explain less.
static bool
explains(const lg_answers *answers, size_t group, const lg_growth_row *row)
{
    const lg_findings *findings = answers->findings;
    const lg_finding *first = &findings->items[findings->groups[group].first];
    return share_holder(answers, first, row) ||
           (is_of(answers->growth, row, first->pattern->name) &&
            findings->groups[group].total >= (uint64_t)row->gained / 2);
}

// Returns the index of the row that leads the leak that belongs to a group of
// findings: it has a holder of the first, or else is explained by them; or
// SIZE_MAX.
static size_t
growth_of(const lg_answers *answers, size_t group)
{
    const lg_growth *growth = answers->growth;
    const lg_findings *findings = answers->findings;
    const lg_finding *first = &findings->items[findings->groups[group].first];
    for (size_t i = 0; growth != NULL && i < growth->count; i++)
        if (share_holder(answers, first, &growth->rows[i]))
            return i;
    for (size_t i = 0; growth != NULL && i < growth->count; i++)
        if (explains(answers, group, &growth->rows[i]))
            return growth->rows[i].lead;
    return SIZE_MAX;
}

static bool
is_found(const lg_answers *answers, const lg_growth_row *row)
{
    const lg_findings *findings = answers->findings;
    for (size_t i = 0; findings != NULL && i < findings->group_count; i++)
        if (explains(answers, i, row))
            return true;
    return false;
}

// Returns whether a row leads a leak that no finding explains.
static bool
is_unexplained(const lg_answers *answers, size_t row)
{
    const lg_growth_row *of = &answers->growth->rows[row];
    return of->gained > 0 && of->verdict != LG_GROWTH_SETTLED &&
           of->lead == row && !is_found(answers, of);
}

// Returns the bytes that the leak that a row leads has now.
static uint64_t
bytes_now(const lg_growth *growth, size_t lead)
{
    const lg_growth_row *row = &growth->rows[lead];
    int64_t gained = lg_growth_leak_gained(growth, lead);
    uint64_t shared = lg_growth_shared(growth, row);
    return shared > 0              ? shared
           : row->holder_count > 0 ? row->freed_total
           : gained > 0            ? (uint64_t)gained
                                   : 0;
}

// Returns whether an earlier finding has that leak.
static bool
has_leak(const lg_answers *answers, const lg_advice *advice, size_t lead)
{
    for (size_t i = 0; i < advice->count; i++)
        if (advice->items[i].grows == lead &&
            answers->growth->rows[lead].holder_count > 0)
            return true;
    return false;
}

// Returns whether `above` is `node` or dominates it.
static bool
dominates(const lg_analysis *analysis, uint32_t above, uint32_t node)
{
    for (int i = 0; i < DEEPEST && node != LG_NONE; i++) {
        if (node == above)
            return true;
        node = lg_node_dominator(analysis, node);
    }
    return false;
}

// Returns whether a leak that has an item of its own holds the node: it goes
// with the leak.
static bool
is_inside(const lg_answers *answers, uint32_t node)
{
    const lg_growth *growth = answers->growth;
    for (size_t i = 0; growth != NULL && i < growth->count; i++) {
        const lg_growth_row *row = &growth->rows[i];
        if (!is_unexplained(answers, i))
            continue;
        for (size_t j = 0; j < row->holder_count; j++)
            if (row->holders[j].node != LG_NONE &&
                dominates(answers->analysis, row->holders[j].node, node))
                return true;
    }
    return false;
}

size_t
lg_advice_leads(const lg_answers *answers, const lg_advice_item *item,
                size_t rows[LG_ADVICE_MOST])
{
    const lg_growth *growth = answers->growth;
    size_t first = item->kind == LG_ADVICE_GROWTH ? item->index : item->grows;
    size_t count = 0;
    if (first == SIZE_MAX)
        return 0;
    rows[count++] = first;
    for (size_t i = 0; item->kind == LG_ADVICE_FINDING && i < growth->count &&
                       count < LG_ADVICE_MOST;
         i++) {
        const lg_growth_row *row = &growth->rows[i];
        if (i != first && row->lead == i && row->gained > 0 &&
            row->verdict != LG_GROWTH_SETTLED &&
            explains(answers, item->index, row))
            rows[count++] = i;
    }
    return count;
}

// Returns whether cycles are worth an item: the collector frees a few bytes by
// itself, soon or at any time.
static bool
is_worth_it(const lg_cycles *cycles, const lg_cycle_group *group)
{
    const lg_cycle *first = &cycles->items[group->first];
    return first->is_leak && (first->kind != LG_CYCLE_COLLECTABLE ||
                              group->total >= GARBAGE_BYTES);
}

static bool
has_worthy_cycles(const lg_cycles *cycles)
{
    for (size_t i = 0; cycles != NULL && i < cycles->group_count; i++)
        if (is_worth_it(cycles, &cycles->groups[i]))
            return true;
    return false;
}

static void
add_findings(const lg_answers *answers, size_t limit, lg_advice *out)
{
    const lg_findings *findings = answers->findings;
    for (size_t i = 0; findings != NULL && i < findings->group_count; i++) {
        uint64_t bytes = findings->groups[i].total;
        const lg_finding *first = &findings->items[findings->groups[i].first];
        size_t lead = growth_of(answers, i);
        if (lead == SIZE_MAX && is_inside(answers, first->holders->node))
            continue;
        if (lead != SIZE_MAX) {
            const lg_growth_row *row = &answers->growth->rows[lead];
            if (has_leak(answers, out, lead))
                continue;
            bytes = row->freed_total > bytes ? row->freed_total : bytes;
        }
        add(out, 0, limit, (lg_advice_item){LG_ADVICE_FINDING, i, bytes, lead});
    }
}

// Leaves out what gains next to nothing beside what gains the most.
static void
add_growth(const lg_answers *answers, size_t limit, lg_advice *out)
{
    const lg_growth *growth = answers->growth;
    bool cycles = has_worthy_cycles(answers->cycles);
    for (size_t i = 0; growth != NULL && i < growth->count; i++) {
        const lg_growth_row *row = &growth->rows[i];
        if (!is_unexplained(answers, i) ||
            lg_growth_is_minor(row, &growth->rows[0]) ||
            (cycles && row->verdict == LG_GROWTH_GARBAGE))
            continue;
        add(out, 0, limit,
            (lg_advice_item){LG_ADVICE_GROWTH, i, bytes_now(growth, i),
                             SIZE_MAX});
    }
}

static void
add_cycles(const lg_answers *answers, size_t limit, lg_advice *out)
{
    const lg_cycles *cycles = answers->cycles;
    for (size_t i = 0; cycles != NULL && i < cycles->group_count; i++) {
        const lg_cycle_group *group = &cycles->groups[i];
        if (is_worth_it(cycles, group))
            add(out, 0, limit,
                (lg_advice_item){LG_ADVICE_CYCLE, i, group->total, SIZE_MAX});
    }
}

// Returns the bytes of blocks without a known object. Leaves out workspaces
// that libraries keep, and what was allocated or freed during the capture.
static uint64_t
unasked_bytes(const lg_account *account)
{
    static const lg_evidence asked_for[] = {
        LG_EVIDENCE_CUBLAS,  LG_EVIDENCE_CUBLAS_SIZE, LG_EVIDENCE_GRAPH_POOL,
        LG_EVIDENCE_BUCKETS, LG_EVIDENCE_IN_FLUX,     LG_EVIDENCE_UNLISTED,
    };
    uint64_t bytes = account->unattributed;
    for (size_t i = 0; i < sizeof asked_for / sizeof *asked_for; i++)
        bytes -= account->by_evidence[asked_for[i]];
    return bytes;
}

static void
add_unattributed(const lg_answers *answers, size_t limit, lg_advice *out)
{
    const lg_accounts *accounts = answers->accounts;
    for (size_t i = 0; accounts != NULL && i < accounts->count; i++) {
        const lg_account *account = &accounts->items[i];
        uint64_t bytes = unasked_bytes(account);
        if (bytes >= UNATTRIBUTED_BYTES &&
            bytes / UNATTRIBUTED_PERCENT >= account->allocated / 100)
            add(out, 0, limit,
                (lg_advice_item){LG_ADVICE_UNATTRIBUTED, i, bytes, SIZE_MAX});
    }
}

static bool
is_related(const lg_analysis *analysis, uint32_t one, uint32_t other)
{
    return one != LG_NONE && other != LG_NONE &&
           (dominates(analysis, one, other) || dominates(analysis, other, one));
}

// Returns whether the node is above or below a holder of the leak.
static bool
holds_leak(const lg_answers *answers, size_t lead, uint32_t node)
{
    const lg_growth_row *row = &answers->growth->rows[lead];
    for (size_t i = 0; i < row->holder_count; i++)
        if (is_related(answers->analysis, node, row->holders[i].node))
            return true;
    return false;
}

// Returns whether an earlier item is about the same objects.
static bool
is_shown(const lg_answers *answers, const lg_advice *advice, uint32_t node)
{
    for (size_t i = 0; i < advice->count; i++) {
        const lg_advice_item *item = &advice->items[i];
        uint32_t other = LG_NONE;
        size_t lead =
            item->kind == LG_ADVICE_GROWTH ? item->index : item->grows;
        if (lead != SIZE_MAX && holds_leak(answers, lead, node))
            return true;
        if (item->kind == LG_ADVICE_FINDING) {
            size_t first = answers->findings->groups[item->index].first;
            other = answers->findings->items[first].holders->node;
        } else if (item->kind == LG_ADVICE_GROWTH) {
            other = answers->growth->rows[item->index].node;
        } else if (item->kind == LG_ADVICE_CYCLE) {
            size_t first = answers->cycles->groups[item->index].first;
            other = answers->cycles->items[first].node;
        }
        if (is_related(answers->analysis, node, other))
            return true;
    }
    return false;
}

// Returns the bytes that do not belong to libraries, as rows are ranked.
static uint64_t
program_bytes(const lg_top *top)
{
    uint64_t bytes = top->total;
    for (uint32_t on = 0; on <= top->devices; on++)
        if (top->device == LG_NONE || top->device == on)
            bytes -= top->libraries[on];
    return bytes;
}

// Returns whether cycles report garbage of the program's, also such as nobody
// need do anything about: a closed figure.
static bool
has_garbage(const lg_cycles *cycles)
{
    for (size_t i = 0; cycles != NULL && i < cycles->count; i++)
        if (cycles->items[i].kind != LG_CYCLE_HELD &&
            cycles->items[i].library.length == 0)
            return true;
    return false;
}

// Gathers what the items so far say to let go of.
static bool
gather_holders(const lg_answers *answers, const lg_advice *advice,
               lg__gathered *out)
{
    bool enough = true;
    for (size_t i = 0; i < advice->count; i++) {
        size_t rows[LG_ADVICE_MOST];
        size_t count = lg_advice_leads(answers, &advice->items[i], rows);
        for (size_t k = 0; k < count; k++) {
            const lg_growth_row *row = &answers->growth->rows[rows[k]];
            for (size_t j = 0; j < row->holder_count; j++)
                enough &= row->holders[j].node == LG_NONE ||
                          lg__gather_append(out, row->holders[j].node);
        }
        if (advice->items[i].kind != LG_ADVICE_FINDING)
            continue;
        const lg_findings *all = answers->findings;
        const lg_finding *first =
            &all->items[all->groups[advice->items[i].index].first];
        for (size_t j = 0; j < first->holder_count; j++)
            enough &= first->holders[j].node == LG_NONE ||
                      lg__gather_append(out, first->holders[j].node);
    }
    return enough;
}

// Marks what the roots reach when all that the items so far say to let go of is
// gone. Returns NULL if they name nothing, or memory ran out: then only
// dominators say what goes with an item.
static uint8_t *
mark_left(const lg_answers *answers, const lg_advice *advice)
{
    lg_error error;
    uint8_t *left = NULL;
    lg__gathered holders = {0};
    if (gather_holders(answers, advice, &holders) && holders.count > 0) {
        lg__gather_once(&holders);
        if (lg__set_reached(answers->analysis, holders.items, holders.count,
                            NULL, &left, &error))
            left = NULL;
    }
    lg__free(holders.items);
    return left;
}

// Returns whether the node goes once all items so far are done: several of
// their holders may have it, of which none dominates it.
static bool
goes_along(const lg_answers *answers, const uint8_t *left, uint32_t node)
{
    return left != NULL && node != LG_NONE && !left[node] &&
           lg_node_is_reachable(answers->analysis, node);
}

static void
add_holders(const lg_answers *answers, size_t limit, lg_advice *out)
{
    const lg_top *top = answers->top;
    bool garbage = has_garbage(answers->cycles);
    size_t from = out->count;
    uint8_t *left = top != NULL ? mark_left(answers, out) : NULL;
    for (size_t i = 0; top != NULL && i < top->count; i++) {
        const lg_top_row *row = &top->rows[i];
        if (row->weight >= HOLDER_BYTES &&
            row->weight / HOLDER_PERCENT >= program_bytes(top) / 100 &&
            !(garbage && row->where.kind == LG_WHERE_GARBAGE) &&
            !goes_along(answers, left, row->node) &&
            !is_shown(answers, out, row->node))
            add(out, from, limit,
                (lg_advice_item){LG_ADVICE_HOLDER, i, row->weight, SIZE_MAX});
    }
    lg__free(left);
}

lg_advice
lg_advice_choose(const lg_answers *answers, size_t limit)
{
    lg_advice advice = {.count = 0};
    limit = limit < LG_ADVICE_MOST ? limit : LG_ADVICE_MOST;
    add_findings(answers, limit, &advice);
    add_growth(answers, limit, &advice);
    add_cycles(answers, limit, &advice);
    add_unattributed(answers, limit, &advice);
    add_holders(answers, limit, &advice);
    return advice;
}
