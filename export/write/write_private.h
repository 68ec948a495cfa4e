/** The fonts of a picture. Graphviz takes the first of each list that the
 *  machine has. */
#ifndef LEAKGRAPH_WRITE_PRIVATE_H
#define LEAKGRAPH_WRITE_PRIVATE_H

#define LG__SANS "Helvetica,Arial,sans-serif"
#define LG__MONO "DejaVu Sans Mono,Menlo,Consolas,monospace"

#endif
