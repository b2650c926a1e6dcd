#define _XOPEN_SOURCE 700 /* nftw */
#include "support/folder.h"

#include <ftw.h>

#include "support/test.h"

static char folder[] = "/tmp/spikemine-test-XXXXXX";
static pid_t owner; /* who made it; 0 before */

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *place)
{
    (void)info, (void)type, (void)place;
    remove(path);
    return 0;
}

/* At the end of the program, but not of its children. */
static void remove_folder(void)
{
    if (getpid() == owner)
        nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static void make_folder(void)
{
    assert_non_null(mkdtemp(folder));
    owner = getpid();
    assert_int_equal(atexit(remove_folder), 0);
}

const char *test_path(const char *name)
{
    enum { N_PATHS = 4 };
    static char path[N_PATHS][320];
    static int next;
    if (owner == 0)
        make_folder();
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
