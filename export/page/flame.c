// Draws what each line has allocated, and below each line who holds it.
//
// The frames are a tree: of all bytes, of lines, and of the steps of the places
// that hold what the line has allocated. Frames of one line follow each other,
// so a table from places to frames serves one line after the other.

#include "page/page_private.h"

#include <leakgraph/internal/allocations.h>
#include <leakgraph/internal/wording.h>
#include <leakgraph/internal/writing.h>
#include <stdlib.h>
#include <string.h>

// The drawing, in units of its view box. Narrower frames are not drawn.
enum { WIDTH = 1000, ROW = 19, DEEPEST = 14, NARROWEST = 2, LEAST_TEXT = 28 };
enum { NONE = 0 };

// A frame; the first one is all bytes.
typedef struct frame {
    uint32_t parent;
    uint32_t child; // the biggest; NONE
    uint32_t next;  // the next smaller one beside it; NONE
    uint32_t place; // LG_NONE: a line
    uint32_t depth;
    lg_string line;
    uint64_t bytes;
} frame;

typedef struct flame {
    lg__page *page;
    lg_allocation_stacks stacks;
    frame *frames;
    uint32_t count;
    uint32_t capacity;
    uint32_t *frame_of; // [place] its frame below the last line; NONE
    double *left;       // [frame]
    uint32_t narrow;    // lines that are too narrow to draw, and their bytes
    uint64_t narrow_bytes;
} flame;

static uint32_t
add_frame(flame *of, frame made)
{
    if (of->count == of->capacity) {
        uint32_t capacity = of->capacity ? 2 * of->capacity : 256;
        frame *frames = realloc(of->frames, capacity * sizeof *frames);
        if (!frames)
            return NONE;
        of->frames = frames;
        of->capacity = capacity;
    }
    of->frames[of->count] = made;
    return of->count++;
}

// Makes the frames of a place and of those above it that have none yet. NONE:
// memory ran out.
static uint32_t
frame_of_place(flame *of, uint32_t line, uint32_t place)
{
    uint32_t missing[1 << 12];
    uint32_t count = 0;
    for (; place != LG_NONE && of->frame_of[place] <= line &&
           count < sizeof missing / sizeof *missing;
         place = lg_places_at(of->stacks.places, place).parent)
        missing[count++] = place;
    uint32_t at = place == LG_NONE || of->frame_of[place] <= line
                      ? line
                      : of->frame_of[place];
    while (count-- > 0) {
        at = add_frame(of, (frame){.parent = at,
                                   .place = missing[count],
                                   .depth = of->frames[at].depth + 1});
        if (at == NONE)
            return NONE;
        of->frame_of[missing[count]] = at;
    }
    return at;
}

static bool
is_line(const frame *of, lg_string line)
{
    return of->line.length == line.length &&
           memcmp(of->line.data, line.data, line.length) == 0;
}

// Returns whether there was memory for all frames.
static bool
add_stacks(flame *of)
{
    uint32_t line = NONE;
    add_frame(of, (frame){.place = LG_NONE});
    for (size_t i = 0; i < of->stacks.count && of->frames; i++) {
        const lg_allocation_stack *stack = &of->stacks.items[i];
        if (line == NONE || !is_line(&of->frames[line], stack->line))
            line = add_frame(
                of, (frame){.place = LG_NONE, .depth = 1, .line = stack->line});
        uint32_t at =
            line == NONE ? NONE : frame_of_place(of, line, stack->place);
        if (at == NONE)
            return false;
        for (;; at = of->frames[at].parent) {
            of->frames[at].bytes += stack->weight;
            if (at == 0)
                break;
        }
    }
    return of->frames != NULL;
}

// Puts each frame among those beside it, the biggest first.
static void
link_frames(flame *of)
{
    for (uint32_t i = 1; i < of->count; i++) {
        frame *made = &of->frames[i];
        if (made->bytes * WIDTH < of->frames[0].bytes * NARROWEST) {
            of->narrow += made->depth == 1;
            of->narrow_bytes += made->depth == 1 ? made->bytes : 0;
            continue;
        }
        uint32_t *at = &of->frames[made->parent].child;
        while (*at != NONE && of->frames[*at].bytes >= made->bytes)
            at = &of->frames[*at].next;
        made->next = *at;
        *at = i;
    }
}

static void
add_name(const flame *of, const frame *made, lg_text *out)
{
    if (made->place != LG_NONE) {
        lg_place place = lg_places_at(of->stacks.places, made->place);
        bool is_shared = place.kind == LG_PLACE_SEVERAL;
        lg_text_add(out, is_shared ? "shared: " : "");
        place.kind = is_shared ? LG_PLACE_NAMED : place.kind;
        lg_place_step_format(&place, out);
    } else if (made->depth > 0)
        lg_text_add_bytes(out, made->line.data, made->line.length);
    else
        lg_text_add(out, "all objects whose line is known");
}

// A box of the drawing.
typedef struct box {
    double left;
    uint32_t depth;
    uint64_t bytes;
    const char *class;
    const char *name;  // in full
    const char *shown; // in the box, if there is room
} box;

static void
draw_box(const flame *of, const box *drawn)
{
    lg_text *out = of->page->out;
    double width =
        (double)drawn->bytes / (double)of->frames[0].bytes * (double)WIDTH;
    lg_text_add(out, "<svg x=\"");
    lg_text_add_fixed(out, drawn->left, 1);
    lg_text_addf(out, "\" y=\"%u\" height=\"%d\" width=\"",
                 (unsigned)drawn->depth * ROW, ROW - 1);
    lg_text_add_fixed(out, width > 0.5 ? width - 0.5 : 0, 1);
    lg_text_add(out, "\"><title>");
    lg_text_add_html(out, drawn->name, strlen(drawn->name));
    lg_text_add(out, "\n");
    lg_text_add_size(out, drawn->bytes);
    lg_text_addf(out,
                 "</title><rect class=\"%s\" width=\"100%%\" "
                 "height=\"100%%\"/>",
                 drawn->class);
    if (width >= LEAST_TEXT) {
        lg_text_add(out, "<text x=\"4\" y=\"13\">");
        lg_text_add_html(out, drawn->shown, strlen(drawn->shown));
        lg_text_add(out, "</text>");
    }
    lg_text_add(out, "</svg>");
}

// The end of `/srv/train.py:42` says the most.
static const char *
end_of_path(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash ? slash + 1 : name;
}

static void
draw_frame(const flame *of, uint32_t index)
{
    const frame *made = &of->frames[index];
    lg_text name = {0};
    add_name(of, made, &name);
    const char *text = name.data ? name.data : "";
    draw_box(
        of, &(box){.left = of->left[index],
                   .depth = made->depth,
                   .bytes = made->bytes,
                   .class = made->place != LG_NONE ? "held"
                            : made->depth > 0      ? "line"
                                                   : "all",
                   .name = text,
                   .shown = made->place == LG_NONE ? end_of_path(text) : text});
    of->page->out->failed |= name.failed;
    lg_text_free(&name);
}

// Draws one box for all lines that have none.
static void
draw_narrow(const flame *of)
{
    lg_text name = {0};
    double part = (double)of->narrow_bytes / (double)of->frames[0].bytes;
    if (of->narrow == 0)
        return;
    lg_text_add_count(&name, of->narrow);
    lg_text_addf(&name, " more line%s", of->narrow == 1 ? "" : "s");
    const char *text = name.data ? name.data : "";
    draw_box(of, &(box){.left = (double)WIDTH * (1 - part),
                        .depth = 1,
                        .bytes = of->narrow_bytes,
                        .class = "all",
                        .name = text,
                        .shown = text});
    of->page->out->failed |= name.failed;
    lg_text_free(&name);
}

// Draws all frames, each before those below it, and returns the greatest depth.
static uint32_t
draw_frames(const flame *of)
{
    uint32_t deepest = 0;
    uint32_t at = 0;
    for (;;) {
        const frame *made = &of->frames[at];
        double left = of->left[at];
        draw_frame(of, at);
        deepest = made->depth > deepest ? made->depth : deepest;
        for (uint32_t child = made->child; child != NONE;
             child = of->frames[child].next) {
            of->left[child] = left;
            left += (double)of->frames[child].bytes /
                    (double)of->frames[0].bytes * (double)WIDTH;
        }
        if (made->child != NONE && made->depth + 1 < DEEPEST) {
            at = made->child;
            continue;
        }
        while (at != 0 && of->frames[at].next == NONE)
            at = of->frames[at].parent;
        if (at == 0)
            return deepest;
        at = of->frames[at].next;
    }
}

static void
draw(const flame *of)
{
    lg_text frames = {0};
    lg_text *out = of->page->out;
    of->page->out = &frames;
    uint32_t deepest = draw_frames(of);
    draw_narrow(of);
    of->page->out = out;
    lg_text_addf(out,
                 "<p class=\"note\">Each box of the second row is a line, and "
                 "the boxes below it lead to what holds what it has "
                 "allocated.</p><div class=\"table\" tabindex=\"0\">"
                 "<svg class=\"flame\" viewBox=\"0 0 %d %u\" role=\"img\" "
                 "aria-label=\"Bytes by the line that allocated them, and by "
                 "holder; the table below has the same\">",
                 WIDTH, (unsigned)(deepest + 1) * ROW);
    lg_text_add_bytes(out, frames.data, frames.length);
    lg_text_add(out, "</svg></div>\n");
    out->failed |= frames.failed;
    lg_text_free(&frames);
}

lg_status
lg__page_draw_allocations(lg__page *page, lg_error *err)
{
    flame of = {.page = page};
    lg_status status = lg_analysis_allocation_stacks(
        page->analysis, NULL, page->monitor, &of.stacks, err);
    if (status)
        return status;
    of.frame_of = calloc((size_t)lg_places_count(of.stacks.places) + 1,
                         sizeof *of.frame_of);
    bool enough = of.frame_of && add_stacks(&of);
    of.left = enough ? calloc(of.count, sizeof *of.left) : NULL;
    if (of.left && of.frames[0].bytes > 0) {
        link_frames(&of);
        draw(&of);
    }
    status = of.left ? LG_OK : lg_error_set(err, LG_ENOMEM, "memory ran out");
    free(of.left);
    free(of.frame_of);
    free(of.frames);
    lg_allocation_stacks_free(&of.stacks);
    return status;
}
