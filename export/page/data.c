// Writes the data of the page, for its script and for other programs.

#include "page/page_private.h"

#include <string.h>

// Keeps the data from ending its element. In JSON, only strings contain `<`.
static void
add_escaped(const lg_text *json, lg_text *out)
{
    const char *end = json->data + json->length;
    for (const char *at = json->data; at < end;) {
        const char *found = memchr(at, '<', (size_t)(end - at));
        lg_text_add_bytes(out, at, (size_t)((found ? found : end) - at));
        if (found)
            lg_text_add(out, "\\u003c");
        at = found ? found + 1 : end;
    }
}

lg_status
lg__page_add_data(lg__page *page, lg_error *err)
{
    lg_text text = {0};
    lg_json json = {.out = &text};
    lg_json_object(&json, NULL);
    lg_json_count(&json, "version", 1);
    if (page->served)
        lg_json_string(&json, "objects", lg__page_links.node,
                       strlen(lg__page_links.node));
    lg_status status = lg__page_write_map(page, &json, err);
    lg_json_end(&json);
    if (!status)
        status = lg_json_finish(&json, err);
    if (!status) {
        lg_text_add(page->out,
                    "<script type=\"application/json\" id=\"data\">");
        add_escaped(&text, page->out);
        lg_text_add(page->out, "</script>\n");
    }
    lg_text_free(&text);
    return status;
}
