/* Ends the program that it is preloaded into at one of the steps by which it changes the machine: a
 * setting, the log of changes or a file that is applied at boot is written, synced, renamed or removed.
 *
 * HELDUP_IT_IN     the word of its command line that a process must have
 * HELDUP_IT_STEP   which step, from 0; without it none
 * HELDUP_IT_END    before, middle (of what is written into a file of ours) or after it
 * HELDUP_IT_SIGNAL the signal; without it SIGKILL. After another one the step is made.
 * HELDUP_IT_STEPS  a file that gets a byte for each step
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum end { GO_ON, BEFORE, MIDDLE, AFTER };

static int is_ours(const char *path)
{
    return strstr(path, "/heldup/changes") || strstr(path, "/90-heldup.");
}

static int is_setting(const char *path)
{
    return !strncmp(path, "/proc/sys/", 10) || !strncmp(path, "/sys/", 5);
}

/* Whether a word is on the command line of this process. */
static int is_asked_for(void)
{
    const char *word = getenv("HELDUP_IT_IN");
    char line[4096];
    int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t length = read(file, line, sizeof line - 1);
    close(file);
    if (!word || length <= 0)
        return 0;
    line[length] = 0;
    for (char *at = line; at < line + length; at += strlen(at) + 1)
        if (!strcmp(at, word))
            return 1;
    return 0;
}

/* The signal that ends it now. */
static void end_it(void)
{
    const char *number = getenv("HELDUP_IT_SIGNAL");
    kill(getpid(), number ? atoi(number) : SIGKILL);
}

/* One step comes: whether and how it is the last. */
static enum end step(void)
{
    static long seen;
    const char *at = getenv("HELDUP_IT_STEP"), *end = getenv("HELDUP_IT_END");
    const char *steps = getenv("HELDUP_IT_STEPS");
    if (!is_asked_for())
        return GO_ON;
    if (steps) {
        int file = open(steps, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
        syscall(SYS_write, file, ".", 1);
        close(file);
    }
    if (!at || seen++ != atol(at))
        return GO_ON;
    if (end && !strcmp(end, "middle"))
        return MIDDLE;
    return end && !strcmp(end, "after") ? AFTER : BEFORE;
}

/* The path behind a descriptor. */
static void path_of(int fd, char *path, size_t size)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, size - 1);
    path[length < 0 ? 0 : length] = 0;
}

ssize_t write(int fd, const void *bytes, size_t count)
{
    char path[4096];
    path_of(fd, path, sizeof path);
    enum end end = is_ours(path) || is_setting(path) ? step() : GO_ON;
    if (end == MIDDLE && is_ours(path) && !getenv("HELDUP_IT_SIGNAL"))
        syscall(SYS_write, fd, bytes, count / 2);
    if (end == BEFORE || end == MIDDLE)
        end_it();
    ssize_t written = syscall(SYS_write, fd, bytes, count);
    if (end == AFTER)
        end_it();
    return written;
}

/* A call on something of ours, which has no middle. */
#define WHOLE_STEP(path, call)                        \
    enum end end = is_ours(path) ? step() : GO_ON;    \
    if (end == BEFORE || end == MIDDLE)               \
        end_it();                                     \
    int done = call;                                  \
    if (end == AFTER)                                 \
        end_it();                                     \
    return done

int fsync(int fd)
{
    char path[4096];
    path_of(fd, path, sizeof path);
    WHOLE_STEP(path, syscall(SYS_fsync, fd));
}

int fdatasync(int fd)
{
    char path[4096];
    path_of(fd, path, sizeof path);
    WHOLE_STEP(path, syscall(SYS_fdatasync, fd));
}

int rename(const char *from, const char *to)
{
    WHOLE_STEP(to, renameat(AT_FDCWD, from, AT_FDCWD, to));
}

int unlink(const char *path)
{
    WHOLE_STEP(path, unlinkat(AT_FDCWD, path, 0));
}
