// The colours that a picture has on a dark page. Those of the report page are
// the same (page.css).
#include <leakgraph/internal/renderers.h>
#include <leakgraph/internal/writing.h>

#include <stdlib.h>
#include <string.h>

// What a rule is about, below the picture, and what it says. A later rule is
// stronger than one before it.
static const struct {
    const char *selector;
    const char *colours;
} rules[] = {
    {"", "background:#0d1117"},
    {">g>polygon:first-of-type", "fill:#0d1117"},
    {" text", "fill:#e6edf3"},
    {" text[fill=\"#57606a\"]", "fill:#9aa4af"},
    {" text[fill=\"#8c959f\"]", "fill:#9aa4af"},
    {" text[fill=\"#bc4c00\"]", "fill:#ffa657"},
    {" polygon[fill=\"#bc4c00\"]", "fill:#ffa657"},
    {" text[fill=\"#cf222e\"]", "fill:#ff7b72"},
    {" text[fill=\"white\"]", "fill:#fff"},
    {" [fill=\"white\"]:not(text)", "fill:#161b22"},
    {" [fill=\"#f6f8fa\"]", "fill:#161b22"},
    {" [fill=\"#ddf4ff\"]", "fill:#0c2d4d"},
    {" [fill=\"#f3faff\"]", "fill:#0c2d4d"},
    {" [fill=\"#dafbe1\"]", "fill:#12351f"},
    {" [fill=\"#fbefff\"]", "fill:#2f1f4a"},
    {" [fill=\"#fff8c5\"]", "fill:#3b2f05"},
    {" [fill=\"#ffeff7\"]", "fill:#42182d"},
    {" [fill=\"#ffebe9\"]", "fill:#4a1a17"},
    {" [fill=\"#e1f7f5\"]", "fill:#0c3b3a"},
    {" [fill=\"#fff1e5\"]", "fill:#3a2410"},
    {" [fill=\"#1f2328\"]:not(text)", "fill:#3b434d"},
    {" [stroke=\"#bc4c00\"]", "stroke:#ffa657"},
    {" [stroke=\"#1f2328\"]", "stroke:#9aa4af"},
    {" [stroke=\"#57606a\"]", "stroke:#9aa4af"},
    {" [stroke=\"#d0d7de\"]", "stroke:#57606a"},
    {" [stroke=\"black\"]", "stroke:#9aa4af"},
    {" polygon[fill=\"#57606a\"]", "fill:#9aa4af"},
    {" polygon[fill=\"#d0d7de\"]", "fill:#57606a"},
};

static void
add_rules(lg_text *out, const char *picture)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        lg_text_addf(out, "%s%s{%s}", picture, rules[i].selector,
                     rules[i].colours);
}

// A file is dark where the reader wants all pages dark.
static void
add_file_style(lg_text *out)
{
    lg_text_add(out, "<style>@media (prefers-color-scheme:dark){");
    add_rules(out, "svg");
    lg_text_add(out, "}</style>\n");
}

// A notebook has a theme of its own, whatever the reader wants of other pages:
// these are what JupyterLab, VS Code and Colab write into a page that is dark.
// The rules must not hold for the other pictures of the page.
static void
add_notebook_style(lg_text *out)
{
    lg_text_add(out, "<style>");
    add_rules(out, ":is([data-jp-theme-light=false],"
                   "[data-vscode-theme-kind=vscode-dark],"
                   "[data-vscode-theme-kind=vscode-high-contrast],"
                   "html[theme=dark]) svg.leakgraph");
    lg_text_add(out, "</style>\n");
}

// A picture shrinks with the cell of a notebook, but not so far that nobody can
// read it: in a narrower cell, it scrolls. Its width is in points, of which a
// pixel of a page has three quarters.
static void
add_size(lg_text *out, const char *svg)
{
    static const char width[] = " width=\"";
    const double least = 0.6;
    const char *found = strstr(svg, width);
    double pixels = found ? strtod(found + sizeof width - 1, NULL) * 4 / 3 : 0;
    lg_text_addf(out,
                 "<svg class=\"leakgraph\" style=\"max-width:100%%;"
                 "min-width:%dpx;height:auto\"",
                 (int)(pixels * least));
}

void
lg_svg_add(lg_text *out, const char *image, bool inlined)
{
    const char *svg = strstr(image, "<svg");
    const char *end = svg ? strchr(svg, '>') : NULL;
    const char *rest = inlined && svg ? svg + strlen("<svg") : image;
    if (end == NULL) {
        lg_text_add(out, inlined ? "" : image);
        return;
    }
    if (inlined)
        add_size(out, svg);
    lg_text_add_bytes(out, rest, (size_t)(end + 1 - rest));
    (inlined ? add_notebook_style : add_file_style)(out);
    lg_text_add(out, end + 1);
}
