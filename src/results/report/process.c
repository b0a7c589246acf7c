/* src/results/report/process.c - see process.h. The three standard streams of the child are unnamed temporary files,
 * not pipes. So neither process can block on the other, and no file is left behind. */
#include "report/process.h"
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct streams {
    FILE *in, *out, *err;
};

static void streams_close(struct streams *s)
{
    FILE *const file[] = { s->in, s->out, s->err };
    for (int i = 0; i < 3; i++)
        if (file[i] != NULL)
            (void)fclose(file[i]);
}

static int streams_open(struct streams *s, const char *input, struct weir_err *err)
{
    *s = (struct streams){ .in = tmpfile(), .out = tmpfile(), .err = tmpfile() };
    if (s->in != NULL && s->out != NULL && s->err != NULL && fputs(input, s->in) >= 0 && fflush(s->in) == 0 &&
        lseek(fileno(s->in), 0, SEEK_SET) == 0)
        return 0;
    (void)weir_fail(err, WEIR_E_FILE, NULL, NULL, "a temporary file cannot be written: %s", strerror(errno));
    streams_close(s);
    return WEIR_E_FILE;
}

/* Returns a copy of this program's environment with LC_ALL=C, so that the child writes decimal points and English
 * messages. The caller frees the array, not its texts. NULL = no memory */
static char **environment(void)
{
    static char c_locale[] = "LC_ALL=C";
    size_t count = 0, at = 0;
    char **copy;
    while (environ[count] != NULL)
        count++;
    copy = calloc(count + 2, sizeof(*copy));
    if (copy == NULL)
        return NULL;
    copy[at++] = c_locale;
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], "LC_ALL=", 7) != 0)
            copy[at++] = environ[i];
    return copy;
}

/* Starts argv[0], searched in PATH, with the three streams and the environment. Sets *pid. Returns 0 or an errno. */
static int spawn(pid_t *pid, const char *const *argv, char *const *env, const struct streams *s)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;
    sigset_t defaults;
    int number = posix_spawn_file_actions_init(&actions);
    if (number != 0)
        return number;
    number = posix_spawnattr_init(&attr);
    if (number == 0) {
        (void)sigemptyset(&defaults); /* the child must not ignore the signals that this program ignores */
        (void)sigaddset(&defaults, SIGPIPE);
        (void)sigaddset(&defaults, SIGXFSZ);
        (void)posix_spawnattr_setsigdefault(&attr, &defaults);
        (void)posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
        number = posix_spawn_file_actions_adddup2(&actions, fileno(s->in), STDIN_FILENO);
        if (number == 0)
            number = posix_spawn_file_actions_adddup2(&actions, fileno(s->out), STDOUT_FILENO);
        if (number == 0)
            number = posix_spawn_file_actions_adddup2(&actions, fileno(s->err), STDERR_FILENO);
        if (number == 0) /* posix_spawnp() does not write to the arguments (POSIX) */
            number = posix_spawnp(pid, argv[0], &actions, &attr, (char *const *)(uintptr_t)argv, env);
        (void)posix_spawnattr_destroy(&attr);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    return number;
}

/* Returns the whole content of a file with a NUL behind it, which the caller frees; NULL = no memory, or the file
 * cannot be read. Sets *size to its length without the NUL if size is not NULL. */
static char *read_all(FILE *file, size_t *size)
{
    long length = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    char *text = length >= 0 ? malloc((size_t)length + 1) : NULL;
    if (text == NULL)
        return NULL;
    rewind(file);
    if (fread(text, 1, (size_t)length, file) != (size_t)length) {
        free(text);
        return NULL;
    }
    text[length] = '\0';
    if (size != NULL)
        *size = (size_t)length;
    return text;
}

static int child_failed(const char *program, int status, FILE *output, struct weir_err *err)
{
    /* the last line that is neither empty nor a hint: the error, as warnings come before it */
    char line[256] = "", next[256];
    bool begins = true; /* next is the begin of a line, and not what did not fit of one */
    rewind(output);
    while (fgets(next, sizeof(next), output) != NULL) {
        size_t length = strcspn(next, "\r\n");
        bool ends = next[length] != '\0';
        next[length] = '\0';
        if (begins && next[strspn(next, " \t")] != '\0' && strncmp(next, "  hint: ", 8) != 0)
            (void)snprintf(line, sizeof(line), "%s", next + strspn(next, " \t"));
        begins = ends;
    }
    if (WIFSIGNALED(status))
        return weir_fail(err, WEIR_E_RUN, NULL, NULL, "%s was ended by signal %d", program, WTERMSIG(status));
    return weir_fail(err, WEIR_E_RUN, NULL, NULL, "%s failed (exit status %d): %s", program, WEXITSTATUS(status),
                     line[0] != '\0' ? line : "it does not say why");
}

/* Starts the child and waits for its end. Returns 0 if it exits with status 0, else a code with err. */
static int run_child(const char *const *argv, const struct streams *s, struct weir_err *err)
{
    char **env = environment();
    int status = 0, number;
    pid_t pid;
    if (env == NULL)
        return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory to start %s", argv[0]);
    number = spawn(&pid, argv, env, s);
    free(env);
    if (number == ENOENT || number == EACCES)
        return weir_fail(err, WEIR_E_UNKNOWN, NULL, NULL, "there is no program %s", argv[0]);
    if (number != 0)
        return weir_fail(err, WEIR_E_RUN, NULL, NULL, "%s cannot be started: %s", argv[0], strerror(number));
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return weir_fail(err, WEIR_E_RUN, NULL, NULL, "%s: %s", argv[0], strerror(errno));
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : child_failed(argv[0], status, s->err, err);
}

int weir_process_run(const char *const *argv, const char *input, char **output, size_t *size, struct weir_err *err)
{
    struct streams s;
    int code;
    *output = NULL;
    if (streams_open(&s, input, err) != 0)
        return WEIR_E_FILE;
    code = run_child(argv, &s, err);
    if (code == 0) {
        *output = read_all(s.out, size);
        if (*output == NULL)
            code = weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for what %s drew", argv[0]);
    }
    streams_close(&s);
    return code;
}
