// Reads the parameters of a question.

#include "serve/request.h"

#include <leakgraph/internal/wording.h>
#include <leakgraph/internal/writing.h>

#include <string.h>

const char *
lg__request_text(const lg__request *request, const char *name,
                 const char *otherwise)
{
    for (size_t i = 0; i < request->count; i++) {
        if (!strcmp(request->pairs[i].name, name))
            return request->pairs[i].value;
    }
    return otherwise;
}

bool
lg__request_number(const lg__request *request, const char *name, uint64_t most,
                   uint64_t otherwise, uint64_t *out)
{
    const char *text = lg__request_text(request, name, NULL);
    uint64_t number = 0;
    if (!text || !*text) {
        *out = otherwise;
        return true;
    }
    for (; *text; text++) {
        uint64_t digit = (uint64_t)(unsigned char)*text - '0';
        if (digit > 9 || most < digit || number > (most - digit) / 10)
            return false;
        number = number * 10 + digit;
    }
    *out = number;
    return true;
}

bool
lg__request_choice(const lg__request *request, const char *name,
                   const char *const *words, unsigned count, unsigned *out)
{
    const char *text = lg__request_text(request, name, "");
    unsigned at = 0;
    while (*text && at < count && strcmp(text, words[at]))
        at++;
    if (at < count)
        *out = at;
    return at < count;
}

void
lg__request_write(const lg__request *request, lg_text *out)
{
    lg_text_add(out, request->page);
    for (size_t i = 0; i < request->count; i++) {
        const lg__pair *pair = &request->pairs[i];
        lg_text_add(out, i > 0 ? "&" : "?");
        lg_text_add_url(out, pair->name, strlen(pair->name));
        lg_text_add(out, "=");
        lg_text_add_url(out, pair->value, strlen(pair->value));
    }
}
