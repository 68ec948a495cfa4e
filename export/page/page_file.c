// Writes pages to files.

#include "page/page_private.h"
#include "render/render_private.h"

static lg_status
save(lg_status status, lg_text *page, const char *path, lg_error *err)
{
    if (!status)
        status = lg__file_write(path, page->data, page->length, err);
    lg_text_free(page);
    return status;
}

lg_status
lg_page_save(const lg_analysis *analysis, const lg_page_options *options,
             const char *path, const lg_monitor *monitor, lg_error *err)
{
    lg_text page = {0};
    return save(lg_page_html(analysis, options, monitor, &page, err), &page,
                path, err);
}

lg_status
lg_page_ranks_save(const lg_ranks *ranks, const lg_page_options *options,
                   const char *path, lg_error *err)
{
    lg_text page = {0};
    return save(lg_page_ranks_html(ranks, options, &page, err), &page, path,
                err);
}
