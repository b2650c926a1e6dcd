/*
 * What the system lets a process have, told from trees that stand for its own files: control groups
 * of both versions, nested and in containers, Slurm, ulimit.
 */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define SANITIZED_BY_CLANG /* clang's word for it */
#endif
#endif

#include <errno.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/available.h"
#include "support/limit.h"
#include "support/test.h"

static char root[] = "/tmp/spikemine-available-XXXXXX";

/* Writes root/path, making its folders. */
static void put(const char *path, const char *text)
{
    char name[512];
    assert_true(snprintf(name, sizeof name, "%s/%s", root, path) < (int)sizeof name);
    for (char *at = strchr(name + sizeof root, '/'); at != NULL; at = strchr(at + 1, '/')) {
        *at = '\0';
        assert_true(mkdir(name, 0700) == 0 || errno == EEXIST);
        *at = '/';
    }
    FILE *stream = fopen(name, "w");
    assert_non_null(stream);
    assert_true(fputs(text, stream) >= 0);
    assert_int_equal(fclose(stream), 0);
}

static void clear(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", root);
    assert_int_equal(system(command), 0);
    assert_int_equal(mkdir(root, 0700), 0);
    put("proc/meminfo", "MemTotal:       16000000 kB\nMemAvailable:   10000000 kB\n");
}

static int setup(void **state)
{
    (void)state;
    unsetenv("SLURM_MEM_PER_NODE");
    unsetenv("SLURM_MEM_PER_CPU");
    unsetenv("SLURM_CPUS_ON_NODE");
    if (strstr(root, "XXXXXX") != NULL && mkdtemp(root) == NULL)
        return 1;
    clear();
    return 0;
}

static int finish(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", root);
    return system(command);
}

static uint64_t memory(void)
{
    return spk_memory_available_below(root);
}

static const uint64_t ALL = 10000000ull * 1024;

static const char V2_MOUNT[] =
    "29 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n";

/* ---- memory ---------------------------------------------------------------------------------- */

static void without_groups_the_machine_decides(void **state)
{
    (void)state;
    assert_true(memory() == ALL);
    put("proc/self/cgroup", "0::/somewhere\n");
    assert_true(memory() == ALL);
    put("proc/self/cgroup", "");
    put("proc/self/mountinfo", "nonsense - \n\n1 2 3\n - cgroup2\n - cgroup2 a b\n");
    assert_true(memory() == ALL);
}

static void of_nested_groups_the_smallest_rest_counts(void **state)
{
    (void)state;
    put("proc/self/cgroup", "0::/user.slice/job 7/step\n");
    put("proc/self/mountinfo", V2_MOUNT);
    put("sys/fs/cgroup/user.slice/job 7/step/memory.max", "max\n");
    assert_true(memory() == ALL);
    put("sys/fs/cgroup/user.slice/job 7/memory.max", "4000000000\n");
    put("sys/fs/cgroup/user.slice/job 7/memory.current", "1000000000\n");
    assert_true(memory() == 3000000000u);
    /* cached files make way */
    put("sys/fs/cgroup/user.slice/job 7/memory.stat", "anon 1\ninactive_file 400000000\n");
    assert_true(memory() == 3400000000u);
    put("sys/fs/cgroup/user.slice/memory.max", "5000000000\n");
    put("sys/fs/cgroup/user.slice/memory.current", "4500000000\n");
    assert_true(memory() == 500000000);
    put("sys/fs/cgroup/user.slice/memory.high", "4500000100\n");
    assert_true(memory() == 100);
    put("sys/fs/cgroup/user.slice/memory.current", "9000000000\n");
    assert_true(memory() == 1); /* 0 would say that nothing is known */
}

static void a_container_sees_its_own_group_at_the_top(void **state)
{
    (void)state;
    /* with a namespace of its own */
    put("proc/self/cgroup", "0::/\n");
    put("proc/self/mountinfo", V2_MOUNT);
    put("sys/fs/cgroup/memory.max", "2000000000\n");
    put("sys/fs/cgroup/memory.current", "500000000\n");
    assert_true(memory() == 1500000000);
    /* the group is named from outside, the folder shows it at its top */
    put("proc/self/cgroup", "0::/docker/abc\n");
    put("proc/self/mountinfo", "29 23 0:26 /docker/abc /sys/fs/cgroup rw - cgroup2 cgroup rw\n");
    assert_true(memory() == 1500000000);
    /* and a group outside of what is to be seen */
    put("proc/self/cgroup", "0::/../other\n");
    put("proc/self/mountinfo", V2_MOUNT);
    assert_true(memory() == 1500000000);
}

static void version_1_has_a_folder_for_memory(void **state)
{
    (void)state;
    put("proc/self/cgroup", "9:cpu,cpuacct:/a\n4:memory:/slurm/job_1\n1:name=systemd:/\n0::/\n");
    put("proc/self/mountinfo",
        "30 29 0:27 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
        "33 29 0:30 / /cg\\040roups/memory rw,nosuid shared:9 - cgroup cgroup rw,memory\n"
        "34 29 0:31 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n");
    put("cg roups/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put("cg roups/memory/slurm/memory.limit_in_bytes", "3000000000\n");
    put("cg roups/memory/slurm/memory.usage_in_bytes", "1000000000\n");
    put("cg roups/memory/slurm/memory.stat", "inactive_file 5\ntotal_inactive_file 7\n");
    put("cg roups/memory/slurm/job_1/memory.limit_in_bytes", "9223372036854771712\n");
    assert_true(memory() == 2000000007);
    put("cg roups/memory/slurm/job_1/memory.limit_in_bytes", "1000\n");
    assert_true(memory() == 1000);
}

static void a_job_of_slurm_has_megabytes(void **state)
{
    (void)state;
    put("proc/self/statm", "5000 100 50 10 0 900 0\n");
    uint64_t resident = 100 * (uint64_t)sysconf(_SC_PAGESIZE);
    setenv("SLURM_MEM_PER_NODE", "2048", 1);
    assert_true(memory() == ((uint64_t)2048 << 20) - resident);
    setenv("SLURM_MEM_PER_NODE", "0", 1); /* all of the node */
    assert_true(memory() == ALL);
    unsetenv("SLURM_MEM_PER_NODE");
    setenv("SLURM_MEM_PER_CPU", "512", 1);
    assert_true(memory() == ALL); /* of how many? */
    setenv("SLURM_CPUS_ON_NODE", "3", 1);
    assert_true(memory() == ((uint64_t)1536 << 20) - resident);
    setenv("SLURM_MEM_PER_CPU", "99999999999999999999", 1);
    assert_true(memory() == ALL);
    setenv("SLURM_MEM_PER_CPU", "-5", 1);
    assert_true(memory() == ALL);
}

/* In a process of its own, since limits cannot be raised again. */
static void under_limit(int resource, uint64_t bytes, uint64_t least, uint64_t most)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (!limit_set((__typeof__(RLIMIT_AS))resource, bytes))
            _exit(LIMIT_NOT_HEEDED);
        uint64_t left = spk_memory_available();
        _exit(left >= least && left <= most ? 0 : 1);
    }
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == LIMIT_NOT_HEEDED)
        skip();
    assert_int_equal(status, 0);
}

static void ulimits_are_seen(void **state)
{
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(SANITIZED_BY_CLANG)
    skip(); /* their address space is terabytes */
#endif
    under_limit(RLIMIT_AS, 1000000000, 100000000, 999000000);
    under_limit(RLIMIT_DATA, 500000000, 100000000, 500000000);
}

/* ---- processors ------------------------------------------------------------------------------ */

static void quotas_bound_the_processors(void **state)
{
    (void)state;
    int all = spk_processors_available_below(root);
    assert_true(all >= 1);
    put("proc/self/cgroup", "0::/a/b\n");
    put("proc/self/mountinfo", V2_MOUNT);
    put("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
    assert_int_equal(spk_processors_available_below(root), all);
    put("sys/fs/cgroup/a/cpu.max", "50000 100000\n");
    assert_int_equal(spk_processors_available_below(root), 1);
    put("sys/fs/cgroup/a/cpu.max", "150000 100000\n");
    assert_int_equal(spk_processors_available_below(root), all < 2 ? all : 2);
    clear();
    put("proc/self/cgroup", "3:cpuacct,cpu:/x\n");
    put("proc/self/mountinfo", "34 29 0:31 / /cpu rw - cgroup cgroup rw,cpuacct,cpu\n");
    put("cpu/x/cpu.cfs_quota_us", "-1\n");
    put("cpu/x/cpu.cfs_period_us", "100000\n");
    assert_int_equal(spk_processors_available_below(root), all);
    put("cpu/x/cpu.cfs_quota_us", "90000\n");
    assert_int_equal(spk_processors_available_below(root), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(without_groups_the_machine_decides, setup),
        cmocka_unit_test_setup(of_nested_groups_the_smallest_rest_counts, setup),
        cmocka_unit_test_setup(a_container_sees_its_own_group_at_the_top, setup),
        cmocka_unit_test_setup(version_1_has_a_folder_for_memory, setup),
        cmocka_unit_test_setup(a_job_of_slurm_has_megabytes, setup),
        cmocka_unit_test_setup(ulimits_are_seen, setup),
        cmocka_unit_test_setup(quotas_bound_the_processors, setup),
    };
    return cmocka_run_group_tests(tests, NULL, finish);
}
