/* Known waits for a remote file system: PATH is an empty folder to mount it on.
 *
 * Every read of the file there takes 10 ms, or is never answered; or from the first read
 * on nothing is answered, with requests left where they are or taken and forgotten. Needs
 * the right to mount.
 */
#define _GNU_SOURCE
#include "clocked.h"
#include "fuse_server.h"

static void mount_here(void)
{
    mount_here_at(waits_path);
}

static void mount_silent(void)
{
    server_is = SILENT_ON_READS;
    mount_here();
}

static void mount_forgetful(void)
{
    server_is = FORGETFUL;
    mount_here();
}

static void mount_dead(void)
{
    server_is = DEAD_AFTER_A_READ;
    mount_here();
}

static void read_remote(struct waiter *waiter)
{
    char path[4096], buffer[4096];
    snprintf(path, sizeof path, "%s/file", waits_path);
    int file = open(path, O_RDONLY);
    if (file < 0)
        die(path);
    while (waits_go_on())
        CLOCKED(waiter, if (pread(file, buffer, sizeof buffer, 0) != sizeof buffer) die("pread"));
    close(file);
    umount2(waits_path, MNT_DETACH);
}

int main(int argc, char **argv)
{
    static const struct known_wait waits[] = {
        { "fuse", "remote_fs", 1, 0, read_remote, mount_here },
        { "unanswered", "remote_fs", 1, 0, read_remote, mount_silent },
        { "forgetful", "remote_fs", 1, 0, read_remote, mount_forgetful },
        { "dead", "remote_fs", 1, 0, read_remote, mount_dead },
        { 0 },
    };
    return run_waits(argc, argv, waits);
}
