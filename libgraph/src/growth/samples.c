// Reads samples of a process's memory, and the times of snapshots.
#include "growth/growth_private.h"

#include <leakgraph/internal/samples.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NO_COLUMN = -1 };

typedef struct reading {
    const char *path;
    int time;     // columns, from 0
    int resident; //
    size_t line;  // from 1
    lg_samples out;
    lg_error *err;
} reading;

static lg_status
fail(const reading *to, const char *what)
{
    return lg_error_set(to->err, LG_EFORMAT,
                        "%.300s, line %zu: %s; samples are what "
                        "watch(samples=...) and attach --samples write",
                        to->path, to->line, what);
}

// Reads digits with a point, whatever the locale has for a point.
static bool
read_number(const char *text, size_t length, double *out)
{
    double number = 0;
    double unit = 0;
    size_t digits = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '.' && unit <= 0) {
            unit = 1;
            continue;
        }
        if (text[i] < '0' || text[i] > '9')
            return false;
        unit /= 10;
        number = unit > 0 ? number + (text[i] - '0') * unit
                          : 10 * number + (text[i] - '0');
        digits++;
    }
    *out = number;
    return digits > 0;
}

// Returns where the value of a column begins, and its length; NULL: there is
// none.
static const char *
find_value(const char *line, int column, size_t *length)
{
    while (column-- > 0) {
        line = strchr(line, ',');
        if (line == NULL)
            return NULL;
        line++;
    }
    *length = strcspn(line, ",\r\n");
    return line;
}

static int
find_column(const char *line, const char *name)
{
    size_t length;
    const char *value;
    for (int i = 0; (value = find_value(line, i, &length)) != NULL; i++)
        if (length == strlen(name) && memcmp(value, name, length) == 0)
            return i;
    return NO_COLUMN;
}

static lg_status
take_names(reading *to, const char *line)
{
    to->time = find_column(line, "time");
    to->resident = find_column(line, "resident");
    if (to->time == NO_COLUMN || to->resident == NO_COLUMN)
        return fail(to, "there are no columns `time` and `resident`");
    return LG_OK;
}

static lg_status
take_sample(reading *to, const char *line)
{
    size_t length;
    double time, resident;
    lg_samples *out = &to->out;
    const char *value = find_value(line, to->time, &length);
    if (value == NULL || !read_number(value, length, &time))
        return fail(to, "the time is no number of seconds");
    value = find_value(line, to->resident, &length);
    if (value == NULL || !read_number(value, length, &resident) ||
        resident > 9e18)
        return fail(to, "the resident memory is no number of bytes");
    if (out->count > 0 && time < out->time[out->count - 1])
        return fail(to, "the time is before that of the line above");
    if (!lg__array_room(&out->time, out->count, sizeof *out->time) ||
        !lg__array_room(&out->resident, out->count, sizeof *out->resident))
        return lg__error_memory(to->err);
    out->time[out->count] = time;
    out->resident[out->count++] = (uint64_t)resident;
    return LG_OK;
}

static lg_status
read_lines(reading *to, FILE *file)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    lg_status status = LG_OK;
    while (status == LG_OK && (length = getline(&line, &room, file)) > 0) {
        to->line++;
        if (line[length - 1] != '\n')
            break;
        status = to->line == 1 ? take_names(to, line) : take_sample(to, line);
    }
    free(line);
    if (status == LG_OK && ferror(file))
        status = lg_error_set(to->err, LG_EIO, "cannot read %.300s: %s",
                              to->path, strerror(errno));
    if (status == LG_OK && to->out.count < 2)
        status = fail(to, "a chart needs two samples or more");
    return status;
}

lg_status
lg_samples_load(const char *path, lg_samples *out, lg_error *err)
{
    reading to = {.path = path, .err = err};
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return lg_error_set(err, LG_EIO, "cannot open %.300s: %s", path,
                            strerror(errno));
    lg_status status = read_lines(&to, file);
    fclose(file);
    if (status == LG_OK)
        *out = to.out;
    else
        lg_samples_free(&to.out);
    return status;
}

void
lg_samples_free(lg_samples *samples)
{
    lg__free(samples->time);
    lg__free(samples->resident);
    *samples = (lg_samples){0};
}

static bool
read_part(lg_string text, uint32_t at, uint32_t length, int64_t *out)
{
    uint64_t number;
    if (at + length > text.length ||
        !lg__decimal_read((lg_string){text.data + at, length}, &number))
        return false;
    *out = (int64_t)number;
    return true;
}

// The days from 1970 to a date of the Gregorian calendar, counted in years that
// begin in March, so that a leap day is the last of its year. (153 m + 2) / 5
// days come before the month m from March on, and 719468 days lie between the
// first of March of the year 0 and 1970.
static int64_t
days_of(int64_t year, int64_t month, int64_t day)
{
    year -= month <= 2;
    int64_t era = year / 400;
    int64_t of_era = year - 400 * era;
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year -
           719468;
}

enum { MICROSECONDS = 1000000 }; // of a second

// Reads 2026-11-28T15:10:57Z and its microseconds, which no damaged file makes
// more than a second.
static double
read_time(lg_string time, lg_string fraction)
{
    static const struct {
        uint32_t at;
        uint32_t length;
    } parts[] = {{0, 4}, {5, 2}, {8, 2}, {11, 2}, {14, 2}, {17, 2}};
    enum { YEAR, MONTH, DAY, HOUR, MINUTE, SECOND, PARTS };
    int64_t part[PARTS];
    for (size_t i = 0; i < PARTS; i++)
        if (!read_part(time, parts[i].at, parts[i].length, &part[i]))
            return -1;
    uint64_t micro = 0;
    if (!lg__decimal_read(fraction, &micro) || micro >= MICROSECONDS)
        micro = 0;
    int64_t days = days_of(part[YEAR], part[MONTH], part[DAY]);
    int64_t minutes = (days * 24 + part[HOUR]) * 60 + part[MINUTE];
    return (double)(minutes * 60 + part[SECOND]) + (double)micro / MICROSECONDS;
}

double
lg_graph_time(const lg_graph *graph)
{
    return read_time(lg_graph_info_find(graph, "time"),
                     lg_graph_info_find(graph, "time.fraction"));
}

double
lg_summary_time(const lg_summary *summary)
{
    return read_time(lg__summary_text(summary, "time"),
                     lg__summary_text(summary, "time.fraction"));
}
