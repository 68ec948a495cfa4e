// Where the memory is: the host's, and each device's to the byte.
#include "bytes/bytes_private.h"
#include "report/words.h"

#include <stdlib.h>

// Columns of the name and of the size.
enum { NAME = 30, SIZE = 11, STACKS_SHOWN = 5 };

static const char *
explain(lg_evidence evidence)
{
    static const char *const texts[] = {
        "torch._C._cuda_clearCublasWorkspaces() frees it",
        "a CUDA graph or MemPool keeps it",
        "gradients on their way, buckets of DDP",
        "leave autocast, or torch.clear_autocast_cache()",
        "no object of Python leads to it",
        "allocated or freed while the snapshot was taken",
        ("nobody recorded where: torch.cuda.memory._record_memory_history() "
         "does, from then on"),
    };
    size_t index = (size_t)evidence;
    return index < sizeof texts / sizeof *texts ? texts[index] : "";
}

static void
add_line(lg_text *out, unsigned indent, const char *name, uint64_t bytes,
         const char *note)
{
    lg_text cell = {0};
    size_t start = out->length;
    lg_text_addf(out, "%*s%s", (int)indent * 2, "", name);
    lg__text_pad(out, start, NAME);
    lg_text_add_size(&cell, bytes);
    lg__format_right(&cell, SIZE, out);
    lg_text_free(&cell);
    lg_text_addf(out, "%s%s\n", note[0] ? "   " : "", note);
}

// The same with a note that was put together, which is freed.
static void
add_noted(lg_text *out, unsigned indent, const char *name, uint64_t bytes,
          lg_text *note)
{
    if (note->failed)
        out->failed = true;
    else
        add_line(out, indent, name, bytes, note->data);
    lg_text_free(note);
}

/* -------------------------------------------------------------- host --- */

// What is resident and not listed; or what is listed and not resident.
static void
add_rest(const lg_accounts *accounts, lg_text *out)
{
    uint64_t listed = accounts->python + accounts->arrays + accounts->tensors +
                      accounts->cpp + accounts->own;
    if (accounts->rss > listed)
        add_line(out, 1, "anything else", accounts->rss - listed,
                 "code, libraries, free memory that allocators keep");
    else if (accounts->rss > 0)
        add_line(out, 1, "not resident", listed - accounts->rss,
                 "of these: never touched, or swapped out");
}

static void
add_shown(const lg_graph *graph, const char *key, const char *name,
          const char *note, lg_text *out)
{
    uint64_t bytes;
    if (lg__decimal_read(lg_graph_info_find(graph, key), &bytes))
        add_line(out, 1, name, bytes, note);
}

static void
host_text(const lg_graph *graph, const lg_accounts *accounts, lg_text *out)
{
    lg_text_add(out, "host\n");
    if (accounts->rss > 0)
        add_line(out, 1, "resident", accounts->rss,
                 "memory that the process has (RSS)");
    add_line(out, 1, "Python objects", accounts->python, "");
    add_line(out, 1, "arrays and bytes", accounts->arrays,
             "data of arrays, bytearrays, memoryviews");
    add_line(out, 1, "tensors", accounts->tensors, "");
    add_line(out, 1, "C++ objects", accounts->cpp,
             "autograd graphs, tensors without a Python object");
    if (accounts->own > 0)
        add_line(out, 1, "leakgraph", accounts->own,
                 "open snapshots, memory kept for captures");
    add_rest(accounts, out);
    add_line(out, 1, "mapped", accounts->mapped,
             "files and shared memory: resident where it was touched");
    if (accounts->pinned > 0)
        add_line(out, 1, "pinned", accounts->pinned,
                 "page-locked, of arrays and tensors");
    add_shown(graph, "memory.malloc", "malloc", "in use", out);
    add_shown(graph, "memory.python", "Python's arenas",
              "for small objects, with what is free in them", out);
    add_shown(graph, "memory.pyarrow", "pyarrow's pool",
              "allocated by it, of arrays and in C++", out);
}

static void
json_shown(const lg_graph *graph, const char *key, const char *name,
           lg_text *out)
{
    uint64_t bytes;
    lg_text_addf(out, ", \"%s\": ", name);
    if (lg__decimal_read(lg_graph_info_find(graph, key), &bytes))
        lg_text_addf(out, "%llu", (unsigned long long)bytes);
    else
        lg_text_add(out, "null");
}

static void
host_json(const lg_graph *graph, const lg_accounts *accounts, lg_text *out)
{
    const struct {
        const char *name;
        uint64_t bytes;
    } fields[] = {
        {"python", accounts->python},   {"arrays", accounts->arrays},
        {"tensors", accounts->tensors}, {"cpp", accounts->cpp},
        {"mapped", accounts->mapped},   {"pinned", accounts->pinned},
    };
    lg_text_add(out, "{\"host\": {");
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        lg_text_addf(out, "%s\"%s\": %llu", i > 0 ? ", " : "", fields[i].name,
                     (unsigned long long)fields[i].bytes);
    json_shown(graph, "memory.rss", "rss", out);
    json_shown(graph, "memory.malloc", "malloc", out);
    json_shown(graph, "memory.python", "arenas", out);
    json_shown(graph, "memory.pyarrow", "pyarrow", out);
    json_shown(graph, "memory.leakgraph", "leakgraph", out);
    lg_text_add(out, "}");
}

/* ------------------------------------------------------------ devices --- */

static void
add_attributed(const lg_account *at, lg_text *out)
{
    lg_text note = {0};
    add_line(out, 3, "attributed", at->attributed,
             "blocks that an object of the snapshot has");
    for (size_t i = 0; i < LG_TENSOR_KIND_COUNT; i++)
        if (at->by_kind[i] > 0)
            add_line(out, 4, lg_tensor_kind_name((lg_tensor_kind)i),
                     at->by_kind[i], "");
    if (at->rounding + at->slack == 0)
        return;
    lg_text_add(&note, "rounded up by ");
    lg_text_add_size(&note, at->rounding);
    if (at->slack > 0) {
        lg_text_add(&note, ", ");
        lg_text_add_size(&note, at->slack);
        lg_text_add(&note, " asked for and used by nothing");
    }
    add_noted(out, 4, "of that, unused", at->rounding + at->slack, &note);
}

static void
add_unattributed(const lg_account *at, lg_text *out)
{
    if (at->unattributed == 0)
        return;
    add_line(out, 3, "unattributed", at->unattributed, "blocks of nobody");
    for (size_t i = 0; i < LG_EVIDENCE_COUNT; i++) {
        lg_text note = {0};
        if (at->by_evidence[i] == 0)
            continue;
        lg_text_add_count(&note, at->evidence_blocks[i]);
        lg_text_addf(&note, " block%s: %s",
                     at->evidence_blocks[i] == 1 ? "" : "s",
                     explain((lg_evidence)i));
        add_noted(out, 4, lg_evidence_name((lg_evidence)i), at->by_evidence[i],
                  &note);
    }
}

static void
add_stacks(const lg__stacks *stacks, uint32_t device, lg_text *out)
{
    size_t shown = 0;
    for (size_t i = 0; i < stacks->count && shown < STACKS_SHOWN; i++) {
        const lg__stack *at = &stacks->items[i];
        if (at->device != device)
            continue;
        if (shown++ == 0)
            lg_text_add(out, "\n  where unattributed blocks were allocated, "
                             "innermost first\n");
        lg_text cell = {0};
        lg_text_add_size(&cell, at->bytes);
        lg__format_right(&cell, SIZE, out);
        lg_text_free(&cell);
        lg_text_add(out, "  ");
        lg__text_add_string(out, at->frames);
        lg_text_add(out, "\n");
    }
}

static void
add_residual(const lg_account *at, lg_text *out)
{
    lg_text_add(out, "\n  ");
    if (at->residual == 0) {
        lg_text_add(out, "allocated + pending + inactive = reserved, "
                         "attributed + unattributed = allocated: to the "
                         "byte\n");
        return;
    }
    uint64_t bytes =
        at->residual < 0 ? -(uint64_t)at->residual : (uint64_t)at->residual;
    lg_text_add(out, "the allocator's own count of allocated bytes is ");
    lg_text_add_count(out, bytes);
    lg_text_addf(out, " bytes %s than its blocks\n",
                 at->residual < 0 ? "less" : "more");
}

static void
add_allocator(const lg_account *at, lg_text *out)
{
    lg_text note = {0};
    add_line(out, 1, "reserved", at->reserved,
             "by PyTorch's allocator from the driver");
    add_line(out, 2, "allocated", at->allocated, "");
    add_attributed(at, out);
    add_unattributed(at, out);
    if (at->pending > 0)
        add_line(out, 2, "pending", at->pending,
                 "freed, but a stream may still use it");
    if (at->private_inactive > 0) {
        lg_text_add(&note, "free, kept for reuse, ");
        lg_text_add_size(&note, at->private_inactive);
        lg_text_add(&note, " of it by private pools for themselves");
    } else {
        lg_text_add(&note, "free, kept for reuse");
    }
    add_noted(out, 2, "inactive", at->inactive, &note);
}

static void
device_text(const lg_account *at, const lg__stacks *stacks, lg_text *out)
{
    lg_text_add(out, "\n");
    lg__text_add_string(out, at->name);
    lg_text_add(out, "\n");
    if (at->known)
        add_allocator(at, out);
    if (at->outside > 0 || !at->known)
        add_line(out, 1, at->known ? "outside" : "buffers", at->outside,
                 at->known ? "buffers that PyTorch's allocator does not know"
                           : "its allocator was not inspected");
    if (at->stale > 0)
        add_line(out, 1, "stale", at->stale,
                 "buffers in blocks that are not allocated");
    if (at->beyond >= 0)
        add_line(out, 1, "beyond", (uint64_t)at->beyond,
                 "in use on the device besides: contexts, other libraries, "
                 "other processes");
    add_stacks(stacks, at->device, out);
    if (at->known)
        add_residual(at, out);
}

static void
json_groups(const lg_account *at, lg_text *out)
{
    lg_text_add(out, ",\n   \"by_kind\": {");
    for (size_t i = 0; i < LG_TENSOR_KIND_COUNT; i++)
        lg_text_addf(out, "%s\"%s\": %llu", i > 0 ? ", " : "",
                     lg_tensor_kind_name((lg_tensor_kind)i),
                     (unsigned long long)at->by_kind[i]);
    lg_text_add(out, "},\n   \"by_evidence\": {");
    for (size_t i = 0; i < LG_EVIDENCE_COUNT; i++)
        lg_text_addf(out, "%s\"%s\": {\"bytes\": %llu, \"blocks\": %llu}",
                     i > 0 ? ", " : "", lg_evidence_name((lg_evidence)i),
                     (unsigned long long)at->by_evidence[i],
                     (unsigned long long)at->evidence_blocks[i]);
    lg_text_add(out, "}");
}

static void
json_stacks(const lg__stacks *stacks, uint32_t device, lg_text *out)
{
    const char *comma = "";
    lg_text_add(out, ",\n   \"stacks\": [");
    for (size_t i = 0; i < stacks->count; i++) {
        const lg__stack *at = &stacks->items[i];
        if (at->device != device)
            continue;
        lg_text_addf(out,
                     "%s\n    {\"bytes\": %llu, \"blocks\": %llu, "
                     "\"evidence\": \"%s\", \"frames\": ",
                     comma, (unsigned long long)at->bytes,
                     (unsigned long long)at->blocks,
                     lg_evidence_name(at->evidence));
        lg__text_add_json_string(out, at->frames);
        lg_text_add(out, "}");
        comma = ",";
    }
    lg_text_add(out, "]");
}

static void
device_json(const lg_account *at, const lg__stacks *stacks, lg_text *out)
{
    const struct {
        const char *name;
        uint64_t bytes;
    } fields[] = {
        {"reserved", at->reserved},
        {"allocated", at->allocated},
        {"pending", at->pending},
        {"inactive", at->inactive},
        {"private_inactive", at->private_inactive},
        {"attributed", at->attributed},
        {"used", at->used},
        {"rounding", at->rounding},
        {"slack", at->slack},
        {"unattributed", at->unattributed},
        {"outside", at->outside},
        {"stale", at->stale},
    };
    lg_text_add(out, "\n  {\"device\": ");
    lg__text_add_json_string(out, at->name);
    lg_text_addf(out, ", \"known\": %s", at->known ? "true" : "false");
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        lg_text_addf(out, ", \"%s\": %llu", fields[i].name,
                     (unsigned long long)fields[i].bytes);
    lg_text_addf(out,
                 ", \"residual\": %lld, \"beyond\": ", (long long)at->residual);
    if (at->beyond < 0)
        lg_text_add(out, "null");
    else
        lg_text_addf(out, "%lld", (long long)at->beyond);
    json_groups(at, out);
    json_stacks(stacks, at->device, out);
    lg_text_add(out, "}");
}

/* ------------------------------------------------------------- report --- */

static void
add_all(const lg_graph *graph, const lg_accounts *accounts,
        const lg__stacks *stacks, lg_format format, lg_text *out)
{
    bool json = format == LG_FORMAT_JSON;
    (json ? host_json : host_text)(graph, accounts, out);
    lg_text_add(out, json ? ",\n \"devices\": [" : "");
    for (size_t i = 0; i < accounts->count; i++) {
        lg_text_add(out, json && i > 0 ? "," : "");
        (json ? device_json : device_text)(&accounts->items[i], stacks, out);
    }
    if (json) {
        lg_text_add(out, "],\n ");
        lg__json_uninspected(graph, out);
        lg_text_add(out, "}\n");
        return;
    }
    lg__format_uninspected(graph, out);
    if (graph->partial)
        lg_text_add(out, "\nthe snapshot is partial: what it left out is "
                         "unattributed here\n");
}

lg_status
lg_report_memory(const lg_graph *graph, const lg_allocator_state *state,
                 lg_format format, lg_text *out, lg_error *err)
{
    lg_accounts accounts;
    lg__stacks stacks = {0};
    uint8_t *fates = NULL;
    lg_text text = {0};
    lg_allocator_state used = lg__allocator_state(graph, state);
    lg_status status = lg__accounts_make(graph, state, &fates, &accounts, err);
    if (status != LG_OK)
        return status;
    status = lg__stacks_make(graph, &used, fates, &stacks, err);
    if (status == LG_OK) {
        add_all(graph, &accounts, &stacks, format, &text);
        status = lg__report_finish(&text, out, err);
    }
    free(stacks.items);
    free(fates);
    lg_accounts_free(&accounts);
    return status;
}
