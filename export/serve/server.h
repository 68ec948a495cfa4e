/**
 * The explorer of one snapshot: a page for each question. It computes nothing:
 * each page shows answers of libgraph.
 *
 * One thread asks it. Once it is started, threads of its own make the pages, so
 * whoever asks gets a page soon: it may be one that says how far the other is.
 * It may keep what it answered, because a snapshot never changes.
 */
#ifndef LEAKGRAPH_SERVER_H
#define LEAKGRAPH_SERVER_H

#include "page/page_parts.h"
#include "serve/request.h"

#include <pthread.h>

/* Pages kept, and the bytes that they have together. */
enum { LG__KEPT_PAGES = 128, LG__KEPT_BYTES = 64 << 20 };

/* Rows of a page of a list. */
#define LG__SHEET_ROWS 50u

typedef struct lg__kept {
    lg_text question;
    lg_text body;
    uint64_t used; /* the greater, the later; 0: free; LG__PINNED: always */
} lg__kept;

#define LG__PINNED UINT64_MAX

/* Pages of objects and searches are not to wait for tables. */
typedef enum lg__lane_kind { LG__SLOW, LG__QUICK, LG__LANES } lg__lane_kind;

/* Pages that are asked for and not there yet. */
enum { LG__JOBS = 16 };

typedef enum lg__job_state {
    LG__JOB_FREE,
    LG__JOB_WAITING,
    LG__JOB_RUNNING,
    LG__JOB_DONE, /* nobody has fetched it yet */
} lg__job_state;

typedef struct lg__job {
    lg__job_state state;
    lg__lane_kind lane;
    uint64_t number; /* the lowest was asked for first */
    lg_text question;
    lg__request request; /* a copy */
    lg__reply reply;
} lg__job;

/** A thread that makes pages, one after the other. */
typedef struct lg__lane {
    struct lg__server *server;
    pthread_t thread;
    lg_monitor monitor;
    bool is_preparing; /* a page that nobody has asked for */
    char phase[48];    /* of the work on the page */
    double done;       /* of the phase, 0 to 1 */
} lg__lane;

typedef struct lg__server {
    const lg_analysis *analysis;
    const lg_graph *graph;
    const lg_monitor *monitor;
    lg_page_options options;
    uint32_t prepared;      /* tables that are there before anybody asks */
    unsigned patience;      /* milliseconds that whoever asks waits */
    pthread_mutex_t lock;   /* of all below */
    pthread_cond_t changed; /* a job, or `ending` */
    lg__kept kept[LG__KEPT_PAGES];
    size_t kept_bytes;
    uint64_t asked;
    lg__job jobs[LG__JOBS];
    uint64_t job_count;
    lg__lane lanes[LG__LANES];
    unsigned started; /* lanes */
    bool ending;
} lg__server;

/** A page that is being made. */
typedef struct lg__sheet {
    const lg__server *server;
    const lg__request *request;
    lg__page page;     /* its `out` is the body */
    lg_text title;     /* of the page */
    lg_text location;  /* where to go instead; empty: nowhere */
    const char *query; /* what stands in the field for searches */
} lg__sheet;

typedef lg_status lg__sheet_maker(lg__sheet *sheet, lg_error *err);

/** Makes the first page, and what all pages share: O(nodes + edges) many times.
 *  The analysis, the strings of the options and the monitor are the caller's
 *  and must stay. */
lg_status lg__server_new(const lg_analysis *analysis,
                         const lg_page_options *options,
                         const lg_monitor *monitor, lg__server **out,
                         lg_error *err);
void lg__server_free(lg__server *server);
/** An lg__answerer; the context is the server. */
void lg__server_answer(void *server, const lg__request *request,
                       lg__reply *reply);

/** Starts the threads, which also make the tables before anybody asks. Without
 *  them, whoever asks makes the page. False: the system has no threads. */
bool lg__server_start(lg__server *server);
/** Ends the threads; what they work on is cancelled. */
void lg__server_stop(lg__server *server);

/** Makes one of the pages that people ask for next, for when nobody waits.
 *  False: all are there. */
bool lg__server_prepare(lg__server *server, const lg_monitor *monitor);
/** Makes a page in this thread, and keeps it if it may. */
void lg__server_make(lg__server *server, const lg__request *request,
                     const lg_text *question, const lg_monitor *monitor,
                     bool pinned, lg__reply *reply);
/** Has a lane make the page, and waits for it, but not for long: then the reply
 *  is a page that says how far the work is. */
void lg__server_delegate(lg__server *server, const lg__request *request,
                         const lg_text *question, lg__lane_kind lane,
                         lg__reply *reply);
/** The page that stands in for one that is being made. `phase` is empty while
 *  others are made first. */
void lg__server_say_wait(lg__server *server, const char *phase, double done,
                         lg__reply *reply);

/** Whether two requests ask the same; what was never asked is like nothing. */
bool lg__same_question(const lg_text *a, const lg_text *b);
/** Adds the body of an earlier answer to the same question. False: there is
 *  none. */
bool lg__server_recall(lg__server *server, const lg_text *question,
                       lg_text *out);
/** Keeps a copy of an answer, and forgets those that nobody has asked for the
 *  longest, but none that is pinned. False: there is no room for it. */
bool lg__server_keep(lg__server *server, const lg_text *question,
                     const lg_text *body, bool pinned);

/* What makes the pages; each reads its own parameters. */
lg__sheet_maker lg__sheet_object;  /* object?node= [in= out= owned=] */
lg__sheet_maker lg__sheet_why;     /* why?node= */
lg__sheet_maker lg__sheet_picture; /* picture?node= &of= */
lg__sheet_maker lg__sheet_cycle;   /* cycle?of= [first=] */
lg__sheet_maker lg__sheet_search;  /* search?q= [first=] */
lg__sheet_maker lg__sheet_paths;   /* paths?q= */
lg__sheet_maker lg__sheet_table;   /* table?of= and its options */
lg__sheet_maker lg__sheet_what_if; /* what-if?cut= ... */

/** A table to make before anybody asks: first each as it is, then each with
 *  each choice. False: there are no more. */
bool lg__table_prepared(uint32_t index, lg__request *out);
/** The same question about a table, without what changes nothing. */
void lg__table_normalize(const lg__request *request, lg__request *out);
/** Whether `table?of=` takes the name. */
lg__page_has_table lg__has_table;

/** The node that `node=` names. */
lg_status lg__sheet_node(const lg__sheet *sheet, lg_node *out, lg_error *err);
/** A number of the request, up to `most`; 0 if it has none. */
lg_status lg__sheet_number(const lg__sheet *sheet, const char *name,
                           uint64_t most, uint64_t *out, lg_error *err);
/** Begins the page: its heading, which is its title. The text is freed. */
void lg__sheet_heading(lg__sheet *sheet, lg_text *title, const char *note);
/** Adds a table of any kind, `limit` rows of it (0: all), and frees it. */
lg_status lg__sheet_rows(lg__sheet *sheet, lg_table *table, size_t limit,
                         lg_error *err);
/** Adds a table of objects, and frees it. */
lg_status lg__sheet_list(lg__sheet *sheet, lg_table *table, lg_error *err);
/** A section that another page of the server fills: by the script if there is
 *  one, or else behind the link, which the text says. */
void lg__sheet_later(lg__sheet *sheet, const char *id, const char *heading,
                     const lg_text *address, const char *text);
/** Links to the pages before and after; `name` is the parameter that says where
 *  a page begins, and the id of its section. */
void lg__sheet_pager(lg__sheet *sheet, const char *name, uint64_t first,
                     uint64_t shown, bool more);

#endif
