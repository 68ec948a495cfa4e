/**
 * A question to the server and its answer, independent of HTTP.
 */
#ifndef LEAKGRAPH_REQUEST_H
#define LEAKGRAPH_REQUEST_H

#include "serve/serve_private.h"

#include <leakgraph/base.h>
#include <leakgraph/text.h>

/* The most pairs of a query; the server refuses a query with more. */
#define LG__MOST_PAIRS 72u

typedef struct lg__pair {
    const char *name;
    const char *value; /* decoded; "" where the query has none */
} lg__pair;

/** `object?node=17`. The caller owns its strings. */
struct lg__request {
    const char *page; /* "" for the first page */
    lg__pair pairs[LG__MOST_PAIRS];
    size_t count;
};

struct lg__reply {
    unsigned status;      /* an HTTP status */
    const char *type;     /* a media type; static */
    lg_text body;         /* the receiver frees it */
    const char *location; /* relative; NULL unless a redirection, whose text is
                             the body */
    bool lasting;         /* the same in every snapshot of this build */
    bool passing;         /* a later answer may be better */
    unsigned again;       /* seconds until to ask again; 0: never */
};

/** Returns the value of the first pair with that name, or `otherwise`. */
const char *lg__request_text(const lg__request *request, const char *name,
                             const char *otherwise);
/** Reads a decimal number from 0 to `most`; `otherwise` if there is none.
 *  Returns false if it is something else. */
bool lg__request_number(const lg__request *request, const char *name,
                        uint64_t most, uint64_t otherwise, uint64_t *out);
/** Finds the value among `count` words; the first word is the default. Returns
 *  false if it is none of them. */
bool lg__request_choice(const lg__request *request, const char *name,
                        const char *const *words, unsigned count,
                        unsigned *out);
/** Adds `object?node=17`; the same question gives the same text. */
void lg__request_write(const lg__request *request, lg_text *out);

#endif
