// Shows the tables of all answers, grouped, sorted and limited as each allows.

#include "serve/server.h"

#include <string.h>

/* The default is as many rows as a browser shows at once. */
enum { USUAL_ROWS = 200, MOST_ROWS = 10000 };

static const char *const groups[] = {"object", "type", "module"};
static const char *const sorts[] = {"bytes", "count", "name"};
static const char *const tensor_groups[] = {"storage", "kind", "device",
                                            "dtype", "shape"};
static const char *const kinds[] = {"any", "collectable", "held",
                                    "uncollectable"};

/* What a table takes, apart from `limit`. */
enum { SCOPE = 1, DEVICE = 2, LIBRARIES = 4, HOLDING = 8 };

typedef struct question {
    size_t limit;
    unsigned choice;
    uint32_t device;
    bool mine;
    bool libraries;
    const char *module; /* NULL: any */
    const char *holding;
    lg_scope *scope;
} question;

typedef lg_status tabulate(lg__sheet *sheet, const question *asked,
                           lg_table **out, lg_error *err);

static lg_status
tabulate_top(lg__sheet *sheet, const question *asked, lg_table **out,
             lg_error *err)
{
    lg_top_options options = LG_TOP_OPTIONS_INIT;
    options.group = (lg_group)asked->choice;
    options.device = asked->device;
    options.limit = asked->limit;
    options.libraries = asked->libraries;
    options.scope = asked->scope;
    return lg_tabulate_top(sheet->page.analysis, &options, sheet->page.monitor,
                           out, err);
}

static lg_status
tabulate_types(lg__sheet *sheet, const question *asked, lg_table **out,
               lg_error *err)
{
    return lg_tabulate_types(sheet->page.graph, asked->scope,
                             (lg_sort)asked->choice, asked->limit, out, err);
}

static lg_status
tabulate_tensors(lg__sheet *sheet, const question *asked, lg_table **out,
                 lg_error *err)
{
    const lg_tensor_options options = {.size = sizeof options,
                                       .device = asked->device,
                                       .group = (lg_tensor_group)asked->choice,
                                       .limit = asked->limit,
                                       .scope = asked->scope};
    return lg_tabulate_tensors(sheet->page.graph, sheet->page.analysis,
                               &options, out, err);
}

static lg_status
tabulate_figures(lg__sheet *sheet, const question *asked, lg_table **out,
                 lg_error *err)
{
    return lg_tabulate_figures(sheet->page.analysis, asked->scope, asked->limit,
                               out, err);
}

static lg_status
tabulate_findings(lg__sheet *sheet, const question *asked, lg_table **out,
                  lg_error *err)
{
    lg_findings found;
    lg_status status = lg_analysis_findings(sheet->page.analysis, asked->scope,
                                            sheet->page.monitor, &found, err);
    if (status)
        return status;
    status = lg_tabulate_findings(sheet->page.analysis, &found, out, err);
    lg_findings_free(&found);
    return status;
}

static lg_status
tabulate_cycles(lg__sheet *sheet, const question *asked, lg_table **out,
                lg_error *err)
{
    lg_cycles found;
    lg_cycle_options options = LG_CYCLE_OPTIONS_INIT;
    options.kinds = asked->choice ? 1u << (asked->choice - 1) : 0;
    options.limit = asked->limit;
    options.device = asked->device;
    options.scope = asked->scope;
    options.holding = asked->holding;
    lg_status status = lg_analysis_cycles(sheet->page.analysis, &options,
                                          sheet->page.monitor, &found, err);
    if (status)
        return status;
    status = lg_tabulate_cycles(sheet->page.analysis, &found, out, err);
    lg_cycles_free(&found);
    return status;
}

static lg_status
tabulate_waste(lg__sheet *sheet, const question *asked, lg_table **out,
               lg_error *err)
{
    lg_waste found;
    lg_waste_options options = LG_WASTE_OPTIONS_INIT;
    options.limit = asked->limit;
    options.libraries = asked->libraries;
    options.scope = asked->scope;
    lg_status status = lg_analysis_waste(sheet->page.analysis, &options,
                                         sheet->page.monitor, &found, err);
    if (status)
        return status;
    status = lg_tabulate_waste(sheet->page.analysis, &found, out, err);
    lg_waste_free(&found);
    return status;
}

static lg_status
tabulate_threads(lg__sheet *sheet, const question *asked, lg_table **out,
                 lg_error *err)
{
    return lg__page_threads(&sheet->page, asked->scope, asked->limit, out, err);
}

typedef struct table_kind {
    const char *name;
    const char *heading;
    tabulate *make;
    const char *parameter;    /* names the choice; NULL: there is none */
    const char *const *words; /* the values of the choice */
    unsigned count;
    unsigned takes;
} table_kind;

static const table_kind tables[] = {
    {"top", "What retains the most", tabulate_top, "group", groups, 3,
     SCOPE | DEVICE | LIBRARIES},
    {"types", "Types", tabulate_types, "by", sorts, 3, SCOPE},
    {"tensors", "Tensors", tabulate_tensors, "group", tensor_groups, 5,
     SCOPE | DEVICE},
    {"figures", "Figures", tabulate_figures, NULL, NULL, 0, SCOPE},
    {"cycles", "Reference cycles", tabulate_cycles, "kind", kinds, 4,
     SCOPE | DEVICE | HOLDING},
    {"waste", "Waste", tabulate_waste, NULL, NULL, 0, SCOPE | LIBRARIES},
    {"findings", "Findings", tabulate_findings, NULL, NULL, 0, SCOPE},
    {"threads", "Threads and tasks", tabulate_threads, NULL, NULL, 0, SCOPE},
};

enum { TABLES = sizeof tables / sizeof *tables };

static const table_kind *
table_named(const char *name)
{
    for (size_t i = 0; i < TABLES; i++)
        if (!strcmp(tables[i].name, name))
            return &tables[i];
    return NULL;
}

bool
lg__table_prepared(uint32_t index, lg__request *out)
{
    *out = (lg__request){.page = "table", .count = 1};
    if (index < TABLES) {
        out->pairs[0] = (lg__pair){"of", tables[index].name};
        return true;
    }
    index -= TABLES;
    for (size_t i = 0; i < TABLES; i++) {
        const table_kind *kind = &tables[i];
        // Skips the first choice, which is the default.
        uint32_t choices = kind->count > 0 ? kind->count - 1 : 0;
        if (index < choices) {
            out->pairs[0] = (lg__pair){"of", kind->name};
            out->pairs[1] = (lg__pair){kind->parameter, kind->words[index + 1]};
            out->count = 2;
            return true;
        }
        index -= choices;
    }
    return false;
}

static bool
changes_nothing(const table_kind *kind, const char *name, const char *value)
{
    uint64_t limit;
    const lg__request alone = {.pairs = {{name, value}}, .count = 1};
    if (kind->parameter && !strcmp(name, kind->parameter))
        return !strcmp(value, kind->words[0]);
    return !strcmp(name, "limit") &&
           lg__request_number(&alone, name, MOST_ROWS, USUAL_ROWS, &limit) &&
           limit == USUAL_ROWS;
}

void
lg__table_normalize(const lg__request *request, lg__request *out)
{
    static const char *const others[] = {"device", "holding",   "module",
                                         "mine",   "libraries", "limit"};
    const char *of = lg__request_text(request, "of", "");
    const table_kind *kind = table_named(of);
    *out = (lg__request){.page = request->page, .pairs = {{"of", of}}};
    out->count = 1;
    for (size_t i = 0; kind && i <= sizeof others / sizeof *others; i++) {
        const char *name = i > 0 ? others[i - 1] : kind->parameter;
        const char *value = name ? lg__request_text(request, name, "") : "";
        if (*value && !changes_nothing(kind, name, value))
            out->pairs[out->count++] = (lg__pair){name, value};
    }
}

bool
lg__has_table(const char *name)
{
    return table_named(name) != NULL;
}

static lg_status
read_device(const lg__sheet *sheet, uint32_t *out, lg_error *err)
{
    const char *name = lg__request_text(sheet->request, "device", "");
    *out = LG_NONE;
    return *name ? lg_graph_device_find(sheet->page.graph, name, out, err)
                 : LG_OK;
}

static lg_status
read_question(const lg__sheet *sheet, const table_kind *kind, question *out,
              lg_error *err)
{
    const lg__request *request = sheet->request;
    uint64_t limit = USUAL_ROWS;
    const char *module = lg__request_text(request, "module", "");
    const char *holding = lg__request_text(request, "holding", "");
    *out = (question){.mine = *lg__request_text(request, "mine", ""),
                      .libraries = *lg__request_text(request, "libraries", ""),
                      .module = *module ? module : NULL,
                      .holding = *holding ? holding : NULL};
    if (!lg__request_number(request, "limit", MOST_ROWS, USUAL_ROWS, &limit) ||
        limit == 0)
        return lg_error_set(err, LG_EINVAL,
                            "limit takes a number from 1 to %d.", MOST_ROWS);
    out->limit = (size_t)limit;
    if (kind->parameter &&
        !lg__request_choice(request, kind->parameter, kind->words, kind->count,
                            &out->choice))
        return lg_error_set(err, LG_EINVAL, "There is no %s by that name.",
                            kind->parameter);
    lg_status status = read_device(sheet, &out->device, err);
    if (!status)
        status = lg_scope_new(sheet->page.graph, out->mine, out->module,
                              sheet->page.monitor, &out->scope, err);
    return status;
}

/* ------------------------------------------------------------ controls --- */

static void
add_option(lg_text *out, lg_string word, bool chosen, const char *shown)
{
    lg_text_add(out, "<option value=\"");
    lg_text_add_html(out, word.data, word.length);
    lg_text_addf(out, "\"%s>", chosen ? " selected" : "");
    if (shown)
        lg_text_add(out, shown);
    else
        lg_text_add_html(out, word.data, word.length);
    lg_text_add(out, "</option>");
}

static void
add_choice(lg_text *out, const table_kind *kind, unsigned chosen)
{
    if (!kind->parameter)
        return;
    lg_text_addf(out, "<label>%s <select name=\"%s\">", kind->parameter,
                 kind->parameter);
    for (unsigned i = 0; i < kind->count; i++) {
        const char *word = kind->words[i];
        add_option(out, (lg_string){word, (uint32_t)strlen(word)}, i == chosen,
                   NULL);
    }
    lg_text_add(out, "</select></label>");
}

static void
add_devices(lg_text *out, const lg_graph *graph, uint32_t chosen)
{
    uint32_t devices = lg_graph_device_count(graph);
    if (devices == 0)
        return;
    lg_text_add(out, "<label>device <select name=\"device\">");
    add_option(out, (lg_string){"", 0}, chosen == LG_NONE, "all");
    for (uint32_t on = 0; on <= devices; on++)
        add_option(out, lg_graph_device_name(graph, on), on == chosen, NULL);
    lg_text_add(out, "</select></label>");
}

static void
add_box(lg_text *out, const char *name, const char *words, bool checked)
{
    lg_text_addf(out,
                 "<label><input type=\"checkbox\" name=\"%s\" value=\"1\"%s>"
                 "%s</label>",
                 name, checked ? " checked" : "", words);
}

static void
add_field(lg_text *out, const char *name, const char *words,
          const char *example, const char *value)
{
    lg_text_addf(out,
                 "<label>%s <input type=\"search\" name=\"%s\" "
                 "placeholder=\"%s\" spellcheck=\"false\" value=\"",
                 words, name, example);
    lg_text_add_html(out, value ? value : "", value ? strlen(value) : 0);
    lg_text_add(out, "\"></label>");
}

static void
add_controls(lg__sheet *sheet, const table_kind *kind, const question *asked)
{
    lg_text *out = sheet->page.out;
    lg_text_addf(out,
                 "<form class=\"controls\" action=\"table\">"
                 "<input type=\"hidden\" name=\"of\" value=\"%s\">",
                 kind->name);
    add_choice(out, kind, asked->choice);
    if (kind->takes & DEVICE)
        add_devices(out, sheet->page.graph, asked->device);
    if (kind->takes & HOLDING)
        add_field(out, "holding", "holding", "tensor", asked->holding);
    if (kind->takes & SCOPE) {
        add_field(out, "module", "module", "train*", asked->module);
        add_box(out, "mine", "only the program's own modules", asked->mine);
    }
    if (kind->takes & LIBRARIES)
        add_box(out, "libraries", "what libraries keep for themselves, too",
                asked->libraries);
    lg_text_addf(out,
                 "<label>rows <input type=\"number\" name=\"limit\" min=\"1\" "
                 "max=\"%d\" value=\"%zu\"></label><button>Show</button>"
                 "</form>\n",
                 MOST_ROWS, asked->limit);
}

static void
add_tabs(lg__sheet *sheet, const table_kind *kind)
{
    lg_text *nav = &sheet->page.nav;
    for (size_t i = 0; i < TABLES; i++)
        lg_text_addf(nav, "<a href=\"table?of=%s\"%s>%s</a>", tables[i].name,
                     &tables[i] == kind ? " aria-current=\"page\"" : "",
                     tables[i].heading);
}

static lg_status
add_rows(lg__sheet *sheet, const table_kind *kind, const question *asked,
         lg_error *err)
{
    lg_table *table = NULL;
    lg_status status = kind->make(sheet, asked, &table, err);
    return status ? status : lg__sheet_rows(sheet, table, asked->limit, err);
}

lg_status
lg__sheet_table(lg__sheet *sheet, lg_error *err)
{
    const char *of = lg__request_text(sheet->request, "of", "");
    const table_kind *kind = table_named(of);
    question asked = {0};
    lg_text title = {0};
    if (!kind)
        return lg_error_set(err, LG_ENOTFOUND, "There is no such table.");
    lg_status status = read_question(sheet, kind, &asked, err);
    if (status)
        return status;
    add_tabs(sheet, kind);
    lg_text_add(&title, kind->heading);
    lg__sheet_heading(sheet, &title, NULL);
    lg_text_add(sheet->page.out, "<section>");
    add_controls(sheet, kind, &asked);
    status = add_rows(sheet, kind, &asked, err);
    lg_text_add(sheet->page.out, "</section>\n");
    lg_scope_free(asked.scope);
    return status;
}
