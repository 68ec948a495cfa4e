// Chooses the connections to end. Lets in clients that know the token, call the
// machine by a name of its own, and only read.
#include "serve/guard.h"
#include "serve/connections.h"

#include <string.h>
#include <strings.h>
#include <sys/random.h>

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

bool
lg__token_new(char token[LG__TOKEN_LENGTH + 1])
{
    static const char digits[] = "0123456789abcdef";
    unsigned char random[LG__TOKEN_LENGTH / 2];
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return false;
    for (size_t i = 0; i < LG__TOKEN_LENGTH; i++)
        token[i] = digits[random[i / 2] >> (i % 2 ? 0 : 4) & 15];
    token[LG__TOKEN_LENGTH] = '\0';
    return true;
}

// A page of another site can make its own name lead here, but then sends that
// name. The port may differ, because a tunnel has its own.
static bool
is_loopback(const char *host)
{
    static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};
    for (size_t i = 0; host && i < sizeof names / sizeof *names; i++) {
        size_t length = strlen(names[i]);
        if (strncasecmp(host, names[i], length))
            continue;
        const char *rest = host + length;
        if (!*rest || (*rest == ':' && rest[1] &&
                       strspn(rest + 1, "0123456789") == strlen(rest + 1)))
            return true;
    }
    return false;
}

static bool
has_body(const lg__hello *hello)
{
    return hello->encoding || (hello->length && strcmp(hello->length, "0"));
}

// Compares all digits, so that the time does not tell which of them differ.
static bool
is_token(const char *given, const char *token)
{
    unsigned char different = 0;
    for (size_t i = 0; i < LG__TOKEN_LENGTH; i++)
        different |= (unsigned char)(given[i] ^ token[i]);
    return !different;
}

unsigned
lg__guard_check(const lg__hello *hello, const char *token, const char **page)
{
    const char *path = hello->path;
    if (strcmp(hello->method, "GET"))
        return 405;
    if (has_body(hello))
        return 400;
    if (!is_loopback(hello->host))
        return 403;
    if (strlen(path) < LG__TOKEN_LENGTH + 2 || *path != '/' ||
        !is_token(path + 1, token) || path[LG__TOKEN_LENGTH + 1] != '/')
        return 404;
    *page = path + LG__TOKEN_LENGTH + 2;
    return 0;
}
