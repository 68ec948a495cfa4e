// lg_text: a growing string that remembers when memory ran out.
#include <math.h>
#include <stdarg.h>

#include <leakgraph/internal/wording.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_private.h"

static bool
reserve(lg_text *text, size_t more)
{
    if (text->failed)
        return false;
    if (more < text->capacity - text->length)
        return true;
    size_t wanted = text->length + more + 1;
    size_t capacity = text->capacity ? text->capacity : 64;
    while (capacity < wanted && capacity <= SIZE_MAX / 2)
        capacity *= 2;
    char *data = capacity < wanted ? NULL : realloc(text->data, capacity);
    if (data == NULL) {
        text->failed = true;
        return false;
    }
    text->data = data;
    text->capacity = capacity;
    return true;
}

void
lg_text_add_bytes(lg_text *text, const char *bytes, size_t length)
{
    if (length >= SIZE_MAX / 4)
        text->failed = true;
    if (!reserve(text, length))
        return;
    if (length > 0)
        memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void
lg_text_add(lg_text *text, const char *string)
{
    lg_text_add_bytes(text, string, strlen(string));
}

void
lg_text_addf(lg_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0)
        text->failed = true;
    else if (reserve(text, (size_t)length)) {
        vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
}

// Formats digits from integers, because printf's decimal point depends on the
// locale.
static void
add_scaled(lg_text *text, uint64_t thousandths, const char *unit)
{
    if (thousandths < 9995) {
        uint64_t value = (thousandths + 5) / 10;
        lg_text_addf(text, "%llu.%02llu %s", (unsigned long long)(value / 100),
                     (unsigned long long)(value % 100), unit);
    } else if (thousandths < 99950) {
        uint64_t value = (thousandths + 50) / 100;
        lg_text_addf(text, "%llu.%llu %s", (unsigned long long)(value / 10),
                     (unsigned long long)(value % 10), unit);
    } else {
        lg_text_addf(text, "%llu %s",
                     (unsigned long long)((thousandths + 500) / 1000), unit);
    }
}

// Counts thousandths of KiB, MiB, ... For EiB, it drops the bytes below a KiB,
// which do not show, so that the product fits.
static uint64_t
count_thousandths(uint64_t bytes, size_t unit)
{
    size_t shift = 10 * (unit + 1);
    uint64_t rest = bytes & (((uint64_t)1 << shift) - 1);
    if (shift > 50) {
        rest >>= 10;
        return (bytes >> shift) * 1000 + (rest * 1000 >> (shift - 10));
    }
    return (bytes >> shift) * 1000 + (rest * 1000 >> shift);
}

void
lg_text_add_size(lg_text *text, uint64_t bytes)
{
    static const char *const units[] = {"KiB", "MiB", "GiB",
                                        "TiB", "PiB", "EiB"};
    if (bytes < 1024) {
        lg_text_addf(text, "%u B", (unsigned)bytes);
        return;
    }
    size_t unit = 0;
    while (unit < 5 && count_thousandths(bytes, unit) >= 999500)
        unit++;
    add_scaled(text, count_thousandths(bytes, unit), units[unit]);
}

void
lg_text_add_change(lg_text *text, double bytes)
{
    lg_text_add(text, bytes < 0 ? "-" : "+");
    lg_text_add_size(text, (uint64_t)((bytes < 0 ? -bytes : bytes) + 0.5));
}

void
lg_text_add_delta(lg_text *text, int64_t number, bool bytes)
{
    uint64_t size = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    lg_text_add(text, number < 0 ? "-" : number > 0 ? "+" : "");
    (bytes && number != 0 ? lg_text_add_size : lg_text_add_count)(text, size);
}

void
lg__text_add_string(lg_text *out, lg_string string)
{
    lg_text_add_bytes(out, string.data, string.length);
}

void
lg__text_add_part(lg_text *text, uint64_t bytes, lg_string device, bool *any)
{
    if (bytes == 0)
        return;
    lg_text_add(text, *any ? " · " : "");
    lg_text_add_size(text, bytes);
    lg_text_add(text, " ");
    lg_text_add_bytes(text, device.data, device.length);
    *any = true;
}

void
lg__text_add_host(lg_text *text, uint64_t bytes, lg_string host, bool any)
{
    if (any)
        lg__text_add_part(text, bytes, host, &any);
    else
        lg_text_add_size(text, bytes);
}

void
lg_text_add_sizes(lg_text *text, const lg_string *devices,
                  const uint64_t *bytes, size_t count)
{
    bool any = false;
    for (size_t i = 1; i < count; i++)
        lg__text_add_part(text, bytes[i], devices[i], &any);
    if (count > 0)
        lg__text_add_host(text, bytes[0], devices[0], any);
    else
        lg_text_add_size(text, 0);
}

void
lg_text_add_count(lg_text *text, uint64_t count)
{
    char digits[32];
    int length =
        snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            lg_text_add_bytes(text, ",", 1);
        lg_text_add_bytes(text, &digits[i], 1);
    }
}

static void
add_json_ascii(lg_text *text, char character)
{
    static const char named[] = "\"\"\\\\\bb\ff\nn\rr\tt";
    for (const char *at = named; *at; at += 2) {
        if (*at == character) {
            lg_text_addf(text, "\\%c", at[1]);
            return;
        }
    }
    if ((unsigned char)character < 0x20 || character == 0x7f)
        lg_text_addf(text, "\\u%04x", (unsigned)(unsigned char)character);
    else
        lg_text_add_bytes(text, &character, 1);
}

// Counts the characters that need no escape in a JSON string: all, in most
// names.
static size_t
count_plain(const char *string, size_t length)
{
    size_t count = 0;
    while (count < length && string[count] >= 0x20 && string[count] < 0x7f &&
           string[count] != '"' && string[count] != '\\')
        count++;
    return count;
}

void
lg_text_add_json(lg_text *text, const char *string, size_t length)
{
    lg_text_add(text, "\"");
    for (size_t at = 0; at < length;) {
        size_t plain = count_plain(string + at, length - at);
        if (plain > 0) {
            lg_text_add_bytes(text, string + at, plain);
            at += plain;
            continue;
        }
        size_t step = lg__utf8_length(string + at, length - at);
        if (step == 1)
            add_json_ascii(text, string[at]);
        else if (step == 0)
            lg_text_add(text, "\xef\xbf\xbd");
        else
            lg_text_add_bytes(text, string + at, step);
        at += step ? step : 1;
    }
    lg_text_add(text, "\"");
}

// Returns the length of a character that nobody sees, such as one in the name
// of a file or in what somebody searches for; 0: it is another.
static size_t
unseen_length(const char *at, size_t length)
{
    if ((unsigned char)*at < 0x80)
        return 0;
    size_t found = lg__utf8_length(at, length);
    return found > 0 && lg__utf8_is_unseen(at, found) ? found : 0;
}

void
lg_text_add_html(lg_text *text, const char *string, size_t length)
{
    static const char special[] = "<>&\"\n";
    static const char *const written[] = {"&lt;", "&gt;", "&amp;", "&quot;",
                                          "<br>"};
    size_t start = 0;
    if (length == 0)
        return;
    for (size_t i = 0; i < length; i++) {
        char escape[LG__ESCAPE_MOST + 1];
        size_t unseen = unseen_length(string + i, length - i);
        const char *found = memchr(special, string[i], sizeof special - 1);
        if (found == NULL && unseen == 0)
            continue;
        lg_text_add_bytes(text, string + start, i - start);
        if (unseen > 0)
            lg__utf8_escape(string + i, unseen, escape);
        lg_text_add(text, unseen > 0 ? escape : written[found - special]);
        i += unseen > 0 ? unseen - 1 : 0;
        start = i + 1;
    }
    lg_text_add_bytes(text, string + start, length - start);
}

void
lg_text_add_url(lg_text *text, const char *string, size_t length)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "abcdefghijklmnopqrstuvwxyz0123456789-._~";
    for (size_t i = 0; i < length; i++) {
        if (memchr(plain, string[i], sizeof plain - 1) != NULL)
            lg_text_add_bytes(text, string + i, 1);
        else
            lg_text_addf(text, "%%%02X", (unsigned char)string[i]);
    }
}

void
lg_text_free(lg_text *text)
{
    free(text->data);
    *text = (lg_text){0};
}

// Handles decimal points of several bytes, which some locales have.
void
lg_number_point(char *digits)
{
    static const char own[] = "+-0123456789eE";
    char *point = digits + strspn(digits, own);
    size_t length = strcspn(point, own);
    if (length == 0 || *digits == '\0' || point[length] == '\0')
        return;
    *point = '.';
    memmove(point + 1, point + length, strlen(point + length) + 1);
}

// Returns the exponent behind a number, and where it ends; 0 and `at` if there
// is none.
static long
read_exponent(const char *at, const char **end)
{
    enum { MOST = 9999 };
    bool negative = at[0] != '\0' && at[1] == '-';
    const char *digit = at + 1 + (negative || (*at != '\0' && at[1] == '+'));
    long exponent = 0;
    *end = at;
    if ((*at != 'e' && *at != 'E') || *digit < '0' || *digit > '9')
        return 0;
    for (; *digit >= '0' && *digit <= '9'; digit++)
        exponent = exponent < MOST ? 10 * exponent + (*digit - '0') : MOST;
    *end = digit;
    return negative ? -exponent : exponent;
}

// Returns a number times a power of ten.
static double
scaled(uint64_t digits, long scale)
{
    double power = 1;
    for (long i = labs(scale); i > 0 && isfinite(power); i--)
        power *= 10;
    if (digits == 0)
        return 0;
    return scale < 0 ? (double)digits / power : (double)digits * power;
}

// Collects up to 15 digits, and scales them once. A double has these digits and
// powers of ten up to 1e22 without an error, so what people write is rounded
// once, as by strtod.
const char *
lg_number_read(const char *text, double *out)
{
    const uint64_t full = UINT64_C(100000000000000);
    uint64_t digits = 0;
    long scale = 0;
    bool behind = false;
    const char *at = text;
    const char *first = at + (*at == '.');
    if (*first < '0' || *first > '9')
        return text;
    for (; (*at >= '0' && *at <= '9') || (*at == '.' && !behind); at++) {
        if (*at == '.') {
            behind = true;
        } else if (digits < full) {
            digits = 10 * digits + (uint64_t)(*at - '0');
            scale -= behind;
        } else {
            scale += !behind;
        }
    }
    scale += read_exponent(at, &at);
    *out = scaled(digits, scale);
    return at;
}

void
lg_text_add_fixed(lg_text *text, double number, int decimals)
{
    char digits[400]; // room for the largest double
    snprintf(digits, sizeof digits, "%.*f", decimals, number);
    lg_number_point(digits);
    lg_text_add(text, digits);
}
