// The JSON that the writer produces, and the result of misuse.
#include <leakgraph/internal/json.h>
#include <leakgraph/internal/writing.h>

#include <locale.h>
#include <math.h>

#include "test.h"

static void
document(void)
{
    lg_text text = {0};
    lg_json json = {.out = &text};
    lg_json_object(&json, NULL);
    lg_json_string(&json, "a", "x\"\n\xff", 4);
    lg_json_string(&json, "none", NULL, 0);
    lg_json_name(&json, "cuda:0!", 6);
    lg_json_count(&json, NULL, UINT64_MAX);
    lg_json_array(&json, "list");
    lg_json_integer(&json, NULL, INT64_MIN);
    lg_json_integer(&json, NULL, 0);
    lg_json_bool(&json, NULL, true);
    lg_json_bool(&json, NULL, false);
    lg_json_null(&json, NULL);
    lg_json_object(&json, NULL);
    lg_json_end(&json);
    lg_json_array(&json, NULL);
    lg_json_end(&json);
    lg_json_end(&json);
    lg_json_end(&json);
    CHECK(lg_json_finish(&json, NULL) == LG_OK);
    CHECK_TEXT(text, "{\"a\": \"x\\\"\\n\xef\xbf\xbd\", \"none\": null, "
                     "\"cuda:0\": 18446744073709551615, "
                     "\"list\": [-9223372036854775808, 0, true, false, null, "
                     "{}, []]}\n");
    lg_text_free(&text);
}

// Numbers that bypass the writer leave the rest in order.
static void
bypass(void)
{
    lg_text text = {0};
    lg_json json = {.out = &text};
    lg_json_object(&json, NULL);
    lg_json_array(&json, "numbers");
    lg_text_add(&text, "1,2,3");
    lg_json_end(&json);
    lg_json_count(&json, "count", 3);
    lg_json_end(&json);
    CHECK(lg_json_finish(&json, NULL) == LG_OK);
    CHECK_TEXT(text, "{\"numbers\": [1,2,3], \"count\": 3}\n");
    lg_text_free(&text);
}

static void
lines(void)
{
    lg_text text = {0};
    lg_json json = {.out = &text};
    lg_json_object(&json, NULL);
    lg_json_lines(&json, "rows");
    for (uint64_t i = 0; i < 2; i++) {
        lg_json_object(&json, NULL);
        lg_json_count(&json, "i", i);
        lg_json_lines(&json, "inner");
        if (i > 0)
            lg_json_count(&json, NULL, 7);
        lg_json_end(&json);
        lg_json_end(&json);
    }
    lg_json_end(&json);
    lg_json_count(&json, "count", 2);
    lg_json_end(&json);
    CHECK(lg_json_finish(&json, NULL) == LG_OK);
    CHECK_TEXT(text, "{\"rows\": [\n"
                     "  {\"i\": 0, \"inner\": []},\n"
                     "  {\"i\": 1, \"inner\": [\n"
                     "    7\n"
                     "  ]}\n"
                     "], \"count\": 2}\n");
    lg_text_free(&text);
}

static void
expect_number(double number, const char *expected)
{
    lg_text text = {0};
    lg_json json = {.out = &text};
    lg_json_number(&json, NULL, number);
    CHECK(lg_json_finish(&json, NULL) == LG_OK);
    CHECK_TEXT(text, expected);
    lg_text_free(&text);
}

static void
check_numbers(void)
{
    expect_number(0.5, "0.5\n");
    expect_number(0.1, "0.1\n");
    expect_number(0.1 + 0.2, "0.30000000000000004\n");
    expect_number(1e300, "1e+300\n");
    expect_number(-12, "-12\n");
    expect_number((double)NAN, "null\n");
    expect_number((double)INFINITY, "null\n");
}

static void
numbers(void)
{
    check_numbers();
    if (setlocale(LC_ALL, "de_DE.UTF-8") || setlocale(LC_ALL, "de_DE.utf8"))
        check_numbers();
    setlocale(LC_ALL, "C");
}

// Mistakes that a caller can make.
enum {
    NAME_IN_ARRAY,
    NAMELESS_MEMBER,
    TWO_NAMES,
    NAME_WITHOUT_VALUE,
    SECOND_DOCUMENT,
    NAMED_DOCUMENT,
    END_OF_NOTHING,
    END_TOO_FEW,
    NOTHING,
    TOO_DEEP,
    MISTAKES
};

static void
make_mistake(lg_json *json, int mistake)
{
    if (mistake == NAME_IN_ARRAY)
        lg_json_array(json, NULL);
    else if (mistake <= NAME_WITHOUT_VALUE)
        lg_json_object(json, NULL);
    if (mistake == TWO_NAMES || mistake == NAME_WITHOUT_VALUE)
        lg_json_name(json, "a", 1);
    if (mistake == NAME_IN_ARRAY || mistake == TWO_NAMES)
        lg_json_null(json, "b");
    if (mistake == NAMELESS_MEMBER || mistake == SECOND_DOCUMENT)
        lg_json_null(json, NULL);
    if (mistake == SECOND_DOCUMENT)
        lg_json_null(json, NULL);
    if (mistake == NAMED_DOCUMENT)
        lg_json_object(json, "a");
    for (int i = 0; mistake == TOO_DEEP && i <= LG_JSON_DEPTH; i++)
        lg_json_array(json, NULL);
    if (mistake == END_TOO_FEW)
        lg_json_object(json, NULL);
    else
        lg_json_end(json);
    for (int i = 0; mistake == TOO_DEEP && i < LG_JSON_DEPTH; i++)
        lg_json_end(json);
}

static void
misuse(void)
{
    for (int mistake = 0; mistake < MISTAKES; mistake++) {
        lg_text text = {0};
        lg_error err;
        lg_json json = {.out = &text};
        lg_text_add(&text, "before");
        if (mistake != NOTHING)
            make_mistake(&json, mistake);
        CHECK(lg_json_finish(&json, &err) == LG_EINVAL);
        CHECK(strstr(err.message, "JSON") != NULL);
        CHECK_TEXT(text, "before");
        lg_text_free(&text);
    }
}

static void
deepest(void)
{
    lg_text text = {0};
    lg_json json = {.out = &text};
    for (int i = 0; i < LG_JSON_DEPTH; i++)
        lg_json_array(&json, NULL);
    for (int i = 0; i < LG_JSON_DEPTH; i++)
        lg_json_end(&json);
    CHECK(lg_json_finish(&json, NULL) == LG_OK);
    CHECK(text.length == 2 * LG_JSON_DEPTH + 1);
    lg_text_free(&text);
}

static void
no_memory(void)
{
    lg_text text = {0};
    lg_json json = {.out = &text};
    lg_json_array(&json, NULL);
    text.failed = true;
    lg_json_null(&json, NULL);
    lg_json_end(&json);
    CHECK(lg_json_finish(&json, NULL) == LG_ENOMEM);
    CHECK(text.length == 0);
    lg_text_free(&text);
}

SUITE(json)
{
    RUN(document);
    RUN(bypass);
    RUN(lines);
    RUN(numbers);
    RUN(misuse);
    RUN(deepest);
    RUN(no_memory);
    return test_result();
}
