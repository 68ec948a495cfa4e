// Writes what would die if references were cut, and what would live on.
#include "graph/graph_private.h"
#include "report/report_private.h"

enum { OBJECTS, SIZE, TYPE, COLUMNS };

static const lg__column columns[COLUMNS] = {
    [OBJECTS] = {"count", "objects", .type = LG_COLUMN_COUNT, .least = 12},
    [SIZE] = {"size", .type = LG_COLUMN_SIZE, .gap = 2, .least = 10},
    [TYPE] = {"type", .gap = 2},
};

enum { NODE, IS_TARGET, RETAINED, HELD_BY, CUT, CUT_COUNT, OF_KEPT };

static const lg__column of_kept[OF_KEPT] = {
    [NODE] = {"node", .type = LG_COLUMN_NODE},
    [IS_TARGET] = {"is_target", .type = LG_COLUMN_BOOL},
    [RETAINED] = {"retained", .type = LG_COLUMN_SIZE},
    [HELD_BY] = {"held_by", .type = LG_COLUMN_PATH},
    [CUT] = {"cut", .type = LG_COLUMN_PATH},
    [CUT_COUNT] = {"cut_count", .type = LG_COLUMN_COUNT},
};

static void
format_path(const lg_graph *graph, const lg_survivor *kept, lg_text *out)
{
    if (kept->path.start == LG_STARTS_NOWHERE)
        lg_text_add(out, "the interpreter");
    else
        lg_path_label(graph, &kept->path, out);
}

// Writes the path to the first reference to cut next.
static void
format_cut(const lg_graph *graph, const lg_survivor *kept, lg_text *out)
{
    const lg_cut *cut = &kept->cuts.items[0];
    lg_path path = cut->path;
    path.count = (size_t)cut->hop + 1;
    lg_path_label(graph, &path, out);
}

static void
put_kept(lg_table *list, const lg_graph *graph, const lg_survivor *kept)
{
    lg_text path = {0};
    lg__table_row(list);
    lg__put_node(list, NODE, graph, kept->node);
    lg__put_bool(list, IS_TARGET, kept->is_target);
    lg__put_each(list, RETAINED, kept->retained);
    format_path(graph, kept, &path);
    lg__put_formatted(list, HELD_BY, &path);
    if (kept->cuts.count > 0) {
        lg_text cut = {0};
        format_cut(graph, kept, &cut);
        lg__put_formatted(list, CUT, &cut);
    }
    lg__put_count(list, CUT_COUNT, kept->cuts.total);
}

enum {
    REFERENCES,
    COUNT,
    ALL_SIZE,
    WAITING,
    WAITING_SIZE,
    LISTED,
    LISTED_SIZE,
    TYPE_COUNT,
    KEPT_COUNT,
    KEPT,
    FACTS
};

static void
put_facts(lg_table *table, const lg_graph *graph, const lg_what_if *answer)
{
    static const lg__column facts[FACTS] = {
        [REFERENCES] = {"references", .type = LG_COLUMN_COUNT},
        [COUNT] = {"count", .type = LG_COLUMN_COUNT},
        [ALL_SIZE] = {"size", .type = LG_COLUMN_SIZE},
        [WAITING] = {"waiting", .type = LG_COLUMN_COUNT},
        [WAITING_SIZE] = {"waiting_size", .type = LG_COLUMN_SIZE},
        [LISTED] = {"listed", .type = LG_COLUMN_COUNT},
        [LISTED_SIZE] = {"listed_size", .type = LG_COLUMN_SIZE},
        [TYPE_COUNT] = {"type_count", .type = LG_COLUMN_COUNT},
        [KEPT_COUNT] = {"kept_count", .type = LG_COLUMN_COUNT},
        [KEPT] = {"kept", .type = LG_COLUMN_LIST, .lines = true},
    };
    lg_table *known = lg__table_facts(table, facts, FACTS);
    lg__put_count(known, REFERENCES, answer->references);
    lg__put_count(known, COUNT, answer->nodes.count);
    lg__put_each(known, ALL_SIZE, answer->size);
    lg__put_count(known, WAITING, answer->waiting);
    lg__put_each(known, WAITING_SIZE, answer->waiting_size);
    lg__put_count(known, LISTED, answer->listed);
    lg__put_each(known, LISTED_SIZE, answer->listed_size);
    lg__put_count(known, TYPE_COUNT, answer->type_count);
    lg__put_count(known, KEPT_COUNT, answer->kept_total);
    lg_table *list = lg__put_table(known, KEPT, of_kept, OF_KEPT);
    for (size_t i = 0; i < answer->kept_count; i++)
        put_kept(list, graph, &answer->kept[i]);
}

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
format_above(const lg_graph *graph, const lg_what_if *answer, lg_text *out)
{
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
    [HEADLINE] = {.faces = LG__IN_TEXT},
    [SHOWN_RETAINED] = {NULL, "retained", .type = LG_COLUMN_SIZE,
                        .faces = LG__IN_HTML},
    [SHOWN_NODE] = {NULL, "object", .faces = LG__IN_HTML},
    [SHOWN_PATH] = {NULL, "held by", .type = LG_COLUMN_PATH, .faces = LG__SHOWN,
                    .below = "  held by   "},
    [SHOWN_CUT] = {NULL, "cut next", .type = LG_COLUMN_PATH, .faces = LG__SHOWN,
                   .below = "  cut next  "},
    [LINKED_NODE] = {"node", .type = LG_COLUMN_NODE, .faces = LG__IN_PROGRAMS},
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
}

static void
put_shown(lg_table *part, const lg_graph *graph, const lg_survivor *kept)
{
    lg_text headline = {0};
    lg_text title = {0};
    lg_text path = {0};
    lg_text next = {0};
    lg__format_step(graph, kept->node, &title);
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
add_kept(lg_table *table, const lg_graph *graph, const lg_what_if *answer)
{
    lg_text above = {0};
    lg_text below = {0};
    if (answer->kept_count == 0)
        return;
    lg_table *part =
        lg__table_part(table, (lg__layout){.blocks = true, .faces = LG__SHOWN},
                       shown, OF_SHOWN);
    lg_text_add(&above, "\nWhat would live on:\n");
    lg__table_format_above(part, &above);
    for (size_t i = 0; i < answer->kept_count; i++)
        put_shown(part, graph, &answer->kept[i]);
    if (answer->kept_total <= answer->kept_count)
        return;
    lg_text_add(&below, "\n... and ");
    lg_text_add_count(&below, answer->kept_total - answer->kept_count);
    lg_text_add(&below, " more\n");
    lg__table_format_below(part, &below);
}

lg_status
lg_tabulate_what_if(const lg_graph *graph, const lg_what_if *answer,
                    size_t limit, lg_table **out, lg_error *err)
{
    lg_text above = {0};
    lg_table *table = lg__table_new(
        graph, (lg__layout){.noun = "type", .bare = answer->type_count == 0},
        columns, COLUMNS);
    format_above(graph, answer, &above);
    lg__table_format_above(table, &above);
    for (size_t i = 0; i < answer->type_count; i++) {
        const lg_dying *row = &answer->types[i];
        if (limit > 0 && i >= limit)
            break;
        lg__table_row(table);
        lg__put_count(table, OBJECTS, row->count);
        lg__put_each(table, SIZE, row->size);
        lg__put_string(table, TYPE, lg_graph_type(graph, row->type).name);
    }
    lg__table_set_count(table, answer->type_count);
    put_facts(table, graph, answer);
    add_kept(table, graph, answer);
    return lg__table_finish(table, out, err);
}

lg_status
lg_report_what_if(const lg_graph *graph, const lg_what_if *answer, size_t limit,
                  lg_format format, lg_text *out, lg_error *err)
{
    lg_table *table = NULL;
    lg_status status = lg_tabulate_what_if(graph, answer, limit, &table, err);
    return status == LG_OK ? lg__table_report(table, format, out, err) : status;
}
