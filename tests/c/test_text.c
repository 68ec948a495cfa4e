// Text that grows, and numbers in readable form.
#include "test.h"

#include <leakgraph/internal/writing.h>
#include <leakgraph/text.h>
#include <leakgraph/internal/wording.h>

static void
expect_size(uint64_t bytes, const char *expected)
{
    lg_text text = {0};
    lg_text_add_size(&text, bytes);
    CHECK_TEXT(text, expected);
    lg_text_free(&text);
}

static void
sizes(void)
{
    expect_size(0, "0 B");
    expect_size(1023, "1023 B");
    expect_size(1024, "1.00 KiB");
    expect_size(10229, "9.99 KiB");
    expect_size(10240, "10.0 KiB");
    expect_size(102340, "99.9 KiB");
    expect_size(102400, "100 KiB");
    expect_size(1024 * 999, "999 KiB");
    expect_size(1024 * 999 + 512, "0.98 MiB");
    expect_size(1024 * 1023, "1.00 MiB");
    expect_size((uint64_t)1000 << 20, "0.98 GiB");
    expect_size(1024 * 1024 - 1, "1.00 MiB");
    expect_size(6181742, "5.90 MiB");
    expect_size(12 << 20, "12.0 MiB");
    expect_size(2072321065, "1.93 GiB");
    expect_size((uint64_t)1 << 50, "1.00 PiB");
    expect_size(((uint64_t)1 << 60) / 1000 * 1234, "1.23 EiB");
    expect_size(UINT64_MAX, "16.0 EiB");
}

static void
counts(void)
{
    lg_text text = {0};
    lg_text_add_count(&text, 7);
    lg_text_add(&text, " ");
    lg_text_add_count(&text, 1000);
    lg_text_add(&text, " ");
    lg_text_add_count(&text, 1284301);
    lg_text_add(&text, " ");
    lg_text_add_count(&text, UINT64_MAX);
    CHECK_TEXT(text, "7 1,000 1,284,301 18,446,744,073,709,551,615");
    lg_text_free(&text);
    CHECK(text.data == NULL && text.length == 0);
}

static void
sizes_by_device(void)
{
    const lg_string devices[] = {{"host", 4}, {"cuda:0", 6}, {"cuda:1", 6}};
    lg_text text = {0};
    lg_text_add_sizes(&text, devices, (const uint64_t[]){12, 0, 0}, 3);
    CHECK_TEXT(text, "12 B");
    lg_text_free(&text);
    lg_text_add_sizes(&text, devices, (const uint64_t[]){12, 2048, 7}, 3);
    CHECK_TEXT(text, "2.00 KiB cuda:0 · 7 B cuda:1 · 12 B host");
    lg_text_free(&text);
    lg_text_add_sizes(&text, devices, (const uint64_t[]){0, 0, 7}, 3);
    CHECK_TEXT(text, "7 B cuda:1");
    lg_text_free(&text);
    lg_text_add_sizes(&text, devices, NULL, 0);
    CHECK_TEXT(text, "0 B");
    lg_text_free(&text);
}

static void
differences(void)
{
    static const struct {
        double bytes;
        const char *text;
    } cases[] = {{0, "+0 B"},
                 {99.6, "+100 B"},
                 {-99.6, "-100 B"},
                 {-812, "-812 B"},
                 {12 << 20, "+12.0 MiB"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lg_text text = {0};
        lg_text_add_change(&text, cases[i].bytes);
        CHECK_TEXT(text, cases[i].text);
        lg_text_free(&text);
    }
}

static void
expect_point(const char *written, const char *expected)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%s", written);
    lg_number_point(digits);
    CHECK(strcmp(digits, expected) == 0);
}

static void
points(void)
{
    expect_point("0,5", "0.5");
    expect_point("-1.25e-07", "-1.25e-07");
    expect_point("3\xd9\xab"
                 "14",
                 "3.14");
    expect_point("17", "17");
    expect_point("-inf", "-inf");
    expect_point("", "");
}

// Reads what strtod reads, to the last bit, and ends where it ends.
static void
numbers(void)
{
    static const char *const texts[] = {
        "0",       "12",     "1.5",     "0.01",    "0.1",
        "4096KiB", "1e-3",   "2.5E+2x", "1.2.3",   "3.",
        ".5",      "7e",     "7e+",     "1e999",   "0e999",
        "1e-9999", "0.0025", "99.9",    "1048576", "16777216.125",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *end;
        double expected = strtod(texts[i], &end);
        double number = -1;
        CHECK(lg_number_read(texts[i], &number) == end);
        CHECK(!(number < expected) && !(number > expected));
    }
    static const char *const none[] = {"", "x1", "-1", "+1", ".", " 1", ",5"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        double number = -1;
        CHECK(lg_number_read(none[i], &number) == none[i] && number < 0);
    }
    double large = 0;
    lg_number_read("12345678901234567890123", &large);
    CHECK(large > 1.2345678901234e22 && large < 1.2345678901235e22);
}

static void
fixed(void)
{
    lg_text text = {0};
    lg_text_add_fixed(&text, 2.25, 1);
    lg_text_add(&text, " ");
    lg_text_add_fixed(&text, 99.6, 0);
    CHECK_TEXT(text, "2.2 100");
    lg_text_free(&text);
}

static void
json(void)
{
    static const char odd[] = "a\"\\\n\x01\x7f\xc3\xa9\xff\xed\xa0\x80z";
    lg_text text = {0};
    lg_text_add_json(&text, odd, sizeof odd - 1);
    CHECK_TEXT(text, "\"a\\\"\\\\\\n\\u0001\\u007f\xc3\xa9"
                     "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz\"");
    lg_text_free(&text);
    lg_text_add_json(&text, "", 0);
    CHECK_TEXT(text, "\"\"");
    lg_text_free(&text);
}

static void
html(void)
{
    lg_text text = {0};
    lg_text_add_html(&text, NULL, 0);
    lg_text_add_html(&text, "a<b>&\"c\"\nd", 10);
    CHECK_TEXT(text, "a&lt;b&gt;&amp;&quot;c&quot;<br>d");
    text.length = 0;
    lg_text_add_html(&text, "\xd7\x90\xe2\x80\xaegpj<\xe2\x80\xae\xe2", 13);
    CHECK_TEXT(text, "\xd7\x90\\u202egpj&lt;\\u202e\xe2");
    lg_text_free(&text);
}

static void
url(void)
{
    lg_text text = {0};
    lg_text_add_url(&text, "a-Z.0_~", 7);
    lg_text_add_url(&text, " +&=%#\"<\xc3\xbc\0x", 12);
    CHECK_TEXT(text, "a-Z.0_~%20%2B%26%3D%25%23%22%3C%C3%BC%00x");
    lg_text_free(&text);
}

static void
growth(void)
{
    lg_text text = {0};
    for (int i = 0; i < 10000; i++)
        lg_text_addf(&text, "%04d", i);
    CHECK(text.length == 40000 && text.data[40000] == '\0');
    CHECK(memcmp(text.data + 39996, "9999", 4) == 0);
    size_t length = text.length;
    lg_text_add_bytes(&text, "x", SIZE_MAX / 2);
    CHECK(text.failed && text.length == length);
    lg_text_add(&text, "more");
    CHECK(text.length == length);
    lg_text_free(&text);
    CHECK(!text.failed);
}

SUITE(text)
{
    RUN(sizes);
    RUN(counts);
    RUN(sizes_by_device);
    RUN(differences);
    RUN(points);
    RUN(numbers);
    RUN(fixed);
    RUN(json);
    RUN(html);
    RUN(url);
    RUN(growth);
    return test_result();
}
