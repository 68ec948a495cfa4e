// Places as stacks: folded lines, and speedscope's samples.
#include "formats/formats.h"

#include <leakgraph/internal/writing.h>

#include <string.h>

enum { DEEPEST = 1 << 12 };

// Returns the bytes of a place's members on all devices.
static uint64_t
place_own(const lg_places *places, const lg_place *place)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i <= lg_places_device_count(places); i++)
        sum += place->own[i];
    return sum;
}

// Lists a place and those above it, the uppermost last.
static uint32_t
list_stack(const lg_places *places, uint32_t index, uint32_t *stack)
{
    uint32_t depth = 0;
    for (; index != LG_NONE && depth < DEEPEST;
         index = lg_places_at(places, index).parent)
        stack[depth++] = index;
    return depth;
}

// A semicolon ends each frame, and a space ends the stack.
static void
close_frame(lg__stream *out, size_t start)
{
    for (size_t i = start; i < out->text.length; i++)
        if (out->text.data[i] == ';' || out->text.data[i] == '\n')
            out->text.data[i] = ',';
}

static void
add_frame(lg__stream *out, const lg_place *place)
{
    size_t start = out->text.length;
    lg_place_step_format(place, &out->text);
    close_frame(out, start);
}

// Writes frames of an allocation, the outermost first.
static void
add_lines(lg__stream *out, lg_string frames)
{
    lg_string all[DEEPEST];
    uint32_t count = 0;
    while (frames.length > 0 && count < DEEPEST)
        all[count++] = lg_allocation_frame(&frames);
    while (count-- > 0) {
        size_t start = out->text.length;
        lg_text_add_bytes(&out->text, all[count].data, all[count].length);
        close_frame(out, start);
        lg_text_add(&out->text, ";");
    }
}

// Writes the frames of a place, and then the bytes of the stack that ends
// there.
static void
end_stack(lg__stream *out, const lg_places *places, uint32_t index,
          uint64_t bytes)
{
    uint32_t stack[DEEPEST];
    for (uint32_t depth = list_stack(places, index, stack); depth-- > 0;) {
        lg_place step = lg_places_at(places, stack[depth]);
        add_frame(out, &step);
        lg_text_add(&out->text, depth > 0 ? ";" : " ");
    }
    lg__stream_number(out, bytes);
    lg_text_add(&out->text, "\n");
}

static void
write_allocations(lg__stream *out, const lg_allocation_stacks *stacks)
{
    for (size_t i = 0; i < stacks->count; i++) {
        const lg_allocation_stack *stack = &stacks->items[i];
        if (stack->weight == 0 || !lg__stream_step(out, i, stacks->count))
            continue;
        add_lines(out, stack->frames);
        end_stack(out, stacks->places, stack->place, stack->weight);
    }
}

const lg__format lg__allocations = {
    .name = "allocations",
    .suffix = ".allocations.folded",
    .write_stacks = write_allocations,
};

static void
write_folded(lg__stream *out, const lg_places *places)
{
    uint32_t count = lg_places_count(places);
    for (uint32_t i = 0; i < count && lg__stream_step(out, i, count); i++) {
        lg_place place = lg_places_at(places, i);
        uint64_t own = place_own(places, &place);
        if (own > 0)
            end_stack(out, places, i, own);
    }
}

const lg__format lg__folded = {
    .name = "folded",
    .suffix = ".folded",
    .write_places = write_folded,
};

static void
add_word(lg_json *json, const char *name, const char *word)
{
    lg_json_string(json, name, word, strlen(word));
}

static void
write_frames(lg_json *json, lg__stream *out, const lg_places *places)
{
    uint32_t count = lg_places_count(places);
    lg_text frame = {0};
    lg_json_lines(json, "frames");
    for (uint32_t i = 0; i < count && lg__stream_next(out); i++) {
        lg_place place = lg_places_at(places, i);
        frame.length = 0;
        lg_place_step_format(&place, &frame);
        out->text.failed |= frame.failed;
        lg_json_object(json, NULL);
        lg_json_string(json, "name", frame.data, frame.length);
        lg_json_end(json);
    }
    lg_json_end(json);
    lg_text_free(&frame);
}

// Writes the stacks of all places that have bytes on the device. Returns their
// sum.
static uint64_t
write_samples(lg_json *json, lg__stream *out, const lg_places *places,
              uint32_t device)
{
    uint32_t stack[DEEPEST];
    uint64_t sum = 0;
    lg_json_lines(json, "samples");
    for (uint32_t i = 0; i < lg_places_count(places); i++) {
        uint64_t own = lg_places_at(places, i).own[device];
        if (own == 0 || !lg__stream_next(out))
            continue;
        lg_json_array(json, NULL);
        for (uint32_t depth = list_stack(places, i, stack); depth-- > 0;)
            lg_json_count(json, NULL, stack[depth]);
        lg_json_end(json);
        sum += own;
    }
    lg_json_end(json);
    return sum;
}

static void
write_weights(lg_json *json, lg__stream *out, const lg_places *places,
              uint32_t device)
{
    lg_json_array(json, "weights");
    for (uint32_t i = 0; i < lg_places_count(places); i++) {
        uint64_t own = lg_places_at(places, i).own[device];
        if (own > 0 && lg__stream_next(out))
            lg_json_count(json, NULL, own);
    }
    lg_json_end(json);
}

static void
write_profile(lg_json *json, lg__stream *out, const lg_places *places,
              uint32_t device)
{
    lg_string name = lg_places_device_name(places, device);
    lg_json_object(json, NULL);
    add_word(json, "type", "sampled");
    add_word(json, "unit", "bytes");
    lg_json_count(json, "startValue", 0);
    lg_json_string(json, "name", name.data, name.length);
    uint64_t sum = write_samples(json, out, places, device);
    write_weights(json, out, places, device);
    lg_json_count(json, "endValue", sum);
    lg_json_end(json);
}

static void
write_speedscope(lg__stream *out, const lg_places *places)
{
    lg_json json = {.out = &out->text};
    lg_json_object(&json, NULL);
    add_word(&json, "$schema",
             "https://www.speedscope.app/file-format-schema.json");
    add_word(&json, "exporter", "leakgraph");
    lg_json_count(&json, "activeProfileIndex", 0);
    lg_json_object(&json, "shared");
    write_frames(&json, out, places);
    lg_json_end(&json);
    lg_json_array(&json, "profiles");
    for (uint32_t i = 0; i <= lg_places_device_count(places); i++)
        write_profile(&json, out, places, i);
    lg_json_end(&json);
    lg_json_end(&json);
    lg__stream_json(out, &json);
}

const lg__format lg__speedscope = {
    .name = "speedscope",
    .suffix = ".speedscope.json",
    .write_places = write_speedscope,
};
