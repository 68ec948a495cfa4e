// Places as a profile of pprof: profile.proto of github.com/google/pprof, in
// the wire format of Protocol Buffers, which the stream compresses.
#include "formats/formats.h"

#include <leakgraph/internal/writing.h>

// Fields of the messages.
enum { PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_LOCATION = 4 };
enum { PROFILE_FUNCTION = 5, PROFILE_STRING = 6, PROFILE_DEFAULT_TYPE = 14 };
enum { TYPE_NAME = 1, TYPE_UNIT = 2 };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2 };
enum { LOCATION_ID = 1, LOCATION_LINE = 4, LINE_FUNCTION = 1 };
enum { FUNCTION_ID = 1, FUNCTION_NAME = 2 };

enum { NUMBER = 0, BYTES = 2 }; // wire types

// The first strings of the table: "" must be the first.
enum { STRING_EMPTY, STRING_OBJECTS, STRING_COUNT, STRING_BYTES, STRING_FIRST };

static void
add_varint(lg_text *out, uint64_t value)
{
    do {
        char byte = (char)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        lg_text_add_bytes(out, &byte, 1);
    } while ((value >>= 7) > 0);
}

static void
add_number(lg_text *out, unsigned field, uint64_t value)
{
    add_varint(out, field << 3 | NUMBER);
    add_varint(out, value);
}

static void
add_bytes(lg_text *out, unsigned field, const char *data, size_t length)
{
    add_varint(out, field << 3 | BYTES);
    add_varint(out, length);
    lg_text_add_bytes(out, data, length);
}

// Adds a message to the file, and empties it for the next one.
static void
add_message(lg__stream *out, unsigned field, lg_text *message)
{
    out->text.failed |= message->failed;
    add_bytes(&out->text, field, message->data ? message->data : "",
              message->length);
    message->length = 0;
}

static void
add_string(lg__stream *out, const char *data, size_t length)
{
    add_bytes(&out->text, PROFILE_STRING, data, length);
}

// The names of devices come after the first strings.
static void
write_types(lg__stream *out, const lg_places *places, lg_text *message)
{
    add_number(message, TYPE_NAME, STRING_OBJECTS);
    add_number(message, TYPE_UNIT, STRING_COUNT);
    add_message(out, PROFILE_SAMPLE_TYPE, message);
    for (uint32_t i = 0; i <= lg_places_device_count(places); i++) {
        add_number(message, TYPE_NAME, STRING_FIRST + i);
        add_number(message, TYPE_UNIT, STRING_BYTES);
        add_message(out, PROFILE_SAMPLE_TYPE, message);
    }
    add_number(&out->text, PROFILE_DEFAULT_TYPE, STRING_FIRST);
}

static void
write_strings(lg__stream *out, const lg_places *places, lg_text *name)
{
    static const char *const first[] = {"", "objects", "count", "bytes"};
    static const uint32_t length[] = {0, 7, 5, 5};
    for (uint32_t i = 0; i < STRING_FIRST; i++)
        add_string(out, first[i], length[i]);
    for (uint32_t i = 0; i <= lg_places_device_count(places); i++) {
        lg_string device = lg_places_device_name(places, i);
        add_string(out, device.data, device.length);
    }
    for (uint32_t i = 0; i < lg_places_count(places); i++) {
        lg_place place = lg_places_at(places, i);
        lg_place_step_format(&place, name);
        add_message(out, PROFILE_STRING, name);
        lg__stream_next(out);
    }
}

// The innermost location comes first.
static void
write_sample(lg__stream *out, const lg_places *places, uint32_t index,
             lg_text *message)
{
    lg_place place = lg_places_at(places, index);
    for (uint32_t at = index; at != LG_NONE;
         at = lg_places_at(places, at).parent)
        add_number(message, SAMPLE_LOCATION, (uint64_t)at + 1);
    add_number(message, SAMPLE_VALUE, place.members);
    for (uint32_t i = 0; i <= lg_places_device_count(places); i++)
        add_number(message, SAMPLE_VALUE, place.own[i]);
    add_message(out, PROFILE_SAMPLE, message);
}

// Function and location share the number of their place, from 1.
static void
write_location(lg__stream *out, const lg_places *places, uint32_t index,
               lg_text *message, lg_text *line)
{
    uint64_t id = (uint64_t)index + 1;
    uint64_t name = STRING_FIRST + lg_places_device_count(places) + id;
    line->length = 0;
    add_number(line, LINE_FUNCTION, id);
    add_number(message, LOCATION_ID, id);
    add_bytes(message, LOCATION_LINE, line->data ? line->data : "",
              line->length);
    add_message(out, PROFILE_LOCATION, message);
    add_number(message, FUNCTION_ID, id);
    add_number(message, FUNCTION_NAME, name);
    add_message(out, PROFILE_FUNCTION, message);
}

static void
write_pprof(lg__stream *out, const lg_places *places)
{
    lg_text message = {0};
    lg_text line = {0};
    uint32_t count = lg_places_count(places);
    write_types(out, places, &message);
    for (uint32_t i = 0; i < count && lg__stream_step(out, i, count); i++) {
        write_location(out, places, i, &message, &line);
        write_sample(out, places, i, &message);
    }
    write_strings(out, places, &message);
    lg_text_free(&message);
    lg_text_free(&line);
}

// pprof itself compresses its files, and some of its readers require it.
const lg__format lg__pprof = {
    .name = "pprof",
    .suffix = ".pb",
    .other_suffix = ".pb.gz",
    .packed = true,
    .write_places = write_pprof,
};
