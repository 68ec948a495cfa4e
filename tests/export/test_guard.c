// Whom the guard lets in, and what it reads of a question.

#include "serve/guard.h"
#include "serve/request.h"
#include "test.h"

static const char token[] = "0123456789abcdef0123456789abcdef";

static unsigned
guarded(const char *method, const char *path, const char *host)
{
    const char *page = NULL;
    lg__hello hello = {.method = method, .path = path, .host = host};
    unsigned status = lg__guard_check(&hello, token, &page);
    CHECK((status == 0) == (page != NULL));
    return status;
}

static void
test_guard(void)
{
    static const char right[] = "/0123456789abcdef0123456789abcdef/object";
    static const char *const wrong[] = {
        "",
        "/",
        "*",
        "/0123456789abcdef0123456789abcdef",
        "/0123456789abcdef0123456789abcde/",
        "/0123456789abcdef0123456789abcdeg/",
        "/1123456789abcdef0123456789abcdef/",
        "/0123456789abcdef0123456789abcdefobject",
        "//0123456789abcdef0123456789abcdef/",
        "/../0123456789abcdef0123456789abcdef/",
        "http://localhost/0123456789abcdef0123456789abcdef/"};
    static const char *const hosts[] = {
        "localhost", "127.0.0.1:80", "LOCALHOST:8000", "[::1]:1", "127.0.0.1"};
    static const char *const others[] = {
        NULL,          "",           "example.org",  "localhost.example.org",
        "127.0.0.1.x", "localhost:", "localhost:8x", "127.0.0.11",
        "[::1]x"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK(guarded("GET", wrong[i], "localhost") == 404);
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++)
        CHECK(guarded("GET", right, hosts[i]) == 0);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        CHECK(guarded("GET", right, others[i]) == 403);
    CHECK(guarded("POST", right, "localhost") == 405);
    CHECK(guarded("get", right, "localhost") == 405);
    lg__hello hello = {
        .method = "GET", .path = right, .host = "localhost", .length = "0"};
    const char *page = NULL;
    CHECK(lg__guard_check(&hello, token, &page) == 0);
    CHECK(!strcmp(page, "object"));
    hello.length = "1";
    CHECK(lg__guard_check(&hello, token, &page) == 400);
    hello.length = NULL;
    hello.encoding = "chunked";
    CHECK(lg__guard_check(&hello, token, &page) == 400);
}

static void
test_token(void)
{
    char one[LG__TOKEN_LENGTH + 1];
    char two[LG__TOKEN_LENGTH + 1];
    REQUIRE(lg__token_new(one) && lg__token_new(two));
    CHECK(strlen(one) == LG__TOKEN_LENGTH && strcmp(one, two));
    CHECK(strspn(one, "0123456789abcdef") == LG__TOKEN_LENGTH);
}

static void
test_request(void)
{
    static const char *const words[] = {"a", "b"};
    lg__request request = {.page = "p",
                           .pairs = {{"x", "17"},
                                     {"y", "18446744073709551616"},
                                     {"z", ""},
                                     {"x", "18"},
                                     {"w", "b"},
                                     {"&", "-1"}},
                           .count = 6};
    uint64_t number = 0;
    unsigned choice = 0;
    lg_text text = {0};
    CHECK(lg__request_number(&request, "x", 17, 0, &number) && number == 17);
    CHECK(!lg__request_number(&request, "x", 16, 0, &number));
    CHECK(!lg__request_number(&request, "x", 3, 0, &number));
    CHECK(!lg__request_number(&request, "y", UINT64_MAX, 0, &number));
    CHECK(!lg__request_number(&request, "&", UINT64_MAX, 0, &number));
    CHECK(lg__request_number(&request, "z", 9, 5, &number) && number == 5);
    CHECK(lg__request_number(&request, "no", 9, 6, &number) && number == 6);
    CHECK(lg__request_choice(&request, "w", words, 2, &choice) && choice == 1);
    CHECK(lg__request_choice(&request, "no", words, 2, &choice) && choice == 0);
    CHECK(!lg__request_choice(&request, "x", words, 2, &choice));
    lg__request_write(&request, &text);
    CHECK_TEXT(text, "p?x=17&y=18446744073709551616&z=&x=18&w=b&%26=-1");
    lg_text_free(&text);
}

SUITE(guard)
{
    RUN(test_guard);
    RUN(test_token);
    RUN(test_request);
    return test_result();
}
