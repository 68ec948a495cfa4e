// Keeps pages for the next time that somebody asks for them.

#include "serve/server.h"

#include <leakgraph/internal/writing.h>

#include <string.h>

bool
lg__same_question(const lg_text *a, const lg_text *b)
{
    return a->data && a->length == b->length &&
           !memcmp(a->data, b->data, a->length);
}

static lg__kept *
find(lg__server *server, const lg_text *question)
{
    for (size_t i = 0; i < LG__KEPT_PAGES && question->data; i++)
        if (lg__same_question(&server->kept[i].question, question))
            return &server->kept[i];
    return NULL;
}

bool
lg__server_recall(lg__server *server, const lg_text *question, lg_text *out)
{
    pthread_mutex_lock(&server->lock);
    lg__kept *kept = find(server, question);
    if (kept) {
        if (kept->used != LG__PINNED)
            kept->used = ++server->asked;
        lg_text_add_bytes(out, kept->body.data, kept->body.length);
    }
    pthread_mutex_unlock(&server->lock);
    return kept != NULL;
}

static void
forget(lg__server *server, lg__kept *kept)
{
    server->kept_bytes -= kept->body.length;
    lg_text_free(&kept->question);
    lg_text_free(&kept->body);
    kept->used = 0;
}

// Returns the page asked for the longest ago, but not before `since`.
static lg__kept *
oldest(lg__server *server, uint64_t since)
{
    lg__kept *found = NULL;
    for (size_t i = 0; i < LG__KEPT_PAGES; i++) {
        lg__kept *one = &server->kept[i];
        if (one->used >= since && one->used != LG__PINNED &&
            (!found || one->used < found->used))
            found = one;
    }
    return found;
}

static bool
keep(lg__server *server, lg__kept *made)
{
    // A free place counts as the oldest. A page for this question, kept
    // meanwhile, has the same content.
    lg__kept *place = find(server, &made->question);
    place = place ? place : oldest(server, 0);
    if (!place)
        return false;
    if (place->used == LG__PINNED)
        return true;
    forget(server, place);
    if (made->used != LG__PINNED)
        made->used = ++server->asked;
    *place = *made;
    *made = (lg__kept){0};
    server->kept_bytes += place->body.length;
    while (server->kept_bytes > LG__KEPT_BYTES && (place = oldest(server, 1)))
        forget(server, place);
    return true;
}

bool
lg__server_keep(lg__server *server, const lg_text *question,
                const lg_text *body, bool pinned)
{
    lg__kept made = {.used = pinned ? LG__PINNED : 0};
    bool kept = false;
    if (question->failed || (!pinned && body->length > LG__KEPT_BYTES / 4))
        return false;
    lg_text_add_bytes(&made.question, question->data, question->length);
    lg_text_add_bytes(&made.body, body->data, body->length);
    pthread_mutex_lock(&server->lock);
    if (!made.question.failed && !made.body.failed)
        kept = keep(server, &made);
    pthread_mutex_unlock(&server->lock);
    lg_text_free(&made.question);
    lg_text_free(&made.body);
    return kept;
}
