/** Pictures in files: whole or not at all, and with colours for dark pages. */
#ifndef LEAKGRAPH_RENDER_PRIVATE_H
#define LEAKGRAPH_RENDER_PRIVATE_H

#include <leakgraph/base.h>
#include <leakgraph/text.h>

/** Writes a file as lg_graph_save does, or straight into a pipe or a device;
 *  "-" is standard output. */
lg_status lg__file_write(const char *path, const char *data, size_t length,
                         lg_error *err);

/** Adds a picture in SVG with the colours that a file of its own has where the
 *  reader prefers dark pages; as it is, if it is none. */
void lg__svg_add_file(lg_text *out, const lg_text *image);

#endif
