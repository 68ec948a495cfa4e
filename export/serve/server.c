// Answers questions: finds out which page, makes it, and keeps it.

#include "serve/server.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    lg__sheet_maker *make;
} makers[] = {
    {"object", lg__sheet_object},   {"why", lg__sheet_why},
    {"picture", lg__sheet_picture}, {"cycle", lg__sheet_cycle},
    {"search", lg__sheet_search},   {"paths", lg__sheet_paths},
    {"table", lg__sheet_table},     {"what-if", lg__sheet_what_if},
};

static const char icon[] =
    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 16 16\">"
    "<path d=\"M4 4L12 8L6 13\" fill=\"none\" stroke=\"#8c959f\" "
    "stroke-width=\"1.5\"/><circle cx=\"4\" cy=\"4\" r=\"3\" fill=\"#0969da\"/>"
    "<circle cx=\"12\" cy=\"8\" r=\"3\" fill=\"#e69f00\"/>"
    "<circle cx=\"6\" cy=\"13\" r=\"2.5\" fill=\"#1a7f37\"/></svg>\n";

static bool
reply_asset(const char *name, lg__reply *reply)
{
    const struct {
        const char *name;
        const char *type;
        const void *bytes;
        size_t length;
    } assets[] = {
        {"page.js", "text/javascript; charset=utf-8", lg__page_script,
         lg__page_script_length},
        {"view.js", "text/javascript; charset=utf-8", lg__page_view,
         lg__page_view_length},
        {"page.css", "text/css; charset=utf-8", lg__page_style,
         lg__page_style_length},
        {"icon.svg", "image/svg+xml", icon, sizeof icon - 1},
    };
    for (size_t i = 0; i < sizeof assets / sizeof *assets; i++) {
        if (strcmp(name, assets[i].name))
            continue;
        *reply =
            (lg__reply){.status = 200, .type = assets[i].type, .lasting = true};
        lg_text_add_bytes(&reply->body, assets[i].bytes, assets[i].length);
        return true;
    }
    return false;
}

static unsigned
status_of(lg_status status)
{
    switch (status) {
    case LG_OK:
        return 200;
    case LG_EINVAL:
        return 400;
    case LG_ENOTFOUND:
        return 404;
    case LG_ECANCELLED:
        return 503;
    default:
        return 500;
    }
}

// Puts a page together: the head needs the title, which the body says.
static void
frame(lg__sheet *sheet, const lg_text *body, lg_text *out)
{
    lg__page *page = &sheet->page;
    page->out = out;
    lg__page_head(page, sheet->title.data);
    lg_text_add(out, "<header>\n");
    lg__page_search(page, sheet->query ? sheet->query : "");
    lg_text_add(out, "</header>\n");
    if (page->nav.length > 0) {
        lg_text_add(out, "<nav aria-label=\"Sections\">");
        lg_text_add_bytes(out, page->nav.data, page->nav.length);
        lg_text_add(out, "</nav>\n");
    }
    lg_text_add(out, "<main>\n");
    lg_text_add_bytes(out, body->data ? body->data : "", body->length);
    lg_text_add(out, "</main>\n");
    lg__page_tail(page);
    out->failed |= body->failed || page->nav.failed || sheet->title.failed ||
                   sheet->location.failed;
}

static void
explain(lg__sheet *sheet, lg_text *body, const lg_error *error)
{
    body->length = 0;
    lg_text_free(&sheet->page.nav);
    lg_text_free(&sheet->title);
    lg_text_add(body, "<h1>This question has no answer</h1><p>");
    lg_text_add_html(body, error->message, strlen(error->message));
    lg_text_add(body, "</p>\n");
}

static void
make(lg__server *server, const lg__request *request, lg__sheet_maker *maker,
     lg__reply *reply)
{
    lg_text body = {0};
    lg_error error = {0};
    lg__sheet sheet = {.server = server,
                       .request = request,
                       .page = {.analysis = server->analysis,
                                .graph = server->graph,
                                .options = &server->options,
                                .monitor = server->monitor,
                                .served = true,
                                .out = &body}};
    lg_status status = maker(&sheet, &error);
    if (status)
        explain(&sheet, &body, &error);
    reply->status = status_of(status);
    reply->passing = sheet.page.undrawn;
    if (!status && sheet.location.length > 0) {
        reply->status = 302;
        lg_text_add(&reply->body, sheet.location.data);
        reply->location = reply->body.data;
    } else {
        frame(&sheet, &body, &reply->body);
    }
    lg_text_free(&body);
    lg_text_free(&sheet.title);
    lg_text_free(&sheet.location);
    lg_text_free(&sheet.page.nav);
}

static lg__sheet_maker *
maker_of(const char *name)
{
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
        if (!strcmp(name, makers[i].name))
            return makers[i].make;
    }
    return NULL;
}

static lg_status
no_page(lg__sheet *sheet, lg_error *err)
{
    (void)sheet;
    return lg_error_set(err, LG_ENOTFOUND,
                        "There is no such page: begin at the overview.");
}

// Selectors that begin so, a line each.
static void
complete(const lg__server *server, const lg__request *request, lg__reply *reply)
{
    enum { MOST = 20 };
    lg_error error = {0};
    const char *text = lg__request_text(request, "q", "");
    lg_status status =
        lg_graph_complete(server->graph, text, MOST, &reply->body, &error);
    reply->type = "text/plain; charset=utf-8";
    reply->status = status_of(status);
}

static void
answer(lg__server *server, const lg__request *request, bool pinned,
       lg__reply *reply)
{
    lg__sheet_maker *maker = maker_of(request->page);
    lg_text question = {0};
    lg__request_write(request, &question);
    const lg_text *kept =
        question.failed ? NULL : lg__server_recall(server, &question);
    if (kept) {
        reply->status = 200;
        lg_text_add_bytes(&reply->body, kept->data, kept->length);
    } else {
        make(server, request, maker ? maker : no_page, reply);
        if (reply->status == 200 && !reply->body.failed && !question.failed &&
            !reply->passing)
            lg__server_keep(server, &question, &reply->body, pinned);
    }
    lg_text_free(&question);
}

void
lg__server_answer(void *context, const lg__request *request, lg__reply *reply)
{
    lg__server *server = context;
    // The first page takes nothing.
    const lg__request first = {.page = ""};
    if (reply_asset(request->page, reply))
        return;
    *reply = (lg__reply){.type = "text/html; charset=utf-8"};
    if (!strcmp(request->page, "complete"))
        complete(server, request, reply);
    else
        answer(server, *request->page ? request : &first, false, reply);
}

bool
lg__server_prepare(lg__server *server)
{
    const char *name = lg__table_name(server->prepared);
    lg__request request = {
        .page = "table", .pairs = {{"of", name}}, .count = 1};
    lg__reply reply = {0};
    if (!name)
        return false;
    server->prepared++;
    answer(server, &request, true, &reply);
    lg_text_free(&reply.body);
    return true;
}

// The first page also makes what the graph keeps for all others: the index of
// referrers and the tree of paths from the roots.
static lg_status
prepare(lg__server *server, lg_error *err)
{
    lg_text home = {0};
    lg_text question = {0};
    lg_status status =
        lg__page_serve(server->analysis, &server->options, lg__has_table,
                       server->monitor, &home, err);
    lg_text_add(&question, "");
    if (!status)
        lg__server_keep(server, &question, &home, true);
    if (!status && !lg__server_recall(server, &question))
        status = lg_error_set(err, LG_ENOMEM, "memory ran out");
    lg_text_free(&question);
    lg_text_free(&home);
    return status;
}

lg_status
lg__server_new(const lg_analysis *analysis, const lg_page_options *options,
               const lg_monitor *monitor, lg__server **out, lg_error *err)
{
    lg__server *server = calloc(1, sizeof *server);
    if (!server)
        return lg_error_set(err, LG_ENOMEM, "memory ran out");
    server->analysis = analysis;
    server->graph = lg_analysis_graph(analysis);
    server->monitor = monitor;
    server->options = *options;
    lg_status status = prepare(server, err);
    if (status)
        lg__server_free(server);
    else
        *out = server;
    return status;
}

void
lg__server_free(lg__server *server)
{
    if (!server)
        return;
    for (size_t i = 0; i < LG__KEPT_PAGES; i++) {
        lg_text_free(&server->kept[i].question);
        lg_text_free(&server->kept[i].body);
    }
    free(server);
}
