// Pages that were asked for before. The first page has the first place, and
// keeps it.

#include "serve/server.h"

#include <string.h>

static bool
is_same(const lg_text *a, const lg_text *b)
{
    return a->data && a->length == b->length &&
           !memcmp(a->data, b->data, a->length);
}

const lg_text *
lg__server_recall(lg__server *server, const lg_text *question)
{
    for (size_t i = 0; i < LG__KEPT_PAGES && question->data; i++) {
        lg__kept *kept = &server->kept[i];
        if (!is_same(&kept->question, question))
            continue;
        if (i > 0)
            kept->used = ++server->asked;
        return &kept->body;
    }
    return NULL;
}

static void
forget(lg__server *server, lg__kept *kept)
{
    server->kept_bytes -= kept->body.length;
    lg_text_free(&kept->question);
    lg_text_free(&kept->body);
    kept->used = 0;
}

// A free place has never been used.
static lg__kept *
oldest(lg__server *server)
{
    lg__kept *found = &server->kept[1];
    for (size_t i = 2; i < LG__KEPT_PAGES; i++) {
        if (server->kept[i].used < found->used)
            found = &server->kept[i];
    }
    return found;
}

// The oldest of those that take memory, or NULL.
static lg__kept *
oldest_taken(lg__server *server)
{
    lg__kept *found = NULL;
    for (size_t i = 1; i < LG__KEPT_PAGES; i++) {
        lg__kept *one = &server->kept[i];
        if (one->used > 0 && (!found || one->used < found->used))
            found = one;
    }
    return found;
}

void
lg__server_keep(lg__server *server, const lg_text *question,
                const lg_text *body)
{
    lg__kept made = {.used = ++server->asked};
    if (body->length > LG__KEPT_BYTES / 4 || body->failed)
        return;
    lg_text_add_bytes(&made.question, question->data, question->length);
    lg_text_add_bytes(&made.body, body->data, body->length);
    if (made.question.failed || made.body.failed) {
        lg_text_free(&made.question);
        lg_text_free(&made.body);
        return;
    }
    forget(server, oldest(server));
    *oldest(server) = made;
    server->kept_bytes += body->length;
    while (server->kept_bytes > LG__KEPT_BYTES)
        forget(server, oldest_taken(server));
}
