// Errors: a status, and one sentence for a person.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <leakgraph/internal/wording.h>

#include "base/base_private.h"

lg_status
lg_error_set(lg_error *err, lg_status status, const char *format, ...)
{
    if (err == NULL)
        return status;
    err->status = status;
    va_list arguments;
    va_start(arguments, format);
    char message[sizeof err->message];
    int wanted = vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    size_t length = wanted < 0 ? 0 : (size_t)wanted;
    if (length >= sizeof message)
        length = lg__utf8_cut(message, sizeof message - 1);
    err->message[lg_string_clean(err->message, sizeof message - 1, message,
                                 length)] = '\0';
    return status;
}

lg_status
lg__error_memory(lg_error *err)
{
    return lg_error_set(err, LG_ENOMEM, "memory ran out");
}

lg_status
lg__check_failed(lg_error *err, const char *what, uint64_t where)
{
    return lg_error_set(err, LG_EFORMAT,
                        "%s is out of range or order (at %llu)", what,
                        (unsigned long long)where);
}
