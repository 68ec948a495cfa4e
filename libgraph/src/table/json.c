// Writes JSON in one pass.
#include <leakgraph/internal/json.h>
#include <leakgraph/internal/wording.h>

#include "table/words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Flags of each open array or object.
enum { OBJECT = 1, LINES = 2, FILLED = 4 };

static bool
refuse(lg_json *json)
{
    json->misused = true;
    return false;
}

static void
break_line(lg_json *json)
{
    lg_text_add(json->out, "\n");
    for (uint32_t i = 0; i < json->indent; i++)
        lg_text_add(json->out, "  ");
}

// Writes what comes before an element, or before the name of a member.
static void
separate(lg_json *json)
{
    uint8_t *top = &json->open[json->depth - 1];
    if (*top & FILLED)
        lg_text_add(json->out, *top & LINES ? "," : ", ");
    if (*top & LINES)
        break_line(json);
    *top |= FILLED;
}

void
lg_json_name(lg_json *json, const char *name, size_t length)
{
    bool inside = json->depth > 0 && json->open[json->depth - 1] & OBJECT;
    if (json->misused || json->named || !inside) {
        refuse(json);
        return;
    }
    separate(json);
    lg_text_add_json(json->out, name, length);
    lg_text_add(json->out, ": ");
    json->named = true;
}

// Writes what comes before a value. Returns false if no value may stand here.
static bool
begin(lg_json *json, const char *name)
{
    if (json->misused)
        return false;
    if (name != NULL)
        lg_json_name(json, name, strlen(name));
    if (json->misused)
        return false;
    if (json->depth == 0) {
        if (json->begun)
            return refuse(json);
        json->begun = true;
        json->start = json->out->length;
        return true;
    }
    if (json->open[json->depth - 1] & OBJECT) {
        if (!json->named)
            return refuse(json);
    } else {
        separate(json);
    }
    json->named = false;
    return true;
}

static void
open_as(lg_json *json, const char *name, uint8_t what)
{
    if (json->depth == LG_JSON_DEPTH)
        json->misused = true;
    if (!begin(json, name))
        return;
    json->open[json->depth++] = what;
    json->indent += (what & LINES) != 0;
    lg_text_add(json->out, what & OBJECT ? "{" : "[");
}

void
lg_json_object(lg_json *json, const char *name)
{
    open_as(json, name, OBJECT);
}

void
lg_json_array(lg_json *json, const char *name)
{
    open_as(json, name, 0);
}

void
lg_json_lines(lg_json *json, const char *name)
{
    open_as(json, name, LINES);
}

void
lg_json_end(lg_json *json)
{
    if (json->misused || json->depth == 0 || json->named) {
        refuse(json);
        return;
    }
    uint8_t top = json->open[--json->depth];
    json->indent -= (top & LINES) != 0;
    if ((top & LINES) && (top & FILLED))
        break_line(json);
    lg_text_add(json->out, top & OBJECT ? "}" : "]");
}

void
lg_json_string(lg_json *json, const char *name, const char *string,
               size_t length)
{
    if (!begin(json, name))
        return;
    if (string == NULL)
        lg_text_add(json->out, "null");
    else
        lg_text_add_json(json->out, string, length);
}

static void
add_digits(lg_json *json, bool negative, uint64_t magnitude)
{
    char digits[24];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + magnitude % 10);
    while ((magnitude /= 10) > 0);
    if (negative)
        digits[--at] = '-';
    lg_text_add_bytes(json->out, digits + at, sizeof digits - at);
}

void
lg_json_count(lg_json *json, const char *name, uint64_t count)
{
    if (begin(json, name))
        add_digits(json, false, count);
}

void
lg_json_integer(lg_json *json, const char *name, int64_t integer)
{
    uint64_t bits = (uint64_t)integer;
    if (begin(json, name))
        add_digits(json, integer < 0, integer < 0 ? -bits : bits);
}

void
lg_json_number(lg_json *json, const char *name, double number)
{
    char digits[40];
    if (!begin(json, name))
        return;
    if (!isfinite(number)) {
        lg_text_add(json->out, "null");
        return;
    }
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, number);
        if (strtod(digits, NULL) == number)
            break;
    }
    lg_number_point(digits);
    lg_text_add(json->out, digits);
}

void
lg_json_bool(lg_json *json, const char *name, bool value)
{
    if (begin(json, name))
        lg_text_add(json->out, value ? "true" : "false");
}

void
lg_json_null(lg_json *json, const char *name)
{
    if (begin(json, name))
        lg_text_add(json->out, "null");
}

lg_status
lg_json_finish(lg_json *json, lg_error *err)
{
    lg_text *out = json->out;
    bool complete = json->begun && json->depth == 0 && !json->misused;
    if (complete)
        lg_text_add(out, "\n");
    if (complete && !out->failed)
        return LG_OK;
    if (json->begun)
        lg__text_cut(out, json->start);
    if (out->failed)
        return lg_error_set(err, LG_ENOMEM, "memory ran out");
    return lg_error_set(err, LG_EINVAL,
                        "the calls of the JSON writer do not make a document: "
                        "end what was opened, at most %d at once, and name "
                        "the members of objects only",
                        LG_JSON_DEPTH);
}
