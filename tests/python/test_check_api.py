"""tools/check-api.py: a small library that keeps all rules has no fault; each fault is found, alone
and by name."""

import importlib.util
import pathlib
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "check-api.py"

THING = """/* Things; spk_things_lost( is no declaration here. */
#ifndef SPIKEMINE_THING_H
#define SPIKEMINE_THING_H
#include "spikemine/context.h"
#define SPK_THING_LIST(X) \\
    X(spk_never_declared(int a);)
SPK_BEGIN_C

/* Any number of them. Threads: one at a time. */
typedef struct spk_thing spk_thing;

/* How to make one. */
typedef struct spk_thing_options {
    size_t struct_size; /* set by spk_thing_options_init */
    struct {
        int width;
    } box;
    int colour;
} spk_thing_options;
SPK_API void spk_thing_options_init(spk_thing_options *options, size_t struct_size);

/* What a callback sees. */
typedef struct spk_view {
    int first;
} spk_view;

/* A callback. */
typedef spk_status spk_thing_sink(void *user, const spk_view *view);

/* Makes one. */
SPK_API SPK_MUST_CHECK spk_status
spk_thing_create(const spk_thing_options *options, spk_context *context, spk_thing **out);
SPK_API void spk_thing_free(spk_thing *thing);

/* Makes a context. */
SPK_API SPK_MUST_CHECK spk_status spk_other_create(spk_context **out);

SPK_END_C
#endif
"""
VERSION = """/* The version. */
SPK_API const char *spk_version(void);
"""
OVERVIEW = """#include "spikemine/thing.h"
#include "spikemine/version.h"
"""
TEST = """
void test(void)
{
    spk_thing_options_init(&options, sizeof options);
    check(spk_thing_create(&options, context, &thing));
    spk_thing_free(thing);
    check(spk_other_create(&context) && spk_version());
}
"""
NULL_TEST = """
void test(void)
{
    check(spk_thing_create(f("a, b", 2), NULL, &thing));
}
"""
NULL_TEST_ENDS = """
void test(void)
{
    spk_thing_free(NULL);
}
"""
FILES = {
    "include/spikemine/thing.h": THING,
    "include/spikemine/version.h.in": VERSION,
    "include/spikemine/spikemine.h": OVERVIEW,
    "tests/unit/test_thing.c": TEST,
    "tests/unit/test_null_context.c": NULL_TEST,
    "tests/unit/test_null_context_ends.c": NULL_TEST_ENDS,
}


def load():
    spec = importlib.util.spec_from_file_location("check_api", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def faults_of(path=None, old="", new=""):
    """The faults of the library, with `old` replaced by `new` in one file."""
    with tempfile.TemporaryDirectory() as name:
        for file, text in FILES.items():
            if file.endswith("/" + (path or "-")):
                assert text.count(old) == 1, old
                text = text.replace(old, new)
            place = pathlib.Path(name) / file
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        return load().check(pathlib.Path(name))


class CheckApi(unittest.TestCase):
    def finds(self, fault, *change):
        self.assertEqual(faults_of(*change), [fault])

    def test_a_library_that_keeps_the_rules_has_no_fault(self):
        self.assertEqual(faults_of(), [])

    def test_a_function_without_test(self):
        fault = "thing.h: spk_thing_free occurs in no test (tests/unit, tests/support)"
        self.finds(fault, "test_thing.c", "spk_thing_free(thing);", "")
        self.finds(fault, "test_thing.c", "spk_thing_free(thing);", "/* spk_thing_free(thing); */")
        self.finds(fault, "test_thing.c", "spk_thing_free(thing);", 'puts("spk_thing_free(x)");')
        self.finds(fault, "test_thing.c", "spk_thing_free(thing);", "spk_thing_free_all(thing);")

    def test_the_null_test_alone_is_no_test(self):
        self.finds(
            "thing.h: spk_thing_create occurs in no test (tests/unit, tests/support)",
            "test_thing.c",
            "check(spk_thing_create(&options, context, &thing));",
            "",
        )

    def test_a_function_that_nobody_calls_with_a_null_context(self):
        fault = (
            "thing.h: spk_thing_create is not called with a NULL context in test_null_context*.c"
        )
        self.finds(fault, "test_null_context.c", "NULL, &thing", "context, NULL")
        self.finds(fault, "test_null_context.c", 'f("a, b", 2), NULL', "NULL, context")
        self.finds(fault, "test_null_context.c", "spk_thing_create", "spk_thing_free")

    def test_a_handle_that_nobody_frees_as_null(self):
        self.finds(
            "thing.h: spk_thing_free is not called with a NULL handle in test_null_context*.c",
            "test_null_context_ends.c",
            "spk_thing_free(NULL)",
            "spk_thing_free(thing)",
        )

    def test_a_status_that_may_be_overlooked(self):
        self.finds(
            "thing.h: spk_thing_create returns spk_status, but is not SPK_MUST_CHECK",
            "thing.h",
            "SPK_API SPK_MUST_CHECK spk_status\n",
            "SPK_API spk_status\n",
        )

    def test_a_handle_without_thread_rule(self):
        fault = 'thing.h: the comment above spk_thing does not say "Threads:"'
        self.finds(fault, "thing.h", "Threads: one at a time.", "One at a time.")
        self.finds(fault, "thing.h", "one at a time. */\n", "one at a time. */\n\n")
        self.finds(fault, "thing.h", "one at a time. */\n", "one at a time. */\n/* Opaque. */\n")

    def test_a_type_that_is_defined_is_no_handle(self):
        self.assertEqual(
            faults_of("thing.h", "Threads: one at a time. */\ntypedef struct spk_thing spk_thing;",
                      "*/\ntypedef struct spk_thing spk_thing;\nstruct spk_thing {\n    int a;\n};"),
            [],
        )

    def test_options_that_cannot_grow(self):
        fault = "thing.h: spk_thing_options does not begin with size_t struct_size"
        size = "    size_t struct_size; /* set by spk_thing_options_init */\n"
        self.finds(fault, "thing.h", size, "")
        self.finds(fault, "thing.h", size + "    struct {", "    int a;\n" + size + "    struct {")
        self.finds(fault, "thing.h", size, size.replace("size_t", "int"))
        self.finds(fault.replace("thing_options", "view"), "thing.h", "int first;",
                   "int first;\n    size_t struct_size;")

    def test_a_function_without_comment(self):
        self.finds(
            "thing.h: spk_other_create has no comment above it", "thing.h",
            "/* Makes a context. */\n", "",
        )
        self.finds(
            "thing.h: spk_thing_free has no comment above it", "thing.h",
            "SPK_API void spk_thing_free", "\nSPK_API void spk_thing_free",
        )

    def test_the_comment_of_a_member_is_none_of_the_function(self):
        self.finds(
            "thing.h: spk_thing_options_init has no comment above it", "thing.h",
            "/* How to make one. */\n", "",
        )

    def test_a_header_that_the_overview_lacks(self):
        self.finds(
            "spikemine.h: does not include version.h", "spikemine.h",
            '#include "spikemine/version.h"\n', "",
        )

    def test_a_function_that_is_not_exported(self):
        self.finds(
            "version.h: spk_version is not SPK_API", "version.h.in", "SPK_API const", "const"
        )

    def test_a_handle_that_ends_by_another_verb(self):
        found = faults_of("thing.h", "spk_thing_free(spk_thing", "spk_thing_close(spk_thing")
        self.assertIn(
            "thing.h: spk_thing_close should be called _free, as all that ends a handle", found
        )

    def test_a_struct_of_the_caller_that_may_grow(self):
        self.finds(
            "thing.h: spk_view may grow, but is not handed out by the library",
            "thing.h",
            "/* What a callback sees. */\ntypedef struct spk_view {\n    int first;\n} spk_view;\n",
            "/* What a callback sees; it may grow at its end. */\n"
            "typedef struct spk_view {\n    int first;\n} spk_view;\n"
            "/* Sees. */\ntypedef void spk_look(spk_view *out);\n",
        )

    def test_a_core_that_nobody_learns_in_an_hour(self):
        many = "".join(f"SPK_API int spk_other_{k}(void);\n" for k in range(150))
        found = faults_of("thing.h", "/* Makes a context. */\n", many + "/* Makes a context. */\n")
        self.assertIn("spikemine.h: the core has 155 functions, more than 140", found)

    def test_a_folder_without_headers(self):
        with tempfile.TemporaryDirectory() as name:
            place = pathlib.Path(name) / "tests" / "unit" / "test_null_context.c"
            place.parent.mkdir(parents=True)
            place.write_text("", encoding="utf-8")
            self.assertIn("no public function found", load().check(pathlib.Path(name))[0])


if __name__ == "__main__":
    unittest.main()
