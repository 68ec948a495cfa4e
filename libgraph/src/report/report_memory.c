// Says where the memory is: the host's, and each device's to the byte. People
// read lines, which add up; programs get a row for each number.
#include "bytes/bytes_private.h"
#include "report/report_private.h"

#include <stdlib.h>
#include <string.h>

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
        table, (lg__layout){.bare = true, .shown_in = LG__SHOWN}, lines, 3);
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
advise(const lg_graph *graph, const lg_accounts *accounts, lg_text *out)
{
    const int64_t *host = accounts->host;
    if (host[LG_HOST_NATIVE] > 0 ||
        !lg_host_wants_native(host[LG_HOST_RSS], host[LG_HOST_ALLOCATIONS]))
        return;
    lg_text_add(out, "\n");
    lg__advise_native(graph, out);
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
                table, (lg__layout){.bare = true, .shown_in = LG__SHOWN},
                columns, 2);
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

static void
add_lines(const lg_graph *graph, const lg_accounts *accounts, lg_table *table)
{
    lg_text below = {0};
    host_text(accounts, table);
    for (size_t i = 0; i < accounts->count; i++)
        device_text(&accounts->items[i], accounts, table);
    advise(graph, accounts, &below);
    lg__format_uninspected(graph, &below);
    if (graph->partial)
        lg_text_add(&below, "\nthe snapshot is partial: memory of objects that "
                            "it leaves out is unattributed here\n");
    lg__table_format_above(lg__table_part(table, (lg__layout){0}, NULL, 0),
                           &below);
}

// A number of the host or of a device.
typedef struct number {
    lg_string device;
    const char *prefix;
    const char *name;
    int64_t value;
    bool known;
} number;

typedef struct memory {
    lg_accounts accounts;
    number *numbers;
    size_t count;
} memory;

#define ACCOUNT(member) .offset = offsetof(lg_account, member)

static void
put_residual(const lg_ask *ask, const void *answer, const void *row,
             const lg_field *field, lg_table *table, size_t column)
{
    (void)ask, (void)answer, (void)field;
    lg__put_number(table, column, ((const lg_account *)row)->residual);
}

static lg_table *
put_record(lg_table *table, size_t column, const lg__column *columns,
           size_t count)
{
    lg_table *record = lg__put_table(table, column, columns, count);
    lg__table_row(record);
    return record;
}

static void
put_kinds(const lg_ask *ask, const void *answer, const void *row,
          const lg_field *field, lg_table *table, size_t column)
{
    lg__column columns[LG_TENSOR_KIND_COUNT] = {{0}};
    const lg_account *at = row;
    (void)ask, (void)answer, (void)field;
    for (size_t i = 0; i < LG_TENSOR_KIND_COUNT; i++)
        columns[i] =
            (lg__column){.name = lg_tensor_kind_name((lg_tensor_kind)i),
                         .type = LG_COLUMN_BYTES};
    lg_table *record = put_record(table, column, columns, LG_TENSOR_KIND_COUNT);
    for (size_t i = 0; i < LG_TENSOR_KIND_COUNT; i++)
        lg__put_count(record, i, at->by_kind[i]);
}

static void
put_evidence(const lg_ask *ask, const void *answer, const void *row,
             const lg_field *field, lg_table *table, size_t column)
{
    static const lg__column each[] = {
        {"bytes", .type = LG_COLUMN_BYTES},
        {"blocks", .type = LG_COLUMN_COUNT},
    };
    lg__column columns[LG_EVIDENCE_COUNT] = {{0}};
    const lg_account *at = row;
    (void)ask, (void)answer, (void)field;
    for (size_t i = 0; i < LG_EVIDENCE_COUNT; i++)
        columns[i] = (lg__column){.name = lg_evidence_name((lg_evidence)i),
                                  .type = LG_COLUMN_RECORD};
    lg_table *record = put_record(table, column, columns, LG_EVIDENCE_COUNT);
    for (size_t i = 0; i < LG_EVIDENCE_COUNT; i++) {
        lg_table *both = put_record(record, i, each, 2);
        lg__put_count(both, 0, at->by_evidence[i]);
        lg__put_count(both, 1, at->evidence_blocks[i]);
    }
}

static void
write_stack_evidence(const lg_ask *ask, const void *answer, const void *row,
                     lg_text *out)
{
    (void)ask, (void)answer;
    lg_text_add(out, lg_evidence_name(((const lg_block_stack *)row)->evidence));
}

#define STACK(member) .offset = offsetof(lg_block_stack, member)

static const lg_field stack_fields[] = {
    {"bytes", NULL, "of the blocks", LG_COLUMN_BYTES, STACK(bytes)},
    {"blocks", NULL, "how many there are", LG_COLUMN_COUNT, STACK(blocks)},
    {"evidence", NULL, "what they probably are", .write = write_stack_evidence},
    {"frames", NULL, "where they were allocated, innermost first",
     LG_COLUMN_TEXT, STACK(frames)},
    {0},
};

static void
put_stacks(const lg_ask *ask, const void *answer, const void *row,
           const lg_field *field, lg_table *table, size_t column)
{
    const lg_accounts *accounts = &((const memory *)answer)->accounts;
    const uint32_t device = ((const lg_account *)row)->device;
    lg_table *list = lg__put_empty_list(ask, answer, field, table, column);
    for (size_t i = 0; i < accounts->stack_count; i++)
        if (accounts->stacks[i].device == device)
            lg__put_list_row(ask, answer, field, &accounts->stacks[i], list);
}

static const lg_field bytes_of_record[] = {
    {.name = "", .type = LG_COLUMN_BYTES},
    {0},
};

static const lg_field evidence_fields[] = {
    {.name = "bytes", .type = LG_COLUMN_BYTES},
    {.name = "blocks", .type = LG_COLUMN_COUNT},
    {0},
};

static const lg_field evidence_of_record[] = {
    {.name = "", .type = LG_COLUMN_RECORD, .inner = evidence_fields},
    {0},
};

static const lg_field host_of_record[] = {
    {.name = "", .type = LG_COLUMN_NUMBER, .optional = true},
    {0},
};

#define BYTES(member, help)                                                    \
    {                                                                          \
#member, NULL, help, LG_COLUMN_BYTES, ACCOUNT(member)                  \
    }
#define KNOWN(member, help)                                                    \
    {                                                                          \
#member, NULL, help, LG_COLUMN_NUMBER, ACCOUNT(member),                \
            .optional = true                                                   \
    }

static const lg_field account_fields[] = {
    {"device", NULL, "its name: `cuda:0`", LG_COLUMN_TEXT, ACCOUNT(name)},
    {"known", NULL,
     "whether its allocator listed its blocks; else only `outside` counts",
     LG_COLUMN_BOOL, ACCOUNT(known)},
    BYTES(reserved, "= allocated + pending + inactive"),
    BYTES(allocated, "= attributed + unattributed"),
    BYTES(pending, "freed, but a stream may still use it"),
    BYTES(inactive, "free, kept for reuse"),
    BYTES(private_inactive, "of that, in private pools"),
    BYTES(attributed, "= used + rounding + slack; blocks that an object has"),
    BYTES(used, "by tensors and arrays"),
    BYTES(rounding, "to the allocator's block sizes"),
    BYTES(slack, "asked for and used by nothing"),
    BYTES(unattributed, "blocks that no object has"),
    BYTES(outside, "buffers in no segment"),
    BYTES(stale, "buffers in blocks that are not allocated"),
    {"residual", NULL, "the allocator's own count less allocated",
     LG_COLUMN_NUMBER, .put = put_residual},
    KNOWN(beyond, "the driver's use beyond reserved; None: unknown"),
    KNOWN(process, "this process's use, by the driver's count; None: unknown"),
    KNOWN(peak_allocated, "the most that was allocated so far; None: unknown"),
    KNOWN(peak_reserved, "the most that was reserved so far; None: unknown"),
    {"by_kind", NULL, "attributed bytes by kind of tensor", LG_COLUMN_RECORD,
     .put = put_kinds, .inner = bytes_of_record},
    {"by_evidence", NULL, "bytes and blocks of unattributed ones",
     LG_COLUMN_RECORD, .put = put_evidence, .inner = evidence_of_record},
    {"stacks", NULL, "where unattributed blocks were allocated", LG_COLUMN_LIST,
     .put = put_stacks, .inner = stack_fields, .row = "AccountStack",
     .look = {.lines = true}},
    {0},
};

static void
put_host(const lg_ask *ask, const void *answer, const void *row,
         const lg_field *field, lg_table *table, size_t column)
{
    const lg_accounts *accounts = &((const memory *)row)->accounts;
    lg__column columns[LG_HOST_COUNT] = {{0}};
    (void)ask, (void)answer, (void)field;
    for (size_t i = 0; i < LG_HOST_COUNT; i++)
        columns[i] = (lg__column){.name = lg_host_words((lg_host)i).key,
                                  .type = LG_COLUMN_NUMBER};
    lg_table *record = put_record(table, column, columns, LG_HOST_COUNT);
    for (size_t i = 0; i < LG_HOST_COUNT; i++)
        if (accounts->host[i] >= 0)
            lg__put_number(record, i, accounts->host[i]);
}

static void
put_devices(const lg_ask *ask, const void *answer, const void *row,
            const lg_field *field, lg_table *table, size_t column)
{
    const lg_accounts *accounts = &((const memory *)row)->accounts;
    const lg__rows rows = {accounts->items, accounts->count,
                           sizeof *accounts->items};
    lg__put_list(ask, answer, field, &rows, table, column);
}

static const lg_field facts[] = {
    {"host", NULL,
     "the host's bytes, and numbers of threads and descriptors; None: unknown. "
     "rss and swap are the sum of the lines from python to else, less absent",
     LG_COLUMN_RECORD, .put = put_host, .inner = host_of_record},
    {"devices", NULL, "each device but the host, to the byte", LG_COLUMN_LIST,
     .put = put_devices, .inner = account_fields, .row = "Account",
     .look = {.lines = true}},
    {"not_inspected", NULL,
     "libraries whose memory the capture could not inspect, each with the "
     "reason",
     LG_COLUMN_RECORD, .put = lg__put_uninspected},
    {0},
};

static void
write_name(const lg_ask *ask, const void *answer, const void *row, lg_text *out)
{
    const number *of = row;
    (void)ask, (void)answer;
    lg_text_addf(out, "%s%s", of->prefix, of->name);
}

static void
put_value(const lg_ask *ask, const void *answer, const void *row,
          const lg_field *field, lg_table *table, size_t column)
{
    const number *of = row;
    (void)ask, (void)answer, (void)field;
    if (of->known)
        lg__put_number(table, column, of->value);
}

static const lg_field fields[] = {
    {"device", NULL, "`host`, or a device's name: `cuda:0`", LG_COLUMN_TEXT,
     .offset = offsetof(number, device)},
    {"name", NULL, "what is counted: `rss`, `reserved`, `by_kind.parameter`",
     .write = write_name, .look = {.gap = 2}},
    {"value", NULL, "bytes, or how many there are; None: unknown",
     LG_COLUMN_NUMBER, .put = put_value, .optional = true, .look = {.gap = 2}},
    {0},
};

static void
add_number(memory *to, lg_string device, const char *prefix, const char *name,
           int64_t value)
{
    to->numbers[to->count++] =
        (number){device, prefix, name, value, value >= 0};
}

// Adds the numbers of a device that its fields have.
static void
add_account(memory *to, const lg_account *at)
{
    for (const lg_field *field = account_fields; field->name; field++) {
        int64_t value;
        if (field->type != LG_COLUMN_BYTES && field->type != LG_COLUMN_NUMBER)
            continue;
        memcpy(&value, (const char *)at + field->offset, sizeof value);
        if (field->put == NULL)
            add_number(to, at->name, "", field->name, value);
        else
            to->numbers[to->count++] =
                (number){at->name, "", field->name, at->residual, true};
    }
    for (size_t i = 0; i < LG_TENSOR_KIND_COUNT; i++)
        add_number(to, at->name, "by_kind.",
                   lg_tensor_kind_name((lg_tensor_kind)i),
                   (int64_t)at->by_kind[i]);
    for (size_t i = 0; i < LG_EVIDENCE_COUNT; i++)
        add_number(to, at->name, "by_evidence.",
                   lg_evidence_name((lg_evidence)i),
                   (int64_t)at->by_evidence[i]);
}

static lg_status
list_numbers(memory *to, lg_error *err)
{
    static const lg_string host = {"host", 4};
    const lg_accounts *accounts = &to->accounts;
    const size_t most = sizeof account_fields / sizeof *account_fields +
                        LG_TENSOR_KIND_COUNT + LG_EVIDENCE_COUNT;
    to->numbers =
        calloc(LG_HOST_COUNT + accounts->count * most, sizeof *to->numbers);
    if (to->numbers == NULL)
        return lg__error_memory(err);
    for (size_t i = 0; i < LG_HOST_COUNT; i++)
        add_number(to, host, "", lg_host_words((lg_host)i).key,
                   accounts->host[i]);
    for (size_t i = 0; i < accounts->count; i++)
        add_account(to, &accounts->items[i]);
    return LG_OK;
}

static lg_status
ask_memory(const lg_ask *ask, void *answer, lg_error *err)
{
    memory *to = answer;
    lg_status status = lg_graph_accounts(ask->graph, NULL, &to->accounts, err);
    if (status != LG_OK)
        return status;
    status = list_numbers(to, err);
    if (status != LG_OK)
        lg_accounts_free(&to->accounts);
    return status;
}

static void
free_memory(void *answer)
{
    memory *of = answer;
    free(of->numbers);
    lg_accounts_free(&of->accounts);
}

static void
add_below(const lg_ask *ask, const void *answer, lg_table *table)
{
    add_lines(ask->graph, &((const memory *)answer)->accounts, table);
}

static const char usual = 0;

static const lg_option options[] = {{0}};

static const lg_answering in_c = {
    .options_size = sizeof usual,
    .usual = &usual,
    .answer_size = sizeof(memory),
    .ask = ask_memory,
    .free = free_memory,
    .row_size = sizeof(number),
    .rows = offsetof(memory, numbers),
    .count = offsetof(memory, count),
    .in = LG_IN_DATA,
    .below = add_below,
};

const lg_question lg__ask_memory = {
    .name = "memory",
    .title = "Where the memory is",
    .help = "account for every byte of the process",
    .about = "Says what the memory of the process is made of. For each GPU, "
             "says what PyTorch's allocator has reserved and allocated, what "
             "the objects of the snapshot use of it and for what, and what the "
             "rest probably is.",
    .order = "the host's numbers first",
    .result = "Accounting",
    .row = "MemoryRow",
    .options = options,
    .fields = fields,
    .facts = facts,
    .in_c = &in_c,
};

lg_status
lg_tabulate_accounts(const lg_graph *graph, const lg_accounts *accounts,
                     lg_table **out, lg_error *err)
{
    const lg_ask ask = {.graph = graph};
    memory whole = {.accounts = *accounts};
    lg_status status = list_numbers(&whole, err);
    if (status == LG_OK)
        status = lg_question_tabulate(&lg__ask_memory, &ask, &whole, out, err);
    free(whole.numbers);
    return status;
}

lg_status
lg_report_memory(const lg_graph *graph, const lg_allocator_state *state,
                 lg_format format, lg_text *out, lg_error *err)
{
    lg_accounts accounts;
    lg_table *table = NULL;
    lg_status status = lg_graph_accounts(graph, state, &accounts, err);
    if (status != LG_OK)
        return status;
    status = lg_tabulate_accounts(graph, &accounts, &table, err);
    lg_accounts_free(&accounts);
    return status == LG_OK ? lg__table_report(table, format, out, err) : status;
}
