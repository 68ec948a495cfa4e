// Tests the explorer without HTTP: every page answers, escapes the user's
// texts, and refuses nonsense.

#include "heap.h"
#include "serve/server.h"
#include "shapes.h"
#include "test.h"
#include "text_count.h"

#include <leakgraph/internal/writing.h>

static lg_graph *graph;
static lg_analysis *analysis;
static lg__server *server;

static void
open_server(lg_graph *of)
{
    static const lg_page_options options = LG_PAGE_OPTIONS_INIT;
    lg_error error = {0};
    graph = of;
    REQUIRE(!lg_analysis_new(graph, NULL, &analysis, &error));
    if (lg__server_new(analysis, &options, NULL, &server, &error))
        fprintf(stderr, "%s\n", error.message);
    REQUIRE(server);
}

static void
close_server(void)
{
    lg__server_free(server);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// Asks for `page?name=value`. The caller frees the text.
static unsigned
ask(const char *page, const char *name, const char *value, lg_text *out)
{
    lg__reply reply = {0};
    lg__request request = {
        .page = page, .pairs = {{name, value}}, .count = *name ? 1 : 0};
    lg__server_answer(server, &request, &reply);
    REQUIRE(reply.body.data && reply.type && !reply.body.failed);
    *out = reply.body;
    return reply.status;
}

static unsigned
status_of(const char *page, const char *name, const char *value)
{
    lg_text body = {0};
    unsigned status = ask(page, name, value, &body);
    lg_text_free(&body);
    return status;
}

static void
test_pages(void)
{
    uint32_t subject;
    char number[16];
    lg_text body = {0};
    static const char *const of_table[] = {"top",     "types",    "tensors",
                                           "figures", "findings", "cycles",
                                           "threads", "waste"};
    open_server(shape_find("family")->make(&subject));
    snprintf(number, sizeof number, "%u", subject);
    CHECK(ask("", "", "", &body) == 200);
    CHECK(count_of(&body, "object?node=") > 0);
    CHECK(count_of(&body, "Content-Security-Policy") == 0);
    CHECK(count_of(&body, "<script src=\"") == 2);
    lg_text_free(&body);
    CHECK(ask("object", "node", number, &body) == 200);
    CHECK(count_of(&body, "<section") == count_of(&body, "</section>"));
    CHECK(count_of(&body, "id=\"in\"") == 1);
    CHECK(count_of(&body, "what-if?cut=") > 1);
    lg_text_free(&body);
    CHECK(status_of("why", "node", number) == 200);
    CHECK(status_of("picture", "node", number) == 200);
    CHECK(status_of("cycle", "of", "0") == 200);
    CHECK(status_of("what-if", "", "") == 200);
    CHECK(status_of("paths", "q", "type:*") == 200);
    CHECK(status_of("search", "q", "type:*") == 200);
    CHECK(status_of("complete", "q", "type:") == 200);
    CHECK(status_of("page.js", "", "") == 200);
    CHECK(status_of("page.css", "", "") == 200);
    for (size_t i = 0; i < sizeof of_table / sizeof *of_table; i++)
        CHECK(status_of("table", "of", of_table[i]) == 200);
    close_server();
}

// The same question gets the same answer, kept or made anew.
static void
test_kept(void)
{
    uint32_t subject;
    char number[16];
    lg_text first = {0};
    lg_text again = {0};
    open_server(shape_find("family")->make(&subject));
    REQUIRE(ask("object", "node", "0", &first) == 200);
    for (uint32_t i = 0; i < 3 * LG__KEPT_PAGES; i++) {
        lg__reply reply = {0};
        lg__request request = {.page = "object",
                               .pairs = {{"node", "0"}, {"in", number}},
                               .count = 2};
        snprintf(number, sizeof number, "%u", i);
        lg__server_answer(server, &request, &reply);
        CHECK(reply.status == 200);
        lg_text_free(&reply.body);
    }
    CHECK(server->kept[LG__KEPT_PAGES - 1].used > LG__KEPT_PAGES);
    CHECK(server->kept_bytes < LG__KEPT_BYTES);
    REQUIRE(ask("object", "node", "0", &again) == 200);
    CHECK(first.length == again.length &&
          !memcmp(first.data, again.data, first.length));
    CHECK(status_of("", "", "") == 200);
    lg_text_free(&first);
    lg_text_free(&again);
    close_server();
}

// The server makes the tables before anybody asks, and keeps them.
static void
test_prepared(void)
{
    uint32_t subject;
    lg_text question = {0};
    unsigned made = 0;
    open_server(shape_find("family")->make(&subject));
    lg_text_add(&question, "table?of=threads");
    lg_text page = {0};
    CHECK(!lg__server_recall(server, &question, &page));
    while (lg__server_prepare(server, NULL))
        made++;
    // Thirteen tables, and each other way to group, sort or choose.
    CHECK(made == 13 + 2 + 2 + 5 + 3 + 1 && !lg__server_prepare(server, NULL));
    lg_text_add(&page, "page");
    for (unsigned i = 0; i < 2 * LG__KEPT_PAGES; i++) {
        lg_text other = {0};
        lg_text_addf(&other, "%u", i);
        lg__server_keep(server, &other, &page, false);
        lg_text_free(&other);
    }
    lg_text there = {0};
    CHECK(lg__server_recall(server, &question, &there) && there.length > 0);
    lg_text_free(&question);
    CHECK(status_of("", "", "") == 200);
    // The server forgets pages to stay within its room.
    while (page.length <= LG__KEPT_BYTES / 5)
        lg_text_add_bytes(&page, server->kept[0].body.data,
                          server->kept[0].body.length);
    for (unsigned i = 0; i < 8; i++) {
        lg_text_addf(&question, "%u", i);
        lg__server_keep(server, &question, &page, false);
        CHECK(server->kept_bytes <= LG__KEPT_BYTES);
    }
    CHECK(lg__server_recall(server, &question, &there));
    lg_text_free(&there);
    lg_text_free(&question);
    lg_text_free(&page);
    close_server();
}

// A form sends all of its fields. Fields that change nothing do not make
// another question.
static void
test_same_tables(void)
{
    static const struct {
        lg__pair pairs[4];
        const char *plain;
    } cases[] = {
        {{{"of", "top"}}, "table?of=top"},
        {{{"of", "top"}, {"group", "object"}, {"by", ""}, {"limit", "200"}},
         "table?of=top"},
        {{{"limit", "0200"}, {"of", "top"}, {"x", "y"}}, "table?of=top"},
        {{{"module", "a*"}, {"group", "type"}, {"of", "top"}},
         "table?of=top&group=type&module=a%2A"},
        {{{"of", "cycles"}, {"kind", ""}, {"holding", "x"}, {"mine", "1"}},
         "table?of=cycles&holding=x&mine=1"},
        {{{"of", "top"}, {"limit", "201"}, {"group", "strange"}},
         "table?of=top&group=strange&limit=201"},
        {{{"of", "top"}, {"limit", "x"}}, "table?of=top&limit=x"},
        {{{"of", "findings"}, {"baseline", "/x"}, {"update_baseline", "1"}},
         "table?of=findings"},
        {{{"of", "nothing"}, {"limit", "3"}}, "table?of=nothing"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lg__request plain;
        lg_text text = {0};
        lg__request asked = {.page = "table"};
        while (asked.count < 4 && cases[i].pairs[asked.count].name) {
            asked.pairs[asked.count] = cases[i].pairs[asked.count];
            asked.count++;
        }
        lg__table_sheet.reduce(&asked, &plain);
        lg__request_write(&plain, &text);
        CHECK_TEXT(text, cases[i].plain);
        lg_text_free(&text);
    }
}

static void
test_refusals(void)
{
    static const struct {
        const char *page, *name, *value;
        unsigned status;
    } cases[] = {
        {"nothing", "", "", 404},
        {"page.js/", "", "", 404},
        {"../page.js", "", "", 404},
        {"object", "", "", 404},
        {"object", "node", "", 404},
        {"object", "node", "-1", 404},
        {"object", "node", "1e1", 404},
        {"object", "node", "4294967295", 404},
        {"object", "node", "99999999999999999999999", 404},
        {"why", "node", "x", 404},
        {"picture", "node", "4294967294", 404},
        {"cycle", "of", "x", 400},
        {"cycle", "node", "0", 404},
        {"cycle", "node", "4294967295", 404},
        {"cycle", "of", "4294967295", 404},
        {"search", "", "", 200},
        {"search", "q", "type:", 400},
        {"search", "q", "type:nobody", 404},
        {"search", "q", "%s%n", 404},
        {"paths", "q", "#", 400},
        {"table", "of", "x", 404},
        {"table", "", "", 404},
    };
    uint32_t subject;
    open_server(shape_find("family")->make(&subject));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned status =
            status_of(cases[i].page, cases[i].name, cases[i].value);
        if (status != cases[i].status)
            fprintf(stderr, "%s?%s=%s: %u\n", cases[i].page, cases[i].name,
                    cases[i].value, status);
        CHECK(status == cases[i].status);
    }
    close_server();
}

// Options that a table does not know, and invalid limits.
static void
test_table_options(void)
{
    static const struct {
        const char *name, *value;
        unsigned status;
    } cases[] = {
        {"group", "type", 200},  {"group", "nonsense", 400},
        {"limit", "0", 400},     {"limit", "10001", 400},
        {"limit", "1", 200},     {"module", "nobody*", 404},
        {"by", "cuda:7", 400},   {"mine", "1", 200},
        {"libraries", "1", 200}, {"strange", "<", 200},
    };
    uint32_t subject;
    open_server(shape_find("family")->make(&subject));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lg__reply reply = {0};
        lg__request request = {
            .page = "table",
            .pairs = {{"of", "top"}, {cases[i].name, cases[i].value}},
            .count = 2};
        lg__server_answer(server, &request, &reply);
        CHECK(reply.status == cases[i].status);
        lg_text_free(&reply.body);
    }
    close_server();
}

// Names that would end an element or an attribute, in the heap and in
// questions.
static void
test_hostile_names(void)
{
    static const char name[] = "</p><script>alert(1)</script>\"'<!--&";
    char number[16];
    test_heap heap;
    heap_open(&heap);
    uint32_t module = heap_add_module(&heap, name);
    uint32_t subject = heap_add(&heap, name, 1 << 20);
    uint32_t list = heap_add(&heap, "list", 64);
    heap_attribute(&heap, module, list, name);
    heap_value(&heap, list, subject, name);
    heap_track(&heap, subject);
    heap_attribute(&heap, subject, subject, name);
    open_server(heap_close(&heap));
    snprintf(number, sizeof number, "%u", subject);
    const char *const asked[][3] = {
        {"", "", ""},
        {"object", "node", number},
        {"why", "node", number},
        {"picture", "node", number},
        {"cycle", "of", "0"},
        {"search", "q", name},
        {"search", "q", "type:*"},
        {"search", "q", "type:</title><script>alert(1)</script>\""},
        {"paths", "q", "type:*"},
        {"what-if", "cut", name},
        {"what-if", "cut", "*->type:*"},
        {"table", "of", "top"},
        {"table", "of", "types"},
        {"table", "of", "cycles"},
        {"table", "module", name},
        {"table", "of", name},
        {name, name, name},
    };
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        lg_text body = {0};
        ask(asked[i][0], asked[i][1], asked[i][2], &body);
        CHECK(count_of(&body, "<script>alert") == 0);
        CHECK(count_of(&body, "value=\"</") == 0);
        CHECK(count_of(&body, "<!--") == 0);
        lg_text_free(&body);
    }
    close_server();
}

// Any question gets a whole answer or a refusal.
static void
test_random_questions(void)
{
    static const char *const pages[] = {
        "object", "why",     "picture",  "cycle", "search", "paths",
        "table",  "what-if", "complete", "",      "%",      "object?"};
    static const char *const names[] = {
        "node",   "of",    "q",      "cut",     "first", "in",
        "out",    "owned", "limit",  "group",   "kind",  "by",
        "module", "mine",  "device", "holding", ""};
    static const char *const values[] = {"0",          "1",
                                         "3",          "-1",
                                         "4294967295", "18446744073709551615",
                                         "top",        "types",
                                         "cycles",     "referrers",
                                         "dominators", "type:*",
                                         "type:*+",    "module:*",
                                         "name:app",   "app.",
                                         "#1->#2",     "*->*",
                                         "*->type:*",  "0x7f0000001000",
                                         "[",          "['",
                                         "a[*].b",     "\xff\xfe",
                                         "<\"&'>",     "",
                                         "+"};
    uint64_t state = 7;
    uint32_t subject;
    open_server(shape_find("family")->make(&subject));
    for (unsigned i = 0; i < 600; i++) {
        lg__reply reply = {0};
        lg__request request = {0};
        request.page =
            pages[test_random(&state) % (sizeof pages / sizeof *pages)];
        for (request.count = 0; request.count < test_random(&state) % 4;
             request.count++) {
            lg__pair *pair = &request.pairs[request.count];
            pair->name =
                names[test_random(&state) % (sizeof names / sizeof *names)];
            pair->value =
                values[test_random(&state) % (sizeof values / sizeof *values)];
        }
        lg__server_answer(server, &request, &reply);
        CHECK(reply.status == 200 || reply.status == 302 ||
              reply.status == 400 || reply.status == 404);
        CHECK(!reply.body.failed && reply.type);
        bool page = reply.status != 302 && strcmp(request.page, "complete");
        CHECK(!page || count_of(&reply.body, "</html>") == 1);
        lg_text_free(&reply.body);
    }
    close_server();
}

static void
test_empty_heap(void)
{
    test_heap heap;
    heap_open(&heap);
    open_server(heap_close(&heap));
    CHECK(status_of("", "", "") == 200);
    CHECK(status_of("object", "node", "0") == 404);
    CHECK(status_of("cycle", "of", "0") == 404);
    CHECK(status_of("table", "of", "top") == 200);
    CHECK(status_of("search", "q", "type:*") == 404);
    close_server();
}

SUITE(server)
{
    RUN(test_pages);
    RUN(test_kept);
    RUN(test_prepared);
    RUN(test_same_tables);
    RUN(test_refusals);
    RUN(test_table_options);
    RUN(test_hostile_names);
    RUN(test_empty_heap);
    RUN(test_random_questions);
    return test_result();
}
