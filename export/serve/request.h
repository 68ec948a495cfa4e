/**
 * A question to the server, and its answer, without a word of HTTP.
 */
#ifndef LEAKGRAPH_REQUEST_H
#define LEAKGRAPH_REQUEST_H

#include <leakgraph/base.h>
#include <leakgraph/text.h>

/* Pairs of a query that are read; a query with more is refused. */
#define LG__MOST_PAIRS 72u

typedef struct lg__pair {
    const char *name;
    const char *value; /* decoded; "" where the query has none */
} lg__pair;

/** `object?node=17`: its strings are the caller's. */
typedef struct lg__request {
    const char *page; /* "" for the first page */
    lg__pair pairs[LG__MOST_PAIRS];
    size_t count;
} lg__request;

typedef struct lg__reply {
    unsigned status;      /* of HTTP */
    const char *type;     /* media type; static */
    lg_text body;         /* the receiver's */
    const char *location; /* relative; NULL but for a redirection; the body has
                             its text */
    bool lasting;         /* the same in every snapshot of this build */
    bool passing;         /* it may be better when it is asked for again */
    unsigned again;       /* seconds after which to ask again; 0: never */
} lg__reply;

/** The value of the first pair with that name, or `otherwise`. */
const char *lg__request_text(const lg__request *request, const char *name,
                             const char *otherwise);
/** A decimal number from 0 to `most`; `otherwise` if there is none. False: it
 *  is something else. */
bool lg__request_number(const lg__request *request, const char *name,
                        uint64_t most, uint64_t otherwise, uint64_t *out);
/** The index of the value among `count` words, the first if there is none.
 * False: it is none of them. */
bool lg__request_choice(const lg__request *request, const char *name,
                        const char *const *words, unsigned count,
                        unsigned *out);
/** Adds `object?node=17`, which is the same for the same question. */
void lg__request_write(const lg__request *request, lg_text *out);
/** A copy with strings of its own, for lg__request_free. False: memory ran out.
 */
bool lg__request_copy(const lg__request *request, lg__request *out);
void lg__request_free(lg__request *copy);

#endif
