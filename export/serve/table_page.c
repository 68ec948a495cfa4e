// Shows the table of each question, with a form of its options.

#include "serve/server.h"

#include <leakgraph/internal/questions.h>
#include <leakgraph/internal/wording.h>
#include <leakgraph/internal/writing.h>

#include <stddef.h>
#include <string.h>

/* The default is as many rows as a browser shows at once. */
enum { USUAL_ROWS = 200, MOST_ROWS = 10000 };

static size_t
count_words(const lg_option *option)
{
    size_t count = 0;
    while (option->words != NULL && option->words[count] != NULL)
        count++;
    return count;
}

/* Returns the option of a question whose words a page shows in advance. */
static const lg_option *
choice_of(const lg_question *question)
{
    for (const lg_option *option = question->options; option->name; option++)
        if (option->type == LG_OPTION_CHOICE || option->type == LG_OPTION_SET)
            return option;
    return NULL;
}

static bool
compares(const lg_question *question)
{
    return (question->needs & LG_NEEDS_SEVERAL) != 0;
}

/* Whether a page may ask it of one snapshot, without something that the reader
 * names. */
static bool
is_listed(const lg_question *question)
{
    return !lg_option_is_required(question->options) && !compares(question);
}

/* Whether a value of the form stands for a missing one. */
static bool
changes_nothing(const lg_option *option, const char *value)
{
    lg_given given;
    if (*value == '\0')
        return true;
    if (option->type == LG_OPTION_LIMIT)
        return !lg_option_read(option, "", value, &given, NULL) &&
               given.number == USUAL_ROWS;
    return option->type == LG_OPTION_CHOICE && !strcmp(value, option->words[0]);
}

bool
lg__table_prepared(uint32_t index, lg__request *out)
{
    const lg_question *question;
    *out = (lg__request){.page = "table", .count = 1};
    for (size_t i = 0; (question = lg_question_at(i)) != NULL; i++) {
        if (!is_listed(question) || index-- > 0)
            continue;
        out->pairs[0] = (lg__pair){"of", question->name};
        return true;
    }
    for (size_t i = 0; (question = lg_question_at(i)) != NULL; i++) {
        const lg_option *choice = choice_of(question);
        for (size_t k = 0; choice && k < count_words(choice); k++) {
            if (changes_nothing(choice, choice->words[k]) || index-- > 0)
                continue;
            out->pairs[0] = (lg__pair){"of", question->name};
            out->pairs[1] = (lg__pair){choice->name, choice->words[k]};
            out->count = 2;
            return true;
        }
    }
    return false;
}

/* Adds the pair of an option to a reduced request, if it says anything. */
static void
keep_pair(const lg__request *request, const lg_option *option, lg__request *out)
{
    const char *value = lg__request_text(request, option->name, "");
    if (!changes_nothing(option, value))
        out->pairs[out->count++] = (lg__pair){option->name, value};
}

/* The rows of a page, which any question takes. */
static const lg_option limit = {
    .name = "limit", .type = LG_OPTION_LIMIT, .help = "rows"};

/* How a page arranges the rows of any table: all of them, not only those that
 * it shows. */
static const lg_option arranging[] = {
    {.name = "filter", .type = LG_OPTION_TEXT, .help = "words that rows have"},
    {.name = "sort", .type = LG_OPTION_TEXT, .help = "the column to sort by"},
    {.name = "order",
     .type = LG_OPTION_TEXT,
     .help = "ascending or descending"},
};

static void
reduce(const lg__request *request, lg__request *out)
{
    const char *of = lg__request_text(request, "of", "");
    const lg_question *question = lg_question_find(of);
    *out = (lg__request){.page = request->page, .pairs = {{"of", of}}};
    out->count = 1;
    if (!question)
        return;
    for (const lg_option *option = question->options; option->name; option++)
        if (option->type != LG_OPTION_LIMIT && lg_option_in_form(option))
            keep_pair(request, option, out);
    keep_pair(request, &limit, out);
    bool sorted = *lg__request_text(request, "sort", "");
    for (size_t i = 0; i < sizeof arranging / sizeof *arranging; i++)
        if (sorted || strcmp(arranging[i].name, "order"))
            keep_pair(request, &arranging[i], out);
}

static lg_status
read_limit(const lg__request *request, uint64_t *out, lg_error *err)
{
    if (lg__request_number(request, "limit", MOST_ROWS, USUAL_ROWS, out) &&
        *out > 0)
        return LG_OK;
    return lg_error_set(err, LG_EINVAL, "limit takes a number from 1 to %d",
                        MOST_ROWS);
}

static bool
is_arranged(const lg__request *request)
{
    return *lg__request_text(request, "filter", "") ||
           *lg__request_text(request, "sort", "");
}

static lg_status
read_options(const lg__request *request, const lg_question *question,
             lg_given *given, lg_error *err)
{
    uint64_t rows;
    const bool arranged = is_arranged(request);
    lg_status status = read_limit(request, &rows, err);
    for (size_t i = 0; question->options[i].name && !status; i++) {
        const lg_option *option = &question->options[i];
        const char *value = lg__request_text(request, option->name, "");
        if (option->type == LG_OPTION_LIMIT)
            given[i] = (lg_given){.given = true,
                                  .usual = rows == USUAL_ROWS && !arranged,
                                  .number = arranged ? 0 : rows};
        else if (*value && lg_option_in_form(option))
            status =
                lg_option_read(option, option->name, value, &given[i], err);
    }
    return status;
}

static void
add_word(lg_text *out, lg_string word, bool chosen, const char *shown)
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

// Begins the label of a control: `min bytes`.
static void
open_label(lg_text *out, const lg_option *option)
{
    lg_text_addf(out, "<label title=\"%s\">", option->help);
    for (const char *at = option->name; *at; at++)
        lg_text_add_bytes(out, *at == '_' ? " " : at, 1);
    lg_text_add(out, " ");
}

static void
open_select(lg_text *out, const lg_option *option)
{
    open_label(out, option);
    lg_text_addf(out, "<select name=\"%s\">", option->name);
}

static void
add_words(lg_text *out, const lg_option *option, const char *chosen)
{
    open_select(out, option);
    if (option->type == LG_OPTION_SET)
        add_word(out, (lg_string){"", 0}, *chosen == '\0', "any");
    for (size_t i = 0; i < count_words(option); i++) {
        const char *word = option->words[i];
        add_word(out, (lg_string){word, (uint32_t)strlen(word)},
                 !strcmp(word, chosen), NULL);
    }
    lg_text_add(out, "</select></label>");
}

static bool
is_word(lg_string string, const char *word)
{
    return string.length == strlen(word) &&
           !memcmp(string.data, word, string.length);
}

static void
add_devices(lg_text *out, const lg_option *option, const lg_graph *graph,
            const char *chosen)
{
    uint32_t devices = lg_graph_device_count(graph);
    if (devices == 0)
        return;
    open_select(out, option);
    add_word(out, (lg_string){"", 0}, *chosen == '\0',
             option->preset ? option->preset : "all");
    for (uint32_t on = 0; on <= devices; on++) {
        lg_string name = lg_graph_device_name(graph, on);
        add_word(out, name, is_word(name, chosen), NULL);
    }
    lg_text_add(out, "</select></label>");
}

static void
add_box(lg_text *out, const lg_option *option, bool checked)
{
    lg_text_addf(out,
                 "<label><input type=\"checkbox\" name=\"%s\" value=\"1\"%s>"
                 "%s</label>",
                 option->name, checked ? " checked" : "", option->help);
}

static void
add_field(lg_text *out, const lg_option *option, const char *value)
{
    const char *example = option->type == LG_OPTION_MODULE   ? "train*"
                          : option->type == LG_OPTION_BYTES  ? "1MiB"
                          : option->type == LG_OPTION_SHARE  ? "0.01"
                          : option->type == LG_OPTION_OBJECT ? "#17"
                                                             : "tensor";
    open_label(out, option);
    lg_text_addf(out,
                 "<input type=\"search\" name=\"%s\" placeholder=\"%s\" "
                 "spellcheck=\"false\" value=\"",
                 option->name, example);
    lg_text_add_html(out, value, strlen(value));
    lg_text_add(out, "\"></label>");
}

static void
add_control(lg__sheet *sheet, const lg_option *option)
{
    lg_text *out = sheet->page.out;
    const char *value = lg__request_text(sheet->request, option->name, "");
    if (!lg_option_in_form(option))
        return;
    switch (option->type) {
    case LG_OPTION_LIMIT:
        break;
    case LG_OPTION_CHOICE:
        add_words(out, option, *value ? value : option->words[0]);
        break;
    case LG_OPTION_SET:
        add_words(out, option, value);
        break;
    case LG_OPTION_DEVICE:
        add_devices(out, option, sheet->page.graph, value);
        break;
    case LG_OPTION_FLAG:
    case LG_OPTION_MINE:
        add_box(out, option, *value != '\0');
        break;
    default:
        add_field(out, option, value);
    }
}

/* Adds a choice of the columns to sort by. */
static void
add_sort(lg__sheet *sheet, const lg_table *table)
{
    static const lg_option sort = {.name = "sort", .help = "of all rows"};
    static const char *const orders[] = {"descending", "ascending", NULL};
    static const lg_option order = {
        .name = "order", .words = orders, .help = "of all rows"};
    lg_text *out = sheet->page.out;
    const char *chosen = lg__request_text(sheet->request, "sort", "");
    open_select(out, &sort);
    add_word(out, (lg_string){"", 0}, *chosen == '\0', "as it comes");
    for (size_t i = 0; i < lg_table_column_count(table); i++) {
        lg_string heading = lg_table_column(table, i).heading;
        if (heading.length > 0 && lg_table_column_on_page(table, i))
            add_word(out, heading, is_word(heading, chosen), NULL);
    }
    lg_text_add(out, "</select></label>");
    add_words(out, &order, lg__request_text(sheet->request, "order", ""));
}

static void
add_controls(lg__sheet *sheet, const lg_question *question,
             const lg_table *table, uint64_t rows)
{
    static const lg_option filter = {
        .name = "filter", .type = LG_OPTION_TEXT, .help = "all rows by words"};
    lg_text *out = sheet->page.out;
    lg_text_addf(out,
                 "<form class=\"controls\" action=\"table\">"
                 "<input type=\"hidden\" name=\"of\" value=\"%s\">",
                 question->name);
    for (const lg_option *option = question->options; option->name; option++)
        add_control(sheet, option);
    add_field(out, &filter, lg__request_text(sheet->request, "filter", ""));
    add_sort(sheet, table);
    lg_text_addf(out,
                 "<label>rows <input type=\"number\" name=\"limit\" min=\"1\" "
                 "max=\"%d\" value=\"%llu\"></label><button>Show</button>"
                 "</form>\n",
                 MOST_ROWS, (unsigned long long)rows);
}

static void
add_tab(lg__sheet *sheet, const lg_question *question, const lg_question *shown)
{
    lg_text_addf(
        &sheet->page.nav, "<a href=\"table?of=%s\"%s>%s</a>", question->name,
        question == shown ? " aria-current=\"page\"" : "", question->title);
}

static void
add_tabs(lg__sheet *sheet, const lg_question *shown)
{
    const lg_question *question;
    if (sheet->page.options->summary_count > 1)
        add_tab(sheet, lg_question_find("growth"), shown);
    for (size_t i = 0; (question = lg_question_at(i)) != NULL; i++)
        if (is_listed(question))
            add_tab(sheet, question, shown);
}

static lg_status
find_rows(lg__sheet *sheet, const lg_question *question, const lg_given *given,
          lg_table **out, lg_error *err)
{
    const lg_page_options *page = sheet->page.options;
    const lg_compared compared = {.summaries = page->summaries,
                                  .count = page->summary_count,
                                  .steps = page->steps,
                                  .note = page->note};
    const lg_ask ask = {.graph = sheet->page.graph,
                        .analysis = sheet->page.analysis,
                        .given = given,
                        .monitor = sheet->page.monitor,
                        .changes = sheet->page.changes,
                        .compared = &compared,
                        .reader = LG_READER_FILLS};
    if (compares(question) && page->summary_count < 2)
        return lg_error_set(err, LG_ENOTFOUND,
                            "There is only one snapshot: leakgraph view takes "
                            "several, the oldest first.");
    return lg_question_ask(question, &ask, out, err);
}

/* Finds the column with this heading, which people see. */
static size_t
find_column(const lg_table *table, const char *heading)
{
    for (size_t i = 0; i < lg_table_column_count(table) && *heading; i++)
        if (lg_table_column_on_page(table, i) &&
            is_word(lg_table_column(table, i).heading, heading))
            return i;
    return SIZE_MAX;
}

/* Adds the rows as the reader wants them, and frees the table. */
static lg_status
add_rows(lg__sheet *sheet, lg_table *table, uint64_t rows, lg_error *err)
{
    const lg__request *request = sheet->request;
    const char *filter = lg__request_text(request, "filter", "");
    const char *order = lg__request_text(request, "order", "descending");
    lg_arrangement arrangement = LG_ARRANGEMENT_INIT;
    lg_table *arranged = NULL;
    arrangement.filter = *filter ? filter : NULL;
    arrangement.column =
        find_column(table, lg__request_text(request, "sort", ""));
    arrangement.descending = !strcmp(order, "descending");
    if (!is_arranged(request) || !lg_table_rows_on_page(table))
        return lg__sheet_rows(sheet, table, (size_t)rows, err);
    lg_status status = lg_table_arrange(table, &arrangement, &arranged, err);
    if (!status) {
        lg_text_add(sheet->page.out, "<p class=\"note\">");
        lg_text_add_count(sheet->page.out, lg_table_row_count(arranged));
        lg_text_add(sheet->page.out, " of ");
        lg_text_add_count(sheet->page.out, lg_table_row_count(table));
        lg_text_add(sheet->page.out, " rows</p>");
        status = lg__sheet_rows(sheet, arranged, (size_t)rows, err);
    }
    lg_table_free(table);
    return status;
}

static lg_status
make_table(lg__sheet *sheet, lg_error *err)
{
    const char *of = lg__request_text(sheet->request, "of", "");
    const lg_question *question = lg_question_find(of);
    lg_given given[LG_MOST_OPTIONS] = {{0}};
    lg_table *table = NULL;
    lg_text title = {0};
    uint64_t rows = USUAL_ROWS;
    if (!question)
        return lg_error_set(err, LG_ENOTFOUND, "There is no such table.");
    lg_status status = read_options(sheet->request, question, given, err);
    if (!status)
        status = find_rows(sheet, question, given, &table, err);
    if (status)
        return status;
    read_limit(sheet->request, &rows, NULL);
    add_tabs(sheet, question);
    lg_text_add(&title, question->title);
    lg__sheet_heading(sheet, &title, NULL);
    if (!strcmp(question->name, "cycles"))
        sheet->page.rows_lead = LG__PAGE_CYCLE;
    lg_text_add(sheet->page.out, "<section>");
    if (lg_table_rows_on_page(table))
        add_controls(sheet, question, table, rows);
    status = add_rows(sheet, table, rows, err);
    lg_text_add(sheet->page.out, "</section>\n");
    return status;
}

const lg__sheet_kind lg__table_sheet = {"table", make_table, LG__SLOW, reduce};
