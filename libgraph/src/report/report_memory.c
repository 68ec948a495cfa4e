// Writes where the memory is: the host's, and each device's to the byte.
#include "bytes/bytes_private.h"
#include "report/report_private.h"

#include <string.h>

// Writes where the memory is, as JSON.

static void
write_known(const char *name, int64_t number, lg_json *json)
{
    if (number >= 0)
        lg_json_integer(json, name, number);
    else
        lg_json_null(json, name);
}

static void
write_host(const lg_accounts *accounts, lg_json *json)
{
    lg_json_object(json, "host");
    for (int i = 0; i < LG_HOST_COUNT; i++)
        write_known(lg_host_words((lg_host)i).key, accounts->host[i], json);
    lg_json_end(json);
}

static void
write_groups(const lg_account *at, lg_json *json)
{
    lg_json_object(json, "by_kind");
    for (size_t i = 0; i < LG_TENSOR_KIND_COUNT; i++)
        lg_json_count(json, lg_tensor_kind_name((lg_tensor_kind)i),
                      at->by_kind[i]);
    lg_json_end(json);
    lg_json_object(json, "by_evidence");
    for (size_t i = 0; i < LG_EVIDENCE_COUNT; i++) {
        lg_json_object(json, lg_evidence_name((lg_evidence)i));
        lg_json_count(json, "bytes", at->by_evidence[i]);
        lg_json_count(json, "blocks", at->evidence_blocks[i]);
        lg_json_end(json);
    }
    lg_json_end(json);
}

static void
write_stacks(const lg_accounts *accounts, uint32_t device, lg_json *json)
{
    lg_json_lines(json, "stacks");
    for (size_t i = 0; i < accounts->stack_count; i++) {
        const lg_block_stack *at = &accounts->stacks[i];
        const char *evidence = lg_evidence_name(at->evidence);
        if (at->device != device)
            continue;
        lg_json_object(json, NULL);
        lg_json_count(json, "bytes", at->bytes);
        lg_json_count(json, "blocks", at->blocks);
        lg_json_string(json, "evidence", evidence, strlen(evidence));
        lg__write_string(json, "frames", at->frames);
        lg_json_end(json);
    }
    lg_json_end(json);
}

static void
write_device(const lg_account *at, const lg_accounts *accounts, lg_json *json)
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
    lg_json_object(json, NULL);
    lg__write_string(json, "device", at->name);
    lg_json_bool(json, "known", at->known);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        lg_json_count(json, fields[i].name, fields[i].bytes);
    lg_json_integer(json, "residual", at->residual);
    write_known("beyond", at->beyond, json);
    write_known("process", at->process, json);
    write_known("peak_allocated", at->peak_allocated, json);
    write_known("peak_reserved", at->peak_reserved, json);
    write_groups(at, json);
    write_stacks(accounts, at->device, json);
    lg_json_end(json);
}

// Adds the document to *out.
static lg_status
memory_write(const lg_graph *graph, const lg_accounts *accounts, lg_text *out,
             lg_error *err)
{
    lg_json json = {.out = out};
    lg_json_object(&json, NULL);
    write_host(accounts, &json);
    lg_json_lines(&json, "devices");
    for (size_t i = 0; i < accounts->count; i++)
        write_device(&accounts->items[i], accounts, &json);
    lg_json_end(&json);
    lg__write_uninspected(&json, "not_inspected", graph);
    lg_json_end(&json);
    return lg_json_finish(&json, err);
}

enum { STACKS_SHOWN = 5 };

static const char *
explain(lg_evidence evidence)
{
    static const char *const texts[] = {
        "torch._C._cuda_clearCublasWorkspaces() frees it",
        "judged by its size; torch._C._cuda_clearCublasWorkspaces() frees one",
        "a CUDA graph or MemPool keeps it",
        "gradients of DistributedDataParallel, before they are reduced",
        "probably gradients in a backward pass",
        "leave autocast, or call torch.clear_autocast_cache()",
        "no object of the snapshot has it; probably C++ code does",
        "allocated or freed while the snapshot was taken",
        "",
        "the allocator counts these bytes and does not list its blocks",
        ("no stack was recorded; "
         "torch.cuda.memory._record_memory_history() records stacks"),
    };
    size_t index = (size_t)evidence;
    return index < sizeof texts / sizeof *texts ? texts[index] : "";
}

enum { NAME, BYTES, NOTE };

static const lg__column lines[] = {
    [NAME] = {.least = 30, .tree = LG__INDENTED},
    [BYTES] = {.type = LG_COLUMN_BYTES, .gap = 1, .least = 10},
    [NOTE] = {.gap = 3},
};

// Adds lines under a heading. Frees the heading.
static lg_table *
add_part(lg_table *table, lg_text *above)
{
    lg_table *part = lg__table_part(
        table, (lg__layout){.bare = true, .faces = LG__SHOWN}, lines, 3);
    lg__table_format_above(part, above);
    return part;
}

static void
add_line(lg_table *part, unsigned indent, const char *name, uint64_t bytes,
         const char *note)
{
    lg__table_row(part);
    lg__table_set_depth(part, indent);
    lg__put_literal(part, NAME, name);
    lg__put_count(part, BYTES, bytes);
    lg__put_literal(part, NOTE, note);
}

// Adds a line. Frees its note.
static void
add_noted(lg_table *part, unsigned indent, const char *name, uint64_t bytes,
          lg_text *note)
{
    add_line(part, indent, name, bytes, "");
    lg__put_formatted(part, NOTE, note);
}

// Returns whether the line is shown even if it is empty.
static bool
is_usual(lg_host line)
{
    return line == LG_HOST_PYTHON || line == LG_HOST_ARRAYS ||
           line == LG_HOST_TENSORS || line == LG_HOST_CPP;
}

static void
add_bytes(const lg_accounts *accounts, lg_host_role first, lg_host_role last,
          lg_table *out)
{
    for (int i = 0; i < LG_HOST_COUNT; i++) {
        lg_host_line line = lg_host_words((lg_host)i);
        int64_t bytes = accounts->host[i];
        if (line.role >= first && line.role <= last &&
            (bytes > 0 || is_usual((lg_host)i)))
            add_line(out, line.role == LG_HOST_WITHIN ? 2 : 1, line.name,
                     (uint64_t)bytes, line.note);
    }
}

static void
add_counts(const lg_accounts *accounts, lg_table *out)
{
    for (int i = LG_HOST_THREADS; i < LG_HOST_COUNT; i++) {
        lg_text note = {0};
        if (accounts->host[i] <= 0 || i == LG_HOST_DESCRIPTORS_MOST)
            continue;
        lg_text_add_count(&note, (uint64_t)accounts->host[i]);
        if (i == LG_HOST_DESCRIPTORS &&
            accounts->host[LG_HOST_DESCRIPTORS_MOST] > 0) {
            lg_text_add(&note, " of at most ");
            lg_text_add_count(
                &note, (uint64_t)accounts->host[LG_HOST_DESCRIPTORS_MOST]);
        }
        lg__table_row(out);
        lg__table_set_depth(out, 1);
        lg__put_literal(out, NAME, lg_host_words((lg_host)i).name);
        lg__put_formatted(out, NOTE, &note);
    }
}

// Points on to native memory where much of the process is nobody's.
static void
advise(const lg_accounts *accounts, lg_text *out)
{
    const int64_t *host = accounts->host;
    if (host[LG_HOST_NATIVE] == 0 && host[LG_HOST_RSS] > 0 &&
        host[LG_HOST_ALLOCATIONS] > host[LG_HOST_RSS] / 10)
        lg_text_add(out, "\na snapshot with native=True (--native) says who "
                         "holds the other allocations\n");
}

static void
host_text(const lg_accounts *accounts, lg_table *table)
{
    lg_text above = {0};
    lg_text_add(&above, "host\n");
    add_bytes(accounts, LG_HOST_WHOLE, LG_HOST_DEDUCTED,
              add_part(table, &above));
    bool any = false;
    for (int i = LG_HOST_MAPPED; i < LG_HOST_COUNT; i++)
        any = any || accounts->host[i] > 0;
    if (!any)
        return;
    lg_text_add(&above, "\n  other counters\n");
    lg_table *others = add_part(table, &above);
    add_bytes(accounts, LG_HOST_BESIDE, LG_HOST_BESIDE, others);
    add_counts(accounts, others);
}

static void
add_attributed(const lg_account *at, lg_table *out)
{
    lg_text note = {0};
    add_line(out, 3, "attributed", at->attributed,
             "blocks of objects of the snapshot");
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
add_unattributed(const lg_account *at, lg_table *out)
{
    if (at->unattributed == 0)
        return;
    add_line(out, 3, "unattributed", at->unattributed,
             "blocks of no known object");
    for (size_t i = 0; i < LG_EVIDENCE_COUNT; i++) {
        lg_text note = {0};
        if (at->by_evidence[i] == 0)
            continue;
        if (i != LG_EVIDENCE_UNLISTED) {
            lg_text_add_count(&note, at->evidence_blocks[i]);
            lg_text_addf(&note,
                         " block%s: ", at->evidence_blocks[i] == 1 ? "" : "s");
        }
        lg_text_add(&note, explain((lg_evidence)i));
        if (i == LG_EVIDENCE_STATE)
            lg__text_add_string(&note, at->strange_states);
        add_noted(out, 4, lg_evidence_name((lg_evidence)i), at->by_evidence[i],
                  &note);
    }
}

static void
add_stacks(const lg_accounts *accounts, uint32_t device, lg_table *table)
{
    static const lg__column columns[] = {
        {.type = LG_COLUMN_BYTES, .least = 11},
        {.gap = 2},
    };
    size_t shown = 0;
    lg_table *part = NULL;
    for (size_t i = 0; i < accounts->stack_count && shown < STACKS_SHOWN; i++) {
        const lg_block_stack *at = &accounts->stacks[i];
        lg_text above = {0};
        if (at->device != device)
            continue;
        if (shown++ == 0) {
            part = lg__table_part(
                table, (lg__layout){.bare = true, .faces = LG__SHOWN}, columns,
                2);
            lg_text_add(&above, "\n  where unattributed blocks were "
                                "allocated, innermost first\n");
            lg__table_format_above(part, &above);
        }
        lg__table_row(part);
        lg__put_count(part, 0, at->bytes);
        lg__put_string(part, 1, at->frames);
    }
}

static void
format_residual(const lg_account *at, lg_text *out)
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

// Adds a line with a peak.
static void
add_peaked(unsigned indent, const char *name, uint64_t bytes, const char *what,
           int64_t peak, lg_table *out)
{
    lg_text note = {0};
    lg_text_add(&note, what);
    if (peak >= 0) {
        lg_text_add(&note, *what ? "; at most " : "at most ");
        lg_text_add_size(&note, (uint64_t)peak);
        lg_text_add(&note, " so far");
    }
    add_noted(out, indent, name, bytes, &note);
}

// Adds what the driver has in use, for this process and all others.
static void
add_driver(const lg_account *at, lg_table *out)
{
    if (at->beyond < 0)
        return;
    add_line(out, 1, "beyond", (uint64_t)at->beyond,
             at->process >= 0 ? "what else all processes use of the device"
                              : "contexts, other libraries, other processes; "
                                "this process's share is unknown");
    if (at->process >= 0)
        add_line(out, 1, "this process", (uint64_t)at->process,
                 "as the driver counts: reserved, its context, other "
                 "libraries");
}

static void
add_allocator(const lg_account *at, lg_table *out)
{
    lg_text note = {0};
    add_peaked(1, "reserved", at->reserved,
               "PyTorch's allocator has it from the driver", at->peak_reserved,
               out);
    add_peaked(2, "allocated", at->allocated, "", at->peak_allocated, out);
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
add_outside(const lg_account *at, lg_table *out)
{
    if (!at->known)
        add_line(out, 1, "buffers", at->outside,
                 "its allocator was not inspected");
    else if (at->by_evidence[LG_EVIDENCE_UNLISTED] > 0)
        add_line(out, 1, "buffers", at->outside,
                 "memory of objects, in these blocks or elsewhere");
    else if (at->outside > 0)
        add_line(out, 1, "outside", at->outside,
                 "buffers that PyTorch's allocator does not know");
}

static void
device_text(const lg_account *at, const lg_accounts *accounts, lg_table *table)
{
    lg_text text = {0};
    lg_text_add(&text, "\n");
    lg__text_add_string(&text, at->name);
    lg_text_add(&text, "\n");
    lg_table *part = add_part(table, &text);
    if (at->known)
        add_allocator(at, part);
    add_outside(at, part);
    if (at->stale > 0)
        add_line(part, 1, "stale", at->stale,
                 "buffers in blocks that are not allocated");
    add_driver(at, part);
    add_stacks(accounts, at->device, table);
    if (at->known)
        format_residual(at, &text);
    lg__table_format_above(lg__table_part(table, (lg__layout){0}, NULL, 0),
                           &text);
}

lg_status
lg_tabulate_accounts(const lg_graph *graph, const lg_accounts *accounts,
                     lg_table **out, lg_error *err)
{
    lg_text below = {0};
    lg_table *table = lg__table_new(graph, (lg__layout){0}, NULL, 0);
    host_text(accounts, table);
    for (size_t i = 0; i < accounts->count; i++)
        device_text(&accounts->items[i], accounts, table);
    advise(accounts, &below);
    lg__format_uninspected(graph, &below);
    if (graph->partial)
        lg_text_add(&below, "\nthe snapshot is partial: memory of objects that "
                            "it leaves out is unattributed here\n");
    lg__table_format_above(lg__table_part(table, (lg__layout){0}, NULL, 0),
                           &below);
    return lg__table_finish(table, out, err);
}

lg_status
lg_report_accounts(const lg_graph *graph, const lg_accounts *accounts,
                   lg_format format, lg_text *out, lg_error *err)
{
    lg_table *table = NULL;
    if (format == LG_FORMAT_JSON)
        return memory_write(graph, accounts, out, err);
    lg_status status = lg_tabulate_accounts(graph, accounts, &table, err);
    return status == LG_OK ? lg__table_report(table, format, out, err) : status;
}

lg_status
lg_tabulate_memory(const lg_graph *graph, const lg_allocator_state *state,
                   lg_table **out, lg_error *err)
{
    lg_accounts accounts;
    lg_status status = lg_graph_accounts(graph, state, &accounts, err);
    if (status != LG_OK)
        return status;
    status = lg_tabulate_accounts(graph, &accounts, out, err);
    lg_accounts_free(&accounts);
    return status;
}

lg_status
lg_report_memory(const lg_graph *graph, const lg_allocator_state *state,
                 lg_format format, lg_text *out, lg_error *err)
{
    lg_accounts accounts;
    lg_status status = lg_graph_accounts(graph, state, &accounts, err);
    if (status != LG_OK)
        return status;
    status = lg_report_accounts(graph, &accounts, format, out, err);
    lg_accounts_free(&accounts);
    return status;
}
