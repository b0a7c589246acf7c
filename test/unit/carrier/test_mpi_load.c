/* test/unit/carrier/test_mpi_load.c MODULE - whether a launcher of MPI has started the process, and what is said where the module is missing
 * or of another build. MODULE is fake_mpi.c. */
#include "test/unit/weir_test.h"
#include "carrier/mpi.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const variables[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "SLURM_STEP_NUM_TASKS" };
static char *fake; /* path of the module */

static int forget_all(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
        (void)unsetenv(variables[i]);
    return 0;
}

/* Tests whether a process is launched in which one variable has this value. */
static bool launched_by(const char *name, const char *value)
{
    bool launched;
    (void)setenv(name, value, 1);
    launched = weir_mpi_is_launched();
    (void)unsetenv(name);
    return launched;
}

static void several_processes_are_launched(void **state)
{
    (void)state;
    assert_false(weir_mpi_is_launched());
    for (size_t i = 0; i < 2; i++) {
        assert_false(launched_by(variables[i], "0"));
        assert_false(launched_by(variables[i], "1"));
        assert_true(launched_by(variables[i], "2"));
        assert_false(launched_by(variables[i], "many"));
    }
}

/* Slurm tells the size of every step, but only with PMIx is it MPI's. */
static void slurm_launches_with_pmix_alone(void **state)
{
    (void)state;
    assert_false(launched_by("SLURM_STEP_NUM_TASKS", "2"));
    (void)setenv("PMIX_RANK", "0", 1);
    assert_false(weir_mpi_is_launched());
    assert_false(launched_by("SLURM_STEP_NUM_TASKS", "1"));
    assert_true(launched_by("SLURM_STEP_NUM_TASKS", "2"));
}

/* Starts as one of two processes. found: the file that is weir-mpi.so, NULL = there is none. @return the code */
static int start_with(const char *found, struct weir_carrier **out, struct weir_err *err)
{
    char folder[] = "/tmp/weir-test-mpi-XXXXXX", path[64];
    int code;
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof(path), "%s/weir-mpi.so", folder);
    if (found != NULL)
        assert_int_equal(symlink(found, path), 0);
    (void)setenv("PMI_SIZE", "2", 1);
    code = weir_mpi_start(out, folder, err);
    (void)unlink(path);
    (void)rmdir(folder);
    return code;
}

static void one_process_needs_no_module(void **state)
{
    struct weir_carrier here, *out = &here;
    struct weir_err err;
    (void)state;
    assert_int_equal(weir_mpi_start(&out, "/nonexistent", &err), 0);
    assert_null(out);
}

static void a_missing_module_is_named(void **state)
{
    struct weir_carrier *out;
    struct weir_err err;
    (void)state;
    assert_int_equal(start_with(NULL, &out, &err), WEIR_E_RANK);
    assert_null(out);
    assert_non_null(strstr(err.text, "no MPI"));
}

/* A library that is no module, and modules whose contract is one less, the same, and one more. */
static void a_module_of_another_build_is_refused(void **state)
{
    struct weir_mpi_module *module = dlsym(dlopen(fake, RTLD_NOW), WEIR_MPI_SYMBOL);
    struct weir_carrier *out;
    struct weir_err err;
    Dl_info libc;
    (void)state;
    assert_non_null(module);
    assert_int_not_equal(dladdr(dlsym(RTLD_DEFAULT, "mkdtemp"), &libc), 0);
    assert_int_equal(start_with(libc.dli_fname, &out, &err), WEIR_E_RANK);
    assert_non_null(strstr(err.text, "another version"));
    for (uint64_t i = 0; i < 3; i++) {
        module->contract = WEIR_MPI_CONTRACT - 1 + i;
        assert_int_equal(start_with(fake, &out, &err), i == 1 ? 0 : WEIR_E_RANK);
        assert_int_equal(out != NULL, i == 1);
    }
}

int main(int argc, char **argv)
{
    int failures;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(several_processes_are_launched, forget_all),
        cmocka_unit_test_setup(slurm_launches_with_pmix_alone, forget_all),
        cmocka_unit_test_setup(one_process_needs_no_module, forget_all),
        cmocka_unit_test_setup(a_missing_module_is_named, forget_all),
        cmocka_unit_test_setup(a_module_of_another_build_is_refused, forget_all),
    };
    fake = argc > 1 ? realpath(argv[1], NULL) : NULL;
    if (fake == NULL)
        return 2;
    failures = cmocka_run_group_tests_name("carrier/mpi_load", tests, NULL, NULL);
    free(fake);
    return failures;
}
