// Files of samples, and when snapshots were taken.
#include "test.h"

#include <leakgraph/builder.h>
#include <leakgraph/internal/samples.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static lg_status
load(const char *text, lg_samples *out, lg_error *err)
{
    const char *path = "samples.csv";
    FILE *file = fopen(path, "w");
    REQUIRE(file);
    fputs(text, file);
    fclose(file);
    lg_status status = lg_samples_load(path, out, err);
    unlink(path);
    return status;
}

static void
test_columns(void)
{
    lg_samples got;
    lg_error err;
    CHECK(load("step,resident,time\r\n,100,5.25\r\n7,1e,6", &got, &err) ==
          LG_EFORMAT);
    CHECK(strstr(err.message, "line 3: a chart needs two samples"));
    CHECK(load("step,resident,time\r\n,100,5.25\r\n7,120,6\r\n8,13", &got,
               &err) == LG_OK);
    CHECK(got.count == 2 && got.resident[1] == 120);
    CHECK(got.time[0] > 5.24 && got.time[0] < 5.26);
    lg_samples_free(&got);
}

static void
test_mistakes(void)
{
    static const struct {
        const char *text;
        const char *says;
    } cases[] = {
        {"", "a chart needs two samples"},
        {"time,rss\n", "no columns `time` and `resident`"},
        {"time,resident\n1,2\n2\n", "line 3: the resident memory is no number"},
        {"time,resident\n1,2\n2,\n", "line 3: the resident memory is no"},
        {"time,resident\n1,2\n2,-4\n", "the resident memory is no number"},
        {"time,resident\nx,2\n", "line 2: the time is no number"},
        {"time,resident\n5,2\n4,2\n", "line 3: the time is before that"},
    };
    lg_samples got;
    lg_error err;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK(load(cases[i].text, &got, &err) == LG_EFORMAT);
        CHECK(strstr(err.message, cases[i].says));
    }
    CHECK(lg_samples_load("missing.csv", &got, &err) == LG_EIO);
}

static double
time_of(const char *time, const char *fraction)
{
    lg_builder *builder;
    lg_graph *graph;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    if (time)
        lg_builder_set_info(builder, "time", time);
    lg_builder_set_info(builder, "time.fraction", fraction);
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    double seconds = lg_graph_time(graph);
    lg_graph_free(graph);
    return seconds;
}

static bool
is_near(double one, double other)
{
    return one - other < 1e-3 && other - one < 1e-3;
}

static void
test_times(void)
{
    CHECK(is_near(time_of("1970-01-01T00:00:00Z", "000000"), 0));
    CHECK(is_near(time_of("2000-02-29T12:00:00Z", "500000"), 951825600.5));
    CHECK(is_near(time_of("2026-11-28T15:10:57Z", "250000"), 1795878657.25));
    CHECK(is_near(time_of("2027-03-01T00:00:00Z", ""), 1803859200));
    CHECK(is_near(time_of("2027-03-01T00:00:00Z", "1000000"), 1803859200));
    CHECK(is_near(time_of("2027-03-01T00:00:00Z", "9999999999999999999999999"),
                  1803859200));
    CHECK(is_near(time_of("2027-03-01T00:00:00Z", "0.5"), 1803859200));
    CHECK(time_of("20.7-03-01T00:00:00Z", "000000") < 0);
    CHECK(time_of(NULL, "000000") < 0);
    CHECK(time_of("yesterday", "000000") < 0);
}

SUITE(samples)
{
    RUN(test_columns);
    RUN(test_mistakes);
    RUN(test_times);
    return test_result();
}
