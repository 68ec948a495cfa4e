// The report page as a file.

#include "page/page.h"
#include "render/picture_file.h"

lg_status
lg_page_save(const lg_analysis *analysis, const lg_page_options *options,
             const char *path, const lg_monitor *monitor, lg_error *err)
{
    lg_text page = {0};
    lg_status status = lg_page_html(analysis, options, monitor, &page, err);
    if (!status)
        status = lg__file_write(path, page.data, page.length, err);
    lg_text_free(&page);
    return status;
}
