/**
 * A renderer that has drawn a picture and waits for the next one: it spares
 * that picture a start. It is no child of this process, and keeps a socket and
 * a pidfd open here until the next picture.
 */
#ifndef LEAKGRAPH_KEPT_RENDERER_H
#define LEAKGRAPH_KEPT_RENDERER_H

#include "render/worker.h"

/** How long a renderer that starts now is to wait after its picture, in
 *  seconds; 0: not at all. */
unsigned lg__kept_seconds(void);

/** Keeps the renderer behind the files of lg__exchange, and ends the one that
 *  is kept so far. `terms` says which program it is, and its limits. Takes over
 *  the files. */
void lg__kept_put(const int files[2], const char *terms);
/** Hands over the kept renderer if it has these terms and lives. Otherwise ends
 *  it and returns false. */
bool lg__kept_take(const char *terms, lg__worker *out);

#endif
