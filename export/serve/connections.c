// Chooses the connections to end.

#include "serve/connections.h"

void
lg__connections_begin(lg__connections *connections)
{
    connections->staying = 0;
    for (size_t i = 0; i < LG__CONNECTIONS_MOST; i++)
        connections->items[i] = (lg__connection){.socket = -1};
}

lg__connection *
lg__connections_add(lg__connections *connections, int socket, uint64_t now)
{
    for (size_t i = 0; i < LG__CONNECTIONS_MOST; i++) {
        lg__connection *connection = &connections->items[i];
        if (connection->socket >= 0)
            continue;
        *connection =
            (lg__connection){.socket = socket, .since = now, .is_asking = true};
        connections->staying++;
        return connection;
    }
    return NULL;
}

void
lg__connections_remove(lg__connections *connections, lg__connection *connection)
{
    connections->staying -= !connection->is_leaving;
    *connection = (lg__connection){.socket = -1};
}

// Returns the connection that has been asking for the longest, or NULL.
static lg__connection *
slowest(lg__connections *connections)
{
    lg__connection *found = NULL;
    for (size_t i = 0; i < LG__CONNECTIONS_MOST; i++) {
        lg__connection *connection = &connections->items[i];
        if (connection->socket >= 0 && connection->is_asking &&
            !connection->is_leaving &&
            (!found || connection->since < found->since))
            found = connection;
    }
    return found;
}

int
lg__connections_end_one(lg__connections *connections, uint64_t now)
{
    lg__connection *connection = slowest(connections);
    bool crowded = connections->staying > LG__CONNECTIONS_CROWD;
    if (!connection || (!crowded && now - connection->since <
                                        LG__QUESTION_SECONDS * UINT64_C(1000)))
        return -1;
    connection->is_leaving = true;
    connections->staying--;
    return connection->socket;
}
