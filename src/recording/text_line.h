/* One line of a text recording: cut into fields. */
#ifndef SPK_RECORDING_TEXT_LINE_H
#define SPK_RECORDING_TEXT_LINE_H

#include <stdbool.h>
#include <stddef.h>

/* A field without its quotes; `escaped`: it contains doubled quotes. */
typedef struct spk_field {
    const char *text;
    size_t length;
    bool quoted;
    bool escaped;
} spk_field;

enum { SPK_LINE_FIELDS = 4 };

typedef struct spk_line {
    int n_fields; /* as many as there are, though only SPK_LINE_FIELDS are kept; 0: nothing there */
    spk_field field[SPK_LINE_FIELDS];
    const char *problem; /* why it cannot be cut, static text; NULL when it can */
} spk_line;

/* What a byte means between fields and in them. */
typedef enum spk_byte_class {
    SPK_BYTE_PLAIN,
    SPK_BYTE_BLANK, /* blank, tab */
    SPK_BYTE_COMMA, /* comma, semicolon */
    SPK_BYTE_QUOTE,
    SPK_BYTE_HASH,
    SPK_BYTE_CONTROL /* line ends, too */
} spk_byte_class;

extern const unsigned char spk_byte_classes[256];

static inline spk_byte_class spk_byte_class_of(char byte)
{
    return (spk_byte_class)spk_byte_classes[(unsigned char)byte];
}

/* Cuts [text, end), which has no line end (but may have the '\r' of one): fields are separated by
 * blanks and tabs, or one comma or semicolon among them; double quotes protect separators; '#' at
 * the start, or after two fields and a blank, begins a comment. */
void spk_line_cut(const char *text, const char *end, spk_line *line);

/* Cuts a header, whose names may have blanks in them when commas, semicolons or tabs separate. */
void spk_line_cut_header(const char *text, const char *end, spk_line *line);

#endif
