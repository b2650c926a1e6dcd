/* Meters of energy: folders as Linux lays them out, and a library that plays the driver's. */
#include <sys/stat.h>

#include "energy/energy.h"
#include "support/test.h"

static const char no_library[] = "/nowhere/libnvidia-ml.so.1";

static bool near_to(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void write_file(const char *tree, const char *domain, const char *file, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s/%s", test_path(tree), domain, file);
    write_text(path, text);
}

static void make_domain(const char *tree, const char *domain, const char *name, const char *energy,
                        const char *range)
{
    char path[512];
    (void)mkdir(test_path(tree), 0700);
    snprintf(path, sizeof path, "%s/%s", test_path(tree), domain);
    assert_int_equal(mkdir(path, 0700), 0);
    write_file(tree, domain, "name", name);
    write_file(tree, domain, "energy_uj", energy);
    write_file(tree, domain, "max_energy_range_uj", range);
}

static spk_energy *begin(const char *folder, const char *library)
{
    spk_energy *energy = NULL;
    assert_int_equal(spk_energy_begin_at(NULL, folder, library, &energy), SPK_OK);
    return energy;
}

/* Two packages with parts and other names for them: each is counted once, memory by itself. */
static void packages(void **state)
{
    (void)state;
    make_domain("two", "intel-rapl:1", "package-1\n", "500\n", "1000000\n");
    make_domain("two", "intel-rapl:0", "package-0\n", "100\n", "1000000\n");
    make_domain("two", "intel-rapl:0:0", "core\n", "50\n", "1000000\n");
    make_domain("two", "intel-rapl:0:1", "dram\n", "7\n", "1000000\n");
    make_domain("two", "intel-rapl:2", "psys\n", "9\n", "1000000\n");
    make_domain("two", "intel-rapl-mmio:0", "package-0\n", "100\n", "1000000\n");
    make_domain("two", "intel-rapl", "package-9\n", "100\n", "1000000\n");
    make_domain("two", "intel-rapl:10", "package-10\n", "0\n", "1000000\n");
    spk_energy *energy = begin(test_path("two"), no_library);
    write_file("two", "intel-rapl:0", "energy_uj", "300100\n");
    write_file("two", "intel-rapl:1", "energy_uj", "200500\n");
    write_file("two", "intel-rapl:0:0", "energy_uj", "900000\n");
    write_file("two", "intel-rapl:0:1", "energy_uj", "50007\n");
    size_t n = 0;
    const spk_energy_meter *meter = spk_energy_read(energy, &n);
    assert_int_equal(n, 5);
    assert_string_equal(meter[0].name, "package-0");
    assert_int_equal(meter[0].kind, SPK_ENERGY_PROCESSOR);
    assert_true(meter[0].readable);
    assert_true(near_to(meter[0].joules, 0.3));
    assert_string_equal(meter[1].name, "package-0 dram");
    assert_int_equal(meter[1].kind, SPK_ENERGY_MEMORY);
    assert_true(near_to(meter[1].joules, 0.05));
    assert_string_equal(meter[2].name, "package-1");
    assert_true(near_to(meter[2].joules, 0.2));
    assert_string_equal(meter[3].name, "package-10");
    assert_int_equal(meter[4].kind, SPK_ENERGY_GPU);
    assert_false(meter[4].readable);
    assert_true(near_to(spk_energy_total(energy), 0.55));
    spk_energy_free(energy);
}

/* A counter that begins again at 0, several times between begin and end. */
static void wraps(void **state)
{
    (void)state;
    make_domain("wrap", "intel-rapl:0", "package-0\n", "900000\n", "1000000\n");
    spk_energy *energy = begin(test_path("wrap"), no_library);
    size_t n = 0;
    static const struct {
        const char *reading;
        double joules;
    } step[] = {
        {"100000\n", 0.2}, {"100000\n", 0.2}, {"1000000\n", 1.1}, {"0\n", 1.1}, {"5\n", 1.100005}};
    for (size_t k = 0; k < sizeof step / sizeof step[0]; k++) {
        write_file("wrap", "intel-rapl:0", "energy_uj", step[k].reading);
        assert_true(near_to(spk_energy_read(energy, &n)[0].joules, step[k].joules));
    }
    spk_energy_free(energy);
}

/* A counter without a known range cannot begin again. */
static void backwards(void **state)
{
    (void)state;
    make_domain("back", "intel-rapl:0", "package-0\n", "900000\n", "\n");
    spk_energy *energy = begin(test_path("back"), no_library);
    size_t n = 0;
    write_file("back", "intel-rapl:0", "energy_uj", "5\n");
    const spk_energy_meter *meter = spk_energy_read(energy, &n);
    assert_false(meter[0].readable);
    assert_non_null(strstr(meter[0].why, "backwards"));
    assert_true(spk_energy_total(energy) < 0);
    spk_energy_free(energy);
}

/* Meters that cannot be read, at first or later: the cause is told. */
static void unreadable(void **state)
{
    (void)state;
    char path[512];
    make_domain("bad", "intel-rapl:0", "package-0\n", "1\n", "1000000\n");
    make_domain("bad", "intel-rapl:1", "package-1\n", "words\n", "1000000\n");
    make_domain("bad", "intel-rapl:2", "package-2\n", "1\n", "1000000\n");
    make_domain("bad", "intel-rapl:3", "package-3\n", "", "1000000\n");
    snprintf(path, sizeof path, "%s/intel-rapl:0/energy_uj", test_path("bad"));
    assert_int_equal(chmod(path, 0), 0);
    spk_energy *energy = begin(test_path("bad"), no_library);
    snprintf(path, sizeof path, "%s/intel-rapl:2/energy_uj", test_path("bad"));
    assert_int_equal(unlink(path), 0);
    size_t n = 0;
    const spk_energy_meter *meter = spk_energy_read(energy, &n);
    assert_int_equal(n, 5);
    if (geteuid() != 0) { /* root reads everything */
        assert_false(meter[0].readable);
        assert_non_null(strstr(meter[0].why, "root alone"));
    }
    assert_false(meter[1].readable);
    assert_non_null(strstr(meter[1].why, "no number"));
    assert_false(meter[2].readable);
    assert_non_null(strstr(meter[2].why, "No such file"));
    assert_false(meter[3].readable);
    assert_non_null(strstr(meter[4].why, no_library));
    spk_energy_free(energy);
}

static void no_processor(void **state)
{
    (void)state;
    spk_energy *energy = begin(test_path("nothing"), no_library);
    size_t n = 0;
    const spk_energy_meter *meter = spk_energy_read(energy, &n);
    assert_int_equal(n, 2);
    assert_string_equal(meter[0].name, "processors");
    assert_string_equal(meter[1].name, "GPUs");
    assert_non_null(strstr(meter[0].why, "has no meter of a package"));
    assert_true(spk_energy_total(energy) < 0);
    spk_energy_free(energy);
}

/* The numbers of this machine, whatever they are. */
static void here(void **state)
{
    (void)state;
    spk_energy *energy = NULL;
    assert_int_equal(spk_energy_begin(NULL, &energy), SPK_OK);
    size_t n = 0;
    const spk_energy_meter *meter = spk_energy_read(energy, &n);
    assert_true(n >= 2);
    for (size_t k = 0; k < n; k++)
        assert_true(meter[k].readable ? meter[k].joules >= 0 : meter[k].why[0] != '\0');
    spk_energy_free(energy);
}

/* ---- GPUs ------------------------------------------------------------------------------------ */

static void gpus(void **state)
{
    (void)state;
    setenv("FAKE_NVML", "2", 1);
    spk_energy *energy = begin(test_path("nothing"), SPK_FAKE_NVML);
    size_t n = 0;
    const spk_energy_meter *meter = spk_energy_read(energy, &n);
    assert_int_equal(n, 3);
    assert_string_equal(meter[2].name, "GPU 1 Fake 1000");
    assert_true(meter[1].readable && meter[2].readable);
    assert_true(near_to(meter[1].joules, 0.5));
    assert_true(near_to(spk_energy_read(energy, &n)[2].joules, 1.0));
    assert_true(near_to(spk_energy_total(energy), 2.0));
    spk_energy_free(energy);
}

static void expect_gpus(const char *kind, size_t k, const char *why)
{
    setenv("FAKE_NVML", kind, 1);
    spk_energy *energy = begin(test_path("nothing"), SPK_FAKE_NVML);
    size_t n = 0;
    const spk_energy_meter *meter = spk_energy_read(energy, &n);
    assert_int_equal(n, k + 1);
    assert_false(meter[k].readable);
    assert_non_null(strstr(meter[k].why, why));
    spk_energy_free(energy);
}

static void gpus_without_meters(void **state)
{
    (void)state;
    expect_gpus("deaf", 1, "Driver Not Loaded");
    expect_gpus("0", 1, "has no GPU");
    expect_gpus("old", 2, "Not Supported");
}

/* A library that is something else. */
static void strange_library(void **state)
{
    (void)state;
    spk_energy *energy = begin(test_path("nothing"), "libc.so.6");
    size_t n = 0;
    const spk_energy_meter *meter = spk_energy_read(energy, &n);
    assert_non_null(strstr(meter[1].why, "it has no nvmlInit_v2"));
    spk_energy_free(energy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packages),
        cmocka_unit_test(wraps),
        cmocka_unit_test(backwards),
        cmocka_unit_test(unreadable),
        cmocka_unit_test(no_processor),
        cmocka_unit_test(here),
        cmocka_unit_test(gpus),
        cmocka_unit_test(gpus_without_meters),
        cmocka_unit_test(strange_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
