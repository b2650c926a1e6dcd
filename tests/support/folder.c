#define _XOPEN_SOURCE 700 /* nftw */
#include "support/folder.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/spikemine-test-XXXXXX";
static bool made;

const char *test_path(const char *name)
{
    enum { N_PATHS = 4 };
    static char path[N_PATHS][320];
    static int next;
    if (!made)
        assert_non_null(mkdtemp(folder));
    made = true;
    next = (next + 1) % N_PATHS;
    snprintf(path[next], sizeof path[next], "%s/%s", folder, name);
    return path[next];
}

const char *test_file(const char *name, const char *text)
{
    const char *path = test_path(name);
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    assert_true(fputs(text, stream) >= 0);
    assert_int_equal(fclose(stream), 0);
    return path;
}

char *test_file_text(const char *name)
{
    FILE *stream = fopen(test_path(name), "rb");
    assert_non_null(stream);
    assert_int_equal(fseek(stream, 0, SEEK_END), 0);
    long length = ftell(stream);
    assert_true(length >= 0);
    rewind(stream);
    char *text = malloc((size_t)length + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)length, stream), length);
    text[length] = '\0';
    fclose(stream);
    return text;
}

bool test_file_exists(const char *name)
{
    return access(test_path(name), F_OK) == 0;
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *place)
{
    (void)info, (void)type, (void)place;
    remove(path);
    return 0;
}

void test_folder_remove(void)
{
    if (made)
        nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}
