// Writes what would die if references were cut, and what would live on.
#include "graph/graph_private.h"
#include "report/report_private.h"

// The report shows this many survivors; nobody reads more.
enum { SURVIVORS = 5 };

typedef struct whole_answer {
    lg_what_if found; // comes first: fields name its members
    size_t shown;     // of its types
} whole_answer;

// Several have no path in common but for keys and positions.
static void
label_path(const lg_graph *graph, const lg_survivor *kept, const lg_path *path,
           lg_text *out)
{
    if (kept->count > 1)
        lg__format_folded_path(graph, path, out);
    else
        lg_path_label(graph, path, out);
}

static void
format_path(const lg_graph *graph, const lg_survivor *kept, lg_text *out)
{
    if (kept->path.start == LG_STARTS_NOWHERE)
        lg_text_add(out, "the interpreter");
    else
        label_path(graph, kept, &kept->path, out);
}

// Writes the path to the first reference to cut next.
static void
format_cut(const lg_graph *graph, const lg_survivor *kept, lg_text *out)
{
    const lg_cut *cut = &kept->cuts.items[0];
    lg_path path = cut->path;
    path.count = (size_t)cut->hop + 1;
    label_path(graph, kept, &path, out);
}

static void
write_type(const lg_ask *ask, const void *what_if, const void *row,
           lg_text *out)
{
    (void)what_if;
    lg__text_add_string(
        out, lg_graph_type(ask->graph, ((const lg_dying *)row)->type).name);
}

static void
write_path(const lg_ask *ask, const void *what_if, const void *row,
           lg_text *out)
{
    (void)what_if;
    format_path(ask->graph, row, out);
}

static void
write_cut(const lg_ask *ask, const void *what_if, const void *row, lg_text *out)
{
    const lg_survivor *kept = row;
    (void)what_if;
    if (kept->cuts.count > 0)
        format_cut(ask->graph, kept, out);
}

#define DYING(member) .offset = offsetof(lg_dying, member)
#define KEPT(member) .offset = offsetof(lg_survivor, member)
#define FACT(member) .offset = offsetof(whole_answer, found.member)

static const lg_field fields[] = {
    {"count", "objects", "number of objects", LG_COLUMN_COUNT, DYING(count),
     .look = {.least = 12}},
    {"size", NULL, "their shallow sizes together", LG_COLUMN_SIZE, DYING(size),
     .look = {.gap = 2, .least = 10}},
    {"type", NULL, "module and qualified name of the type", .write = write_type,
     .look = {.gap = 2}},
    {0},
};

static const lg_field kept_fields[] = {
    {"node", NULL, "the object; of several, the one that retains the most",
     LG_COLUMN_NODE, KEPT(node)},
    {"type", NULL, "module and qualified name of its type", LG_COLUMN_TEXT,
     KEPT(node), .of = LG_FIELD_TYPE},
    {"title", NULL, "the object in a few words", LG_COLUMN_TEXT, KEPT(node),
     .of = LG_FIELD_TITLE},
    {"count", NULL, "how many objects of its place the row stands for",
     LG_COLUMN_COUNT, KEPT(count)},
    {"is_target", NULL,
     "whether a cut reference led to it; else an object that would die refers "
     "to it",
     LG_COLUMN_BOOL, KEPT(is_target)},
    {"retained", NULL, "what they retain after the cut", LG_COLUMN_SIZE,
     KEPT(retained)},
    {"held_by", NULL,
     "the path that stays from a root; with `[*]` for several objects",
     LG_COLUMN_PATH, .write = write_path},
    {"cut", NULL, "the path to the first reference to cut next, or None",
     LG_COLUMN_PATH, .write = write_cut, .optional = true},
    {"cut_count", NULL,
     "how many you must cut to free one of them; 0: you cannot cut enough",
     LG_COLUMN_COUNT, KEPT(cuts.total)},
    {0},
};

static void
put_kept(const lg_ask *ask, const void *what_if, const void *row,
         const lg_field *field, lg_table *table, size_t column)
{
    const lg_what_if *found = &((const whole_answer *)row)->found;
    const lg__rows kept = {found->kept, found->kept_count, sizeof *found->kept};
    lg__put_list(ask, what_if, field, &kept, table, column);
}

static void
put_nodes(const lg_ask *ask, const void *what_if, const void *row,
          const lg_field *field, lg_table *table, size_t column)
{
    (void)ask, (void)row, (void)field;
    lg__put_nodes(table, column, &((const whole_answer *)what_if)->found.nodes);
}

static const lg_field facts[] = {
    {"references", NULL,
     "number of references that are cut; the keys of items go with them",
     LG_COLUMN_COUNT, FACT(references)},
    {"objects", NULL, "number of objects that would die", LG_COLUMN_COUNT,
     FACT(nodes.count)},
    {"nodes", NULL, "these objects", LG_COLUMN_NUMBERS, .put = put_nodes,
     .richer = true, .look = {.in = LG_IN_PROGRAMS}},
    {"size", NULL, "their bytes", LG_COLUMN_SIZE, FACT(size)},
    {"waiting", NULL,
     "how many of them wait for the collector, because they are in cycles or "
     "below",
     LG_COLUMN_COUNT, FACT(waiting)},
    {"waiting_size", NULL, "the bytes of those", LG_COLUMN_SIZE,
     FACT(waiting_size)},
    {"listed", NULL,
     "how many of the objects the chosen modules hold: without a choice, all",
     LG_COLUMN_COUNT, FACT(listed)},
    {"listed_size", NULL, "the bytes of those", LG_COLUMN_SIZE,
     FACT(listed_size)},
    {"type_count", NULL, "number of types before the limit", LG_COLUMN_COUNT,
     FACT(type_count)},
    {"kept_count", NULL, "number of objects that would live on",
     LG_COLUMN_COUNT, FACT(kept_total)},
    {"kept", NULL,
     "what would live on, who holds it, and what to cut next: the targets of "
     "the references first, then the biggest",
     LG_COLUMN_LIST, .put = put_kept, .inner = kept_fields, .row = "Survivor",
     .look = {.lines = true}},
    {0},
};

// Writes `12 objects`.
static void
format_objects(uint64_t count, lg_text *out)
{
    lg_text_add_count(out, count);
    lg_text_add(out, count == 1 ? " object" : " objects");
}

// Says how many of them have rows, if not all.
static void
format_listed(const lg_graph *graph, const lg_what_if *answer, lg_text *out)
{
    if (answer->listed == answer->nodes.count)
        return;
    lg_text_add(out, "The chosen modules hold ");
    if (answer->listed == 0) {
        lg_text_add(out, "none of them.\n");
        return;
    }
    lg_text_add_count(out, answer->listed);
    lg_text_add(out, " of them, ");
    lg__format_each(graph, answer->listed_size, out);
    lg_text_add(out, ".\n");
}

static void
write_above(const lg_ask *ask, const void *what_if, lg_text *out)
{
    const lg_graph *graph = ask->graph;
    const lg_what_if *answer = what_if;
    lg_text_add(out, "If you cut ");
    lg_text_add_count(out, answer->references);
    lg_text_add(out,
                answer->references == 1 ? " reference, " : " references, ");
    if (answer->nodes.count == 0) {
        lg_text_add(out, "no object would die.\n");
        return;
    }
    format_objects(answer->nodes.count, out);
    lg_text_add(out, " would die: ");
    lg__format_each(graph, answer->size, out);
    lg_text_add(out, "\n");
    if (answer->waiting > 0) {
        format_objects(answer->waiting, out);
        lg_text_add(out, " of them, ");
        lg__format_each(graph, answer->waiting_size, out);
        lg_text_add(out, ", would wait for the collector: cycles hold them.\n");
    }
    format_listed(graph, answer, out);
    lg_text_add(out, "\n");
}

enum {
    HEADLINE,
    SHOWN_RETAINED,
    SHOWN_NODE,
    SHOWN_PATH,
    SHOWN_CUT,
    LINKED_NODE,
    OF_SHOWN
};

static const lg__column shown[OF_SHOWN] = {
    [HEADLINE] = {.shown_in = LG__IN_TEXT},
    [SHOWN_RETAINED] = {NULL, "retained", .type = LG_COLUMN_SIZE,
                        .shown_in = LG__IN_HTML},
    [SHOWN_NODE] = {NULL, "object", .shown_in = LG__IN_HTML},
    [SHOWN_PATH] = {NULL, "held by", .type = LG_COLUMN_PATH,
                    .shown_in = LG__SHOWN, .below = "  held by   "},
    [SHOWN_CUT] = {NULL, "cut next", .type = LG_COLUMN_PATH,
                   .shown_in = LG__SHOWN, .below = "  cut next  "},
    [LINKED_NODE] = {"node", .type = LG_COLUMN_NODE,
                     .shown_in = LG__IN_PROGRAMS},
};

static void
format_next(const lg_graph *graph, const lg_survivor *kept, lg_text *out)
{
    if (kept->cuts.count == 0) {
        lg_text_add(out, "no reference that a program can cut frees it");
        return;
    }
    format_cut(graph, kept, out);
    if (kept->cuts.total > 1) {
        lg_text_add(out, " and ");
        lg_text_add_count(out, kept->cuts.total - 1);
        lg_text_add(out, kept->cuts.total == 2 ? " other reference"
                                               : " other references");
    }
    if (kept->count > 1)
        lg_text_add(out, ", for each of them");
}

static void
format_title(const lg_graph *graph, const lg_survivor *kept, lg_text *out)
{
    uint32_t type = lg_columns_type(&graph->columns, kept->node);
    if (kept->count == 1) {
        lg__format_step(graph, kept->node, out);
        return;
    }
    lg_text_add_count(out, kept->count);
    lg_text_add(out, " ");
    lg__text_add_string(out, lg_graph_type(graph, type).name);
}

static void
put_survivor(lg_table *part, const lg_graph *graph, const lg_survivor *kept)
{
    lg_text headline = {0};
    lg_text title = {0};
    lg_text path = {0};
    lg_text next = {0};
    format_title(graph, kept, &title);
    lg__format_each(graph, kept->retained, &headline);
    lg_text_add(&headline, "  ");
    lg_text_add(&headline, title.data ? title.data : "");
    format_path(graph, kept, &path);
    format_next(graph, kept, &next);
    lg__table_row(part);
    lg__put_formatted(part, HEADLINE, &headline);
    lg__put_each(part, SHOWN_RETAINED, kept->retained);
    lg__put_formatted(part, SHOWN_NODE, &title);
    lg__put_formatted(part, SHOWN_PATH, &path);
    lg__put_formatted(part, SHOWN_CUT, &next);
    lg__put_node(part, LINKED_NODE, graph, kept->node);
}

static void
add_kept(const lg_ask *ask, const void *what_if, lg_table *table)
{
    const lg_graph *graph = ask->graph;
    const lg_what_if *answer = what_if;
    lg_text above = {0};
    lg_text below = {0};
    uint64_t told = 0;
    if (answer->kept_count == 0)
        return;
    lg_table *part = lg__table_part(
        table, (lg__layout){.blocks = true, .shown_in = LG__SHOWN}, shown,
        OF_SHOWN);
    lg_text_add(&above, "\nWhat would live on:\n");
    lg__table_format_above(part, &above);
    for (size_t i = 0; i < answer->kept_count; i++) {
        put_survivor(part, graph, &answer->kept[i]);
        told += answer->kept[i].count;
    }
    if (answer->kept_total <= told)
        return;
    lg_text_add(&below, "\n... and ");
    lg_text_add_count(&below, answer->kept_total - told);
    lg_text_add(&below, " more\n");
    lg__table_format_below(part, &below);
}

typedef struct asked {
    lg_edges cut;
    size_t limit;
    const lg_scope *scope;
} asked;

static size_t
count_shown(const lg_what_if *found, size_t limit)
{
    return limit > 0 && limit < found->type_count ? limit : found->type_count;
}

static lg_status
ask_what_if(const lg_ask *ask, void *what_if, lg_error *err)
{
    const asked *of = ask->options;
    whole_answer *to = what_if;
    const lg_what_if_options options = {
        .size = sizeof options, .limit = SURVIVORS, .scope = of->scope};
    lg_status status =
        lg_analysis_what_if(ask->analysis, of->cut.items, of->cut.count,
                            &options, ask->monitor, &to->found, err);
    if (status == LG_OK)
        to->shown = count_shown(&to->found, of->limit);
    return status;
}

static void
free_what_if(void *what_if)
{
    lg_what_if_free(&((whole_answer *)what_if)->found);
}

static const asked usual = {.limit = 20};

static const lg_option options[] = {
    {"cut", LG_OPTION_CUTS, NULL, NULL,
     "a reference, or several: `train.trainer.losses`, "
     "`train.losses[*].graph`, `#17->#42`, `*->type:torch.Tensor`; in Python "
     "an Edge or a Hop, too",
     offsetof(asked, cut)},
    LG__LIMIT(asked, "the biggest first"),
    LG__MINE(asked),
    LG__MODULE(asked),
    {0},
};

static const lg_answering in_c = {
    .options_size = sizeof usual,
    .usual = &usual,
    .answer_size = sizeof(whole_answer),
    .ask = ask_what_if,
    .free = free_what_if,
    .row_size = sizeof(lg_dying),
    .rows = offsetof(whole_answer, found.types),
    .count = offsetof(whole_answer, shown),
    .total = offsetof(whole_answer, found.type_count),
    .noun = "type",
    .above = write_above,
    .below = add_kept,
};

const lg_question lg__ask_what_if = {
    .name = "what_if",
    .verb = "what-if",
    .title = "What if you cut references?",
    .help = "see what would die if you cut references",
    .about = "Says which objects would die if you cut these references, "
             "exactly, by type and bytes; how many of them would wait for the "
             "collector; what would live on, who holds that, and what to cut "
             "next. An item of a dict goes with its key. `mine` and `module` "
             "limit what is listed, and not what is added up.",
    .order = "the biggest first",
    .example = "--cut train.trainer.losses",
    .result = "WhatIf",
    .row = "Dying",
    .needs = LG_NEEDS_ANALYSIS,
    .options = options,
    .fields = fields,
    .facts = facts,
    .in_c = &in_c,
};

lg_status
lg_report_what_if(const lg_graph *graph, const lg_what_if *what_if,
                  size_t limit, lg_format format, lg_text *out, lg_error *err)
{
    lg_table *table = NULL;
    const lg_ask ask = {.graph = graph};
    const whole_answer whole = {*what_if, count_shown(what_if, limit)};
    lg_status status =
        lg_question_tabulate(&lg__ask_what_if, &ask, &whole, &table, err);
    return status == LG_OK ? lg__table_report(table, format, out, err) : status;
}
