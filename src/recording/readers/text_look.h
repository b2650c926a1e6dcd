/* What the first lines of a text look like: which of the text formats it is. */
#ifndef SPK_RECORDING_READERS_TEXT_LOOK_H
#define SPK_RECORDING_READERS_TEXT_LOOK_H

#include <stdbool.h>
#include <stddef.h>

#include "recording/readers/reader.h"
#include "recording/text_line.h"

typedef enum spk_text_form {
    SPK_FORM_NONE, /* no text */
    SPK_FORM_TWO,  /* two columns; also what is empty or too short to tell */
    SPK_FORM_TABLE,
    SPK_FORM_LINES,  /* one line for each unit */
    SPK_FORM_UNCLEAR /* a table without a header, or one line for each unit */
} spk_text_form;

/* Where the labels of lines are, one line for each unit. */
typedef enum spk_line_labels {
    SPK_LABELS_UNCLEAR,
    SPK_LABELS_COLON, /* before a colon, which a blank or a separator follows */
    SPK_LABELS_TIGHT, /* before the first colon, which a time follows */
    SPK_LABELS_FIRST, /* the first field */
    SPK_LABELS_NONE
} spk_line_labels;

typedef struct spk_text_look {
    spk_text_form form;
    char separator; /* of cells: ',', ';', '\t' or ' ' */
    spk_line_labels labels;
} spk_text_look;

/* Looks at the first SPK_PROBE_BYTES of `n` bytes. `whole`: nothing follows them. */
spk_text_look spk_text_look_at(const char *text, size_t n, bool whole);

/* The same for an input. */
spk_text_look spk_text_look_probe(const spk_probe *probe);

/* Refuses a folder, for which there is no input. Errors: SPK_ERR_IO. */
spk_status spk_text_check_input(spk_context *context, const spk_probe *probe);

/* Whether cells of the first row are names, by the second row. */
bool spk_is_header(const spk_field *first, const spk_field *second, size_t n);

#endif
