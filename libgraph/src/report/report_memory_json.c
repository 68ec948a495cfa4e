// Writes where the memory is, as JSON.
#include "report/report_memory.h"
#include "report/report_private.h"

#include <string.h>

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

lg_status
lg__memory_write(const lg_graph *graph, const lg_accounts *accounts,
                 lg_text *out, lg_error *err)
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
