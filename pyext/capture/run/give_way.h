/** How a child stands back for the process that it captures. */
#ifndef LEAKGRAPH_GIVE_WAY_H
#define LEAKGRAPH_GIVE_WAY_H

/** Has the kernel kill this process first when memory runs out, and gives up
 *  the real-time policy that it has from its parent: it would keep the parent
 *  from its processor until the graph is written. Goes on without either where
 *  the system forbids it. */
void lg__give_way(void);

#endif
