// What the text reports share.
#include "report.h"

void
lg__text_add_string(lg_text *out, lg_string string)
{
    lg_text_add_bytes(out, string.data, string.length);
}

void
lg__text_add_json_string(lg_text *out, lg_string string)
{
    lg_text_add_json(out, string.data, string.length);
}

size_t
lg__text_width(const lg_text *out, size_t start)
{
    size_t width = 0;
    for (size_t i = start; i < out->length; i++)
        width += ((unsigned char)out->data[i] & 0xc0) != 0x80;
    return width;
}

void
lg__text_pad(lg_text *out, size_t start, size_t width)
{
    size_t used = lg__text_width(out, start);
    do
        lg_text_add(out, " ");
    while (++used < width && !out->failed);
}

lg_status
lg__report_finish(lg_text *report, lg_text *out, lg_error *err)
{
    if (!report->failed)
        lg_text_add_bytes(out, report->data ? report->data : "",
                          report->length);
    bool failed = report->failed || out->failed;
    lg_text_free(report);
    return failed ? lg__error_memory(err) : LG_OK;
}
