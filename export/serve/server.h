/**
 * The explorer of one snapshot: a page for each question. It computes nothing:
 * each page shows answers of libgraph.
 *
 * One thread asks it. Once started, it makes pages in threads of its own, so
 * each question soon has an answer, perhaps one that only reports progress. It
 * keeps answers, because a snapshot never changes.
 */
#ifndef LEAKGRAPH_SERVER_H
#define LEAKGRAPH_SERVER_H

#include "page/page_private.h"
#include "serve/request.h"
#include "serve/serve_private.h"

#include <pthread.h>

/* The most pages kept, and their most bytes. */
enum { LG__KEPT_PAGES = 128, LG__KEPT_BYTES = 64 << 20 };

/* Rows per page of a list. */
#define LG__SHEET_ROWS 50u

typedef struct lg__kept {
    lg_text question;
    lg_text body;
    uint64_t used; /* greater is later; 0: free; LG__PINNED: always */
} lg__kept;

#define LG__PINNED UINT64_MAX

/* Separate queues, so that objects and searches do not wait for tables. */
typedef enum lg__queue_kind { LG__SLOW, LG__QUICK, LG__QUEUES } lg__queue_kind;

/* The most pages in work at a time. */
enum { LG__JOBS = 16 };

typedef enum lg__job_state {
    LG__JOB_FREE,
    LG__JOB_WAITING,
    LG__JOB_RUNNING,
    LG__JOB_DONE, /* made, but not fetched yet */
} lg__job_state;

typedef struct lg__job {
    lg__job_state state;
    lg__queue_kind queue;
    uint64_t number; /* lower is earlier */
    lg_text question;
    lg__request request; /* a copy */
    lg__reply reply;
} lg__job;

/** The thread that makes the pages of a queue, one after the other. */
typedef struct lg__queue {
    struct lg__server *server;
    pthread_t thread;
    lg_monitor monitor;
    bool is_preparing; /* it makes a page in advance */
    char phase[48];    /* what the work on the page does */
    double done;       /* how much of the phase is done, 0 to 1 */
} lg__queue;

struct lg__server {
    const lg_analysis *analysis;
    const lg_graph *graph;
    const lg_monitor *monitor;
    lg_page_options options;
    const lg_changes *changes; /* those of the options; or NULL */
    uint32_t prepared;         /* tables made in advance */
    unsigned patience;         /* milliseconds that a request waits */
    pthread_mutex_t lock;      /* protects all below */
    pthread_cond_t changed;    /* a job or `ending` changed */
    lg__kept kept[LG__KEPT_PAGES];
    size_t kept_bytes;
    uint64_t asked;
    lg__job jobs[LG__JOBS];
    uint64_t job_count;
    lg__queue queues[LG__QUEUES];
    unsigned started; /* number of queues */
    bool ending;
};

/** A page that is being made. */
typedef struct lg__sheet {
    const lg__server *server;
    const lg__request *request;
    lg__page page;     /* `out` receives the body */
    lg_text title;     /* the page's title */
    lg_text location;  /* where to go instead; empty: stay */
    const char *query; /* the text in the search field */
} lg__sheet;

typedef lg_status lg__sheet_maker(lg__sheet *sheet, lg_error *err);

/** A page of the explorer, which reads its own parameters. */
typedef struct lg__sheet_kind {
    const char *name; /* in the address */
    lg__sheet_maker *make;
    lg__queue_kind queue;
    /* Reduces a question to what changes the answer. NULL: all of it does. */
    void (*reduce)(const lg__request *request, lg__request *out);
} lg__sheet_kind;

/** Ends the threads and cancels their work. */
void lg__server_stop(lg__server *server);

/** Makes a page that people are likely to ask for next, and keeps it. Returns
 *  false when all are made. */
bool lg__server_prepare(lg__server *server, const lg_monitor *monitor);
/** Adds the body of an earlier answer to the same question. Returns false if
 *  there is none. */
bool lg__server_recall(lg__server *server, const lg_text *question,
                       lg_text *out);
/** Keeps a copy of an answer, and forgets the answers not asked for the
 *  longest, except pinned ones. Returns false if there is no room. */
bool lg__server_keep(lg__server *server, const lg_text *question,
                     const lg_text *body, bool pinned);

extern const lg__sheet_kind
    lg__object_sheet,  /* object?node= [in= out= owned=] */
    lg__why_sheet,     /* why?node= */
    lg__tree_sheet,    /* tree?node= &of= [like=] */
    lg__picture_sheet, /* picture?node= &of= */
    lg__cycle_sheet,   /* cycle?of= [first=] */
    lg__search_sheet,  /* search?q= [first=] */
    lg__paths_sheet,   /* paths?q= */
    lg__table_sheet,   /* table?of= and its options */
    lg__what_if_sheet; /* what-if?cut= ... */

/** Names a table to make in advance: first each table as it is, then with each
 *  choice. Returns false at the end. */
bool lg__table_prepared(uint32_t index, lg__request *out);

/** Reads the node that `node=` names. */
lg_status lg__sheet_node(const lg__sheet *sheet, lg_node *out, lg_error *err);
/** Reads a number of the request, up to `most`; 0 if absent. */
lg_status lg__sheet_number(const lg__sheet *sheet, const char *name,
                           uint64_t most, uint64_t *out, lg_error *err);
/** Begins the page with its heading, which is also its title. Frees the
 *  text. */
void lg__sheet_heading(lg__sheet *sheet, lg_text *title, const char *note);
/** Adds a table of any kind, up to `limit` rows of it (0: all), and frees
 *  it. */
lg_status lg__sheet_rows(lg__sheet *sheet, lg_table *table, size_t limit,
                         lg_error *err);
/** Adds a table of objects and frees it. */
lg_status lg__sheet_list(lg__sheet *sheet, lg_table *table, lg_error *err);
/** Adds a section that another page of the server fills: the script loads it,
 *  or else the reader follows the link with this text. */
void lg__sheet_later(lg__sheet *sheet, const char *id, const char *heading,
                     const lg_text *address, const char *text);
/** Adds links to the pages before and after. `name` is the parameter that says
 *  where a page begins, and the id of its section. */
void lg__sheet_pager(lg__sheet *sheet, const char *name, uint64_t first,
                     uint64_t shown, bool more);

#endif
