// Accounts for the bytes of each device. The parts add up to the whole: those
// of the host to what the kernel counts for the process, those of any other
// device to what its allocator reserves.
#include "bytes/bytes_private.h"

#include <leakgraph/internal/facts.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// Sorts intervals of device memory and finds where they overlap.

static int
compare(const void *left, const void *right)
{
    const lg__piece *a = left;
    const lg__piece *b = right;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

// Returns whether a ends before b begins.
static bool
is_before(const lg__piece *a, const lg__piece *b)
{
    return a->device != b->device ? a->device < b->device : a->end <= b->begin;
}

// Calls `visit` with each pair of pieces that share memory, and the number of
// shared bytes. The pieces of one side must not overlap. O(left + right +
// pairs). Both sides are sorted. What ends before a piece of the left begins
// ends before all later ones, too, so `first` never goes back.
static void
pieces_meet(const lg__pieces *left, const lg__pieces *right,
            void (*visit)(void *context, uint32_t left, uint32_t right,
                          uint64_t bytes),
            void *context)
{
    size_t first = 0;
    for (size_t i = 0; i < left->count; i++) {
        const lg__piece *at = &left->items[i];
        while (first < right->count && is_before(&right->items[first], at))
            first++;
        for (size_t j = first;
             j < right->count && !is_before(at, &right->items[j]); j++) {
            const lg__piece *other = &right->items[j];
            uint64_t begin =
                at->begin > other->begin ? at->begin : other->begin;
            uint64_t end = at->end < other->end ? at->end : other->end;
            if (end > begin)
                visit(context, at->index, other->index, end - begin);
        }
    }
}

static lg_status
start(size_t count, lg__pieces *out, lg_error *err)
{
    out->items = lg__alloc((count + 1) * sizeof *out->items);
    out->count = 0;
    return out->items == NULL ? lg__error_memory(err) : LG_OK;
}

static void
add(lg__pieces *to, uint64_t address, uint64_t bytes, uint32_t device,
    size_t index)
{
    uint64_t end = bytes < UINT64_MAX - address ? address + bytes : UINT64_MAX;
    to->items[to->count++] = (lg__piece){address, end, device, (uint32_t)index};
}

// Sorts the pieces. Overlapping pieces are an error.
static lg_status
settle(lg__pieces *pieces, const char *what, lg_error *err)
{
    lg__piece *items = pieces->items;
    qsort(items, pieces->count, sizeof *items, compare);
    for (size_t i = 1; i < pieces->count; i++)
        if (items[i].device == items[i - 1].device &&
            items[i].begin < items[i - 1].end)
            return lg_error_set(err, LG_EINVAL,
                                "%s %u at 0x%" PRIx64
                                " begins inside of %s %u, which goes to "
                                "0x%" PRIx64,
                                what, items[i].index, items[i].begin, what,
                                items[i - 1].index, items[i - 1].end);
    return LG_OK;
}

// Lists the segments and blocks of a state. LG_EINVAL names the first
// impossible one.
static lg_status
pieces_of_segments(const lg_graph *graph, const lg_allocator_state *state,
                   lg__pieces *out, lg_error *err)
{
    lg_status status = start(state->segment_count, out, err);
    for (size_t i = 0; i < state->segment_count && status == LG_OK; i++) {
        const lg_segment *at = &state->segments[i];
        add(out, at->address, at->size, at->device, i);
        if (at->device == 0 ||
            at->device > graph->device_count + state->more_device_count)
            status = lg_error_set(err, LG_EINVAL,
                                  "segment %zu is on device %u, which is not "
                                  "there",
                                  i, at->device);
        else if (at->size > UINT64_MAX - at->address)
            status = lg_error_set(err, LG_EINVAL,
                                  "segment %zu ends beyond all addresses", i);
    }
    return status == LG_OK ? settle(out, "segment", err) : status;
}

static lg_status
pieces_of_blocks(const lg_allocator_state *state, lg__pieces *out,
                 lg_error *err)
{
    lg_status status = start(state->block_count, out, err);
    for (size_t i = 0; i < state->block_count && status == LG_OK; i++) {
        const lg_block *at = &state->blocks[i];
        if (at->segment >= state->segment_count)
            return lg_error_set(err, LG_EINVAL,
                                "block %zu is of segment %u, and there are %zu",
                                i, at->segment, state->segment_count);
        const lg_segment *in = &state->segments[at->segment];
        uint64_t offset = at->address - in->address;
        if (at->address < in->address || offset > in->size ||
            at->size > in->size - offset)
            status = lg_error_set(err, LG_EINVAL,
                                  "block %zu at 0x%" PRIx64 " (%" PRIu64
                                  " bytes) is not inside of its segment %u",
                                  i, at->address, at->size, at->segment);
        add(out, at->address, at->size, in->device, i);
    }
    return status == LG_OK ? settle(out, "block", err) : status;
}

// Cuts overlaps, which buffers of a graph from a file may have: the later
// buffer then begins where the earlier one ends.
static lg_status
pieces_of_buffers(const lg_graph *graph, lg__pieces *out, lg_error *err)
{
    const lg_columns *columns = &graph->columns;
    size_t count = 0;
    for (uint32_t i = 0; i < graph->placed_count; i++)
        count += (lg_columns_flags(columns, graph->device_node[i]) &
                  LG_NODE_BUFFER) != 0;
    lg_status status = start(count, out, err);
    for (uint32_t i = 0; i < graph->placed_count && status == LG_OK; i++) {
        uint32_t node = graph->device_node[i];
        uint64_t address = lg_columns_address(columns, node);
        if ((lg_columns_flags(columns, node) & LG_NODE_BUFFER) && address != 0)
            add(out, address, lg__buffer_bytes(graph, node),
                graph->device_id[i], node);
    }
    if (status != LG_OK)
        return status;
    qsort(out->items, out->count, sizeof *out->items, compare);
    for (size_t i = 1; i < out->count; i++) {
        lg__piece *at = &out->items[i];
        const lg__piece *before = at - 1;
        if (at->device == before->device && at->begin < before->end)
            at->begin = before->end;
        if (at->end < at->begin)
            at->end = at->begin;
    }
    return LG_OK;
}

static int
by_frames(const void *left, const void *right)
{
    const lg_block_stack *a = left;
    const lg_block_stack *b = right;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    if (a->evidence != b->evidence)
        return a->evidence < b->evidence ? -1 : 1;
    return lg__string_compare(a->frames, b->frames);
}

static int
biggest_first(const void *left, const void *right)
{
    const lg_block_stack *a = left;
    const lg_block_stack *b = right;
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    return by_frames(left, right);
}

static lg_string
frames_of_block(const lg_graph *graph, const lg_allocator_state *state,
                size_t block)
{
    if (state->block_frames == NULL)
        return lg_graph_string(graph, state->blocks[block].frames);
    const char *text = state->block_frames[block];
    return lg__string_of(text ? text : "");
}

// Fills the accounts with the stacks that allocated blocks without an
// owner.
static lg_status
accounts_stacks(const lg_graph *graph, const lg_allocator_state *state,
                const uint8_t *fates, lg_accounts *out, lg_error *err)
{
    lg_block_stack *items = lg__alloc((state->block_count + 1) * sizeof *items);
    size_t count = 0;
    size_t kept = 0;
    if (items == NULL)
        return lg__error_memory(err);
    for (size_t i = 0; i < state->block_count; i++) {
        lg_string frames = frames_of_block(graph, state, i);
        const lg_block *block = &state->blocks[i];
        if (fates[i] < LG_EVIDENCE_COUNT && frames.length > 0)
            items[count++] = (lg_block_stack){
                frames, block->size, 1, state->segments[block->segment].device,
                (lg_evidence)fates[i]};
    }
    qsort(items, count, sizeof *items, by_frames);
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && by_frames(&items[kept - 1], &items[i]) == 0) {
            items[kept - 1].bytes += items[i].bytes;
            items[kept - 1].blocks++;
        } else {
            items[kept++] = items[i];
        }
    }
    qsort(items, kept, sizeof *items, biggest_first);
    out->stacks = items;
    out->stack_count = kept;
    return LG_OK;
}

typedef struct tally {
    const lg_graph *graph;
    lg_allocator_state state;
    lg__storages storages;
    lg__pieces segments;
    lg__pieces blocks;
    lg__pieces buffers;
    uint64_t *used; // [block] bytes that buffers use
    uint8_t *kind;  // [block] 1 + lg_tensor_kind of its content, or 0
    uint8_t *fate;  // [block]
    uint32_t device_count;
    lg_account *items;
} tally;

// Returns the state to match with: the given one, or else that of the
// graph.
static lg_allocator_state
allocator_state(const lg_graph *graph, const lg_allocator_state *given)
{
    if (given != NULL)
        return *given;
    return (lg_allocator_state){
        .segments = graph->segment,
        .segment_count = graph->segment_count,
        .blocks = graph->block,
        .block_count = graph->block_count,
    };
}

static lg_string
pool_of(const tally *to, size_t segment)
{
    if (to->state.segment_pools == NULL)
        return lg_graph_string(to->graph, to->state.segments[segment].pool);
    const char *text = to->state.segment_pools[segment];
    return lg__string_of(text ? text : "");
}

static lg_tensor_kind
kind_of_buffer(const tally *to, uint32_t buffer)
{
    uint32_t slot = to->storages.slot[buffer];
    return slot == 0 ? LG_TENSOR_OTHER : to->storages.rows[slot - 1].kind;
}

static bool
is_allocated(const lg_block *block)
{
    return block->state == LG_BLOCK_ALLOCATED ||
           block->state == LG_BLOCK_STRANGE;
}

static void
use_block(void *context, uint32_t buffer, uint32_t block, uint64_t bytes)
{
    tally *to = context;
    const lg_block *at = &to->state.blocks[block];
    lg_account *account =
        &to->items[to->state.segments[at->segment].device - 1];
    uint8_t kind = (uint8_t)(1 + kind_of_buffer(to, buffer));
    account->stale -= is_allocated(at) ? bytes : 0;
    to->used[block] += bytes;
    if (to->kind[block] == 0 || kind < to->kind[block])
        to->kind[block] = kind;
}

// Counts the part of a segment that a buffer uses as stale until an allocated
// block explains it.
static void
use_segment(void *context, uint32_t buffer, uint32_t segment, uint64_t bytes)
{
    tally *to = context;
    lg_account *account = &to->items[to->state.segments[segment].device - 1];
    (void)buffer;
    account->outside -= bytes;
    account->stale += bytes;
}

static void
add_buffers(tally *to)
{
    const lg_graph *graph = to->graph;
    for (size_t i = 0; i < to->buffers.count; i++) {
        const lg__piece *at = &to->buffers.items[i];
        to->items[at->device - 1].outside += at->end - at->begin;
    }
    pieces_meet(&to->buffers, &to->segments, use_segment, to);
    pieces_meet(&to->buffers, &to->blocks, use_block, to);
    for (uint32_t i = 0; i < graph->placed_count; i++) {
        uint32_t node = graph->device_node[i];
        if ((lg_columns_flags(&graph->columns, node) & LG_NODE_BUFFER) &&
            lg_columns_address(&graph->columns, node) == 0)
            to->items[graph->device_id[i] - 1].outside +=
                lg__buffer_bytes(graph, node);
    }
}

static void
add_owned(lg_account *account, const lg_block *block, uint64_t used,
          lg_tensor_kind kind)
{
    uint64_t asked = block->requested;
    if (asked == 0 || asked > block->size)
        asked = block->size;
    if (asked < used)
        asked = used;
    account->attributed += block->size;
    account->used += used;
    account->slack += asked - used;
    account->rounding += block->size - asked;
    account->by_kind[kind] += block->size;
}

static void
add_block(tally *to, size_t index)
{
    const lg_block *block = &to->state.blocks[index];
    const lg_segment *segment = &to->state.segments[block->segment];
    lg_account *account = &to->items[segment->device - 1];
    lg_string pool = pool_of(to, block->segment);
    to->fate[index] = LG__FATE_FREE;
    if (block->state == LG_BLOCK_PENDING)
        account->pending += block->size;
    if (block->state == LG_BLOCK_INACTIVE && pool.length > 0)
        account->private_inactive += block->size;
    if (!is_allocated(block))
        return;
    account->allocated += block->size;
    if (to->kind[index] != 0) {
        to->fate[index] = LG__FATE_OWNED;
        add_owned(account, block, to->used[index],
                  (lg_tensor_kind)(to->kind[index] - 1));
        return;
    }
    lg_evidence evidence = lg__evidence_of(
        block, pool, frames_of_block(to->graph, &to->state, index));
    to->fate[index] = (uint8_t)evidence;
    account->unattributed += block->size;
    account->by_evidence[evidence] += block->size;
    account->evidence_blocks[evidence]++;
}

// Reads a number that the capture recorded from the allocator or the driver.
static bool
recorded(const lg_graph *graph, uint32_t device, const char *what,
         uint64_t *out)
{
    char key[128];
    lg_string name = lg_graph_device_name(graph, device);
    snprintf(key, sizeof key, "device.%.*s.%s",
             (int)(name.length < 64 ? name.length : 64), name.data, what);
    return lg__decimal_read(lg_graph_info_find(graph, key), out);
}

static int64_t
recorded_or_none(const lg_graph *graph, uint32_t device, const char *what)
{
    uint64_t bytes;
    return recorded(graph, device, what, &bytes) && bytes <= INT64_MAX
               ? (int64_t)bytes
               : -1;
}

// Takes the totals of an allocator that lists no blocks on a device.
static void
take_totals(const lg_graph *graph, uint64_t allocated, lg_account *account)
{
    uint64_t reserved;
    if (!recorded(graph, account->device, "reserved", &reserved) ||
        reserved < allocated)
        reserved = allocated;
    account->reserved = reserved;
    account->allocated = account->unattributed = allocated;
    account->by_evidence[LG_EVIDENCE_UNLISTED] = allocated;
    account->inactive = reserved - allocated;
}

// Compares with the recorded numbers, which describe only the snapshot's own
// blocks.
static void
compare_with_recorded(const tally *to, uint32_t device, bool own)
{
    lg_account *account = &to->items[device - 1];
    uint64_t allocated;
    uint64_t total;
    uint64_t unused;
    account->beyond = account->process = -1;
    account->peak_allocated = account->peak_reserved = -1;
    if (!own)
        return;
    account->process = recorded_or_none(to->graph, device, "driver_process");
    account->peak_allocated =
        recorded_or_none(to->graph, device, "peak_allocated");
    account->peak_reserved =
        recorded_or_none(to->graph, device, "peak_reserved");
    if (recorded(to->graph, device, "allocated", &allocated)) {
        if (!account->known)
            take_totals(to->graph, allocated, account);
        account->residual = (int64_t)allocated - (int64_t)account->allocated;
        account->known = true;
    }
    if (recorded(to->graph, device, "driver_total", &total) &&
        recorded(to->graph, device, "driver_free", &unused) &&
        unused <= total) {
        uint64_t busy = total - unused;
        account->beyond =
            busy > account->reserved ? (int64_t)(busy - account->reserved) : 0;
    }
}

static lg_string
name_of(const tally *to, uint32_t device)
{
    uint32_t known = to->graph->device_count;
    return device <= known
               ? lg_graph_device_name(to->graph, device)
               : lg__string_of(to->state.more_devices[device - known - 1]);
}

static lg_string
strange_states(const tally *to, bool own)
{
    const char *names = to->state.strange_states;
    return own ? lg_graph_info_find(to->graph, "allocator.strange_states")
               : lg__string_of(names ? names : "");
}

static void
add_buffer(const lg_graph *graph, const lg__storages *storages, uint32_t node,
           int64_t bytes, int64_t *host)
{
    lg_string memory = lg_node_fact_text(graph, node, "memory");
    if (lg__string_is(memory, "mapped"))
        host[LG_HOST_MAPPED] += bytes;
    else if (storages->slot[node] != 0)
        host[LG_HOST_TENSORS] += bytes;
    else
        host[LG_HOST_ARRAYS] += bytes;
    if (lg__string_is(memory, "pinned"))
        host[LG_HOST_PINNED] += bytes;
}

static void
add_nodes(const lg_graph *graph, const lg__storages *storages, int64_t *host)
{
    const lg_columns *columns = &graph->columns;
    uint32_t placed = 0;
    for (uint32_t node = 0; node < columns->node_count; node++) {
        int64_t bytes = (int64_t)lg_node_size(graph, node);
        unsigned flags = lg_columns_flags(columns, node);
        if (placed < graph->placed_count &&
            graph->device_node[placed] == node) {
            placed++;
            continue;
        }
        if (flags & LG_NODE_BUFFER)
            add_buffer(graph, storages, node, bytes, host);
        else if (flags & LG_NODE_CPP)
            host[LG_HOST_CPP] += bytes;
        else if (flags & LG_NODE_NATIVE)
            host[LG_HOST_NATIVE] += bytes;
        else {
            host[LG_HOST_PYTHON] += bytes;
            host[LG_HOST_ROUNDING] +=
                (int64_t)lg_node_spent(graph, node) - bytes;
        }
    }
}

static int64_t
host_recorded(const lg_graph *graph, const char *key)
{
    uint64_t number;
    bool known = lg__decimal_read(lg_graph_info_find(graph, key), &number);
    return known && number <= INT64_MAX ? (int64_t)number : -1;
}

static void
read_facts(const lg_graph *graph, int64_t *host)
{
    static const struct {
        lg_host line;
        const char *key;
    } facts[] = {
        {LG_HOST_RSS, "memory.rss"},
        {LG_HOST_SWAP, "memory.swap"},
        {LG_HOST_SHARED, "memory.shared"},
        {LG_HOST_MALLOC_FREE, "memory.malloc_free"},
        {LG_HOST_FILES, "memory.files"},
        {LG_HOST_CHANGED, "memory.changed"},
        {LG_HOST_SHMEM, "memory.shmem"},
        {LG_HOST_JIT, "memory.jit"},
        {LG_HOST_STACKS, "memory.stacks"},
        {LG_HOST_LEAKGRAPH, "memory.leakgraph"},
        {LG_HOST_PINNED_POOL, "memory.pinned_pool"},
        {LG_HOST_PINNED_USED, "memory.pinned_used"},
        {LG_HOST_PINNED_PEAK, "memory.pinned_peak"},
        {LG_HOST_MALLOC, "memory.malloc"},
        {LG_HOST_ARENAS, "memory.python"},
        {LG_HOST_PYARROW, "memory.pyarrow"},
        {LG_HOST_THREADS, "process.threads"},
        {LG_HOST_DESCRIPTORS, "process.descriptors"},
        {LG_HOST_DESCRIPTORS_MOST, "process.descriptors_most"},
        {LG_HOST_SEGMENTS, "process.segments"},
        {LG_HOST_CHILDREN, "process.children"},
        {LG_HOST_CHILDREN_SHMEM, "memory.children_shmem"},
    };
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        host[facts[i].line] = host_recorded(graph, facts[i].key);
}

static int64_t
or_none(int64_t bytes)
{
    return bytes > 0 ? bytes : 0;
}

// Takes a line's bytes from the rest, at most the whole rest, because what is
// not in memory cannot be part of it. An unknown line stays unknown.
static void
take(int64_t *line, int64_t *rest)
{
    if (*line > *rest)
        *line = *rest;
    *rest -= or_none(*line);
}

// Returns what pyarrow's pool has in use, unless that counts as malloc's.
static int64_t
used_in_pool(const lg_graph *graph, const int64_t *host)
{
    lg_string allocator = lg_graph_info_find(graph, "memory.pyarrow_allocator");
    bool own = lg__string_is(allocator, "mimalloc") ||
               lg__string_is(allocator, "jemalloc");
    return own ? or_none(host[LG_HOST_PYARROW]) : 0;
}

// Computes what the allocators have in use beyond the nodes. Buffers may lie
// elsewhere, so this may be too little, never too much.
static int64_t
unseen(const lg_graph *graph, const int64_t *host)
{
    int64_t known = host[LG_HOST_PYTHON] + host[LG_HOST_ARRAYS] +
                    host[LG_HOST_TENSORS] + host[LG_HOST_CPP] +
                    host[LG_HOST_NATIVE] + host[LG_HOST_ROUNDING] +
                    or_none(host_recorded(graph, "memory.leakgraph_malloc"));
    if (host[LG_HOST_MALLOC] < 0)
        return -1;
    return or_none(host[LG_HOST_MALLOC] +
                   or_none(host_recorded(graph, "memory.python_used")) +
                   used_in_pool(graph, host) - known);
}

static int64_t
free_in_arenas(const lg_graph *graph, const int64_t *host)
{
    int64_t used = host_recorded(graph, "memory.python_used");
    bool known = used >= 0 && used <= host[LG_HOST_ARENAS];
    return known ? host[LG_HOST_ARENAS] - used : -1;
}

bool
lg_host_wants_native(int64_t resident, int64_t allocations)
{
    return resident > 0 && allocations > resident / 10;
}

uint64_t
lg_graph_wanting_native(const lg_graph *graph, uint64_t known)
{
    int64_t host[LG_HOST_COUNT] = {0};
    if (lg__graph_has_native(graph))
        return 0;
    read_facts(graph, host);
    host[LG_HOST_PYTHON] = (int64_t)known;
    const int64_t others = unseen(graph, host);
    return lg_host_wants_native(host[LG_HOST_RSS], others) ? (uint64_t)others
                                                           : 0;
}

// mimalloc's pages are known by their addresses, and jemalloc counts its own.
static int64_t
free_in_pool(const lg_graph *graph, const int64_t *host)
{
    lg_string allocator = lg_graph_info_find(graph, "memory.pyarrow_allocator");
    int64_t pages = lg__string_is(allocator, "mimalloc")
                        ? host_recorded(graph, "memory.mimalloc")
                    : lg__string_is(allocator, "jemalloc")
                        ? host_recorded(graph, "memory.jemalloc")
                        : -1;
    return pages < 0 ? -1 : or_none(pages - used_in_pool(graph, host));
}

static void
add_up_host(const lg_graph *graph, int64_t *host)
{
    int64_t rest = host[LG_HOST_RSS] + or_none(host[LG_HOST_SWAP]);
    host[LG_HOST_ELSE] = host[LG_HOST_ABSENT] = -1;
    host[LG_HOST_ALLOCATIONS] = unseen(graph, host);
    host[LG_HOST_ARENAS_FREE] = free_in_arenas(graph, host);
    host[LG_HOST_POOL_FREE] = free_in_pool(graph, host);
    if (host[LG_HOST_RSS] < 0)
        return;
    for (int line = LG_HOST_FILES; line <= LG_HOST_STACKS; line++)
        take(&host[line], &rest);
    for (int line = LG_HOST_PYTHON; line <= LG_HOST_ROUNDING; line++)
        rest -= host[line];
    rest -= or_none(host[LG_HOST_LEAKGRAPH]);
    host[LG_HOST_ABSENT] = or_none(-rest);
    rest = or_none(rest);
    for (int line = LG_HOST_ALLOCATIONS; line <= LG_HOST_POOL_FREE; line++)
        take(&host[line], &rest);
    host[LG_HOST_ELSE] = rest;
}

// Fills the account of the host.
static void
accounts_host(const lg_graph *graph, const lg__storages *storages,
              lg_accounts *out)
{
    add_nodes(graph, storages, out->host);
    read_facts(graph, out->host);
    add_up_host(graph, out->host);
}

static const lg_host_line host_lines[LG_HOST_COUNT] = {
    {"rss", "resident", "memory that the process has (RSS)", LG_HOST_WHOLE},
    {"shared", "of that, shared", "other processes map it, too",
     LG_HOST_WITHIN},
    {"swap", "swapped out", "", LG_HOST_WHOLE},
    {"python", "Python objects", "", LG_HOST_PART},
    {"arrays", "arrays and bytes", "data of arrays, bytearrays, memoryviews",
     LG_HOST_PART},
    {"tensors", "tensors", "", LG_HOST_PART},
    {"cpp", "C++ objects", "autograd graphs, tensors without a Python object",
     LG_HOST_PART},
    {"native", "memory of C code",
     "in blocks of its own; `leakgraph native` says who holds them",
     LG_HOST_PART},
    {"rounding", "allocators' rounding",
     "a Python object takes a multiple of 16 bytes", LG_HOST_PART},
    {"allocations", "other allocations",
     "in use by C code; no object of the snapshot has it", LG_HOST_PART},
    {"malloc_free", "free in malloc", "freed, and kept by malloc for reuse",
     LG_HOST_PART},
    {"arenas_free", "free in arenas",
     "room for small Python objects, which share pages with others",
     LG_HOST_PART},
    {"pool_free", "free in pyarrow's pool",
     "an estimate; default_memory_pool().release_unused() may return it",
     LG_HOST_PART},
    {"files", "files", "code of libraries, and files that are mapped",
     LG_HOST_PART},
    {"changed", "changed pages of files", "data of libraries", LG_HOST_PART},
    {"shmem", "shared memory", "", LG_HOST_PART},
    {"jit", "code of JITs", "anonymous memory that may be executed",
     LG_HOST_PART},
    {"stacks", "thread stacks", "", LG_HOST_PART},
    {"leakgraph", "leakgraph", "open snapshots, memory kept for captures",
     LG_HOST_PART},
    {"else", "anything else", "what no line above explains", LG_HOST_PART},
    {"absent", "not resident", "deducted: counted above, but not in memory",
     LG_HOST_DEDUCTED},
    {"mapped", "mapped", "arrays in files and in shared memory",
     LG_HOST_BESIDE},
    {"pinned", "pinned", "page-locked memory of arrays and tensors",
     LG_HOST_BESIDE},
    {"pinned_pool", "PyTorch's pinned pool",
     "page-locked, with what is free in it", LG_HOST_BESIDE},
    {"pinned_used", "pinned, in use", "of that pool", LG_HOST_BESIDE},
    {"pinned_peak", "pinned at most", "of that pool, so far", LG_HOST_BESIDE},
    {"malloc", "malloc", "in use", LG_HOST_BESIDE},
    {"arenas", "Python's arenas",
     "for small objects, with what is free in them", LG_HOST_BESIDE},
    {"pyarrow", "pyarrow's pool", "allocated by it, for arrays and in C++",
     LG_HOST_BESIDE},
    {"children_shmem", "in child processes",
     "shared memory that waits there, such as batches of a DataLoader",
     LG_HOST_BESIDE},
    {"threads", "threads", "", LG_HOST_NUMBER},
    {"descriptors", "open descriptors", "", LG_HOST_NUMBER},
    {"descriptors_most", "descriptors at most", "", LG_HOST_NUMBER},
    {"segments", "segments of /dev/shm", "", LG_HOST_NUMBER},
    {"children", "child processes", "", LG_HOST_NUMBER},
};

lg_host_line
lg_host_words(lg_host which)
{
    static const lg_host_line none = {"", "", "", LG_HOST_NUMBER};
    return (unsigned)which < LG_HOST_COUNT ? host_lines[which] : none;
}

static void
add_up(tally *to, bool own)
{
    for (uint32_t i = 0; i < to->device_count; i++) {
        to->items[i].device = i + 1;
        to->items[i].name = name_of(to, i + 1);
    }
    add_buffers(to);
    for (size_t i = 0; i < to->state.segment_count; i++) {
        lg_account *at = &to->items[to->state.segments[i].device - 1];
        at->known = true;
        at->reserved += to->state.segments[i].size;
    }
    for (size_t i = 0; i < to->state.block_count; i++)
        add_block(to, i);
    for (uint32_t i = 0; i < to->device_count; i++) {
        lg_account *at = &to->items[i];
        at->strange_states = strange_states(to, own);
        at->inactive = at->reserved - at->allocated - at->pending;
        compare_with_recorded(to, i + 1, own);
    }
}

static lg_status
prepare(tally *to, lg_error *err)
{
    lg_status status = lg__storages_find(to->graph, &to->storages, err);
    if (status == LG_OK)
        status = pieces_of_segments(to->graph, &to->state, &to->segments, err);
    if (status == LG_OK)
        status = pieces_of_blocks(&to->state, &to->blocks, err);
    if (status == LG_OK)
        status = pieces_of_buffers(to->graph, &to->buffers, err);
    if (status != LG_OK)
        return status;
    size_t blocks = to->state.block_count + 1;
    to->used = lg__calloc(blocks, sizeof *to->used);
    to->kind = lg__calloc(blocks, 1);
    to->fate = lg__calloc(blocks, 1);
    to->device_count = to->graph->device_count + to->state.more_device_count;
    to->items = lg__calloc((size_t)to->device_count + 1, sizeof *to->items);
    return to->used && to->kind && to->fate && to->items
               ? LG_OK
               : lg__error_memory(err);
}

lg_status
lg_graph_accounts(const lg_graph *graph, const lg_allocator_state *state,
                  lg_accounts *out, lg_error *err)
{
    tally to = {.graph = graph, .state = allocator_state(graph, state)};
    lg_accounts made = {0};
    lg_status status = prepare(&to, err);
    if (status == LG_OK) {
        add_up(&to, state == NULL);
        status = accounts_stacks(graph, &to.state, to.fate, &made, err);
    }
    if (status == LG_OK) {
        accounts_host(graph, &to.storages, &made);
        made.items = to.items;
        made.count = to.device_count;
        to.items = NULL;
        *out = made;
    }
    lg__storages_free(&to.storages);
    lg__free(to.segments.items);
    lg__free(to.blocks.items);
    lg__free(to.buffers.items);
    lg__free(to.used);
    lg__free(to.kind);
    lg__free(to.fate);
    lg__free(to.items);
    return status;
}

void
lg_accounts_free(lg_accounts *accounts)
{
    lg__free(accounts->items);
    lg__free(accounts->stacks);
    *accounts = (lg_accounts){0};
}
