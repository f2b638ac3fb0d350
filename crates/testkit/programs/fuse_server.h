/* The remote side of a file system: a process that speaks the kernel's FUSE protocol. One
 * folder with one file, `file`, of `file_bytes` zeros; every read of it takes `answer_us`,
 * or is never answered; or from the first read on nothing is answered, with requests left
 * where they are or taken and forgotten. With a `store` what is written is kept there; reads,
 * writes and syncs then take `answer_us` and the time of their bytes. Needs the right to mount.
 */
#ifndef FUSE_SERVER_H
#define FUSE_SERVER_H

#include "bounded.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>

#define FILE_NODE 2
/* The kernel asks for 32 pages at most where nobody has offered more. */
#define MOST_BYTES 131072

static int device;
static long answer_us = 10000;
static uint64_t file_bytes = 65536;
/* A file in memory with what was written, how fast bytes come and go, and where it is said that
 * requests are to take their time; -1: zeros alone. */
static int store = -1;
static uint64_t bytes_per_s;
static volatile int *is_slow;
static enum { SLOW, SILENT_ON_READS, FORGETFUL, DEAD_AFTER_A_READ } server_is;

static void answer(const struct fuse_in_header *request, int error, const void *body, size_t bytes)
{
    struct fuse_out_header header = { .len = sizeof header + bytes, .error = -error, .unique = request->unique };
    struct iovec parts[2] = { { &header, sizeof header }, { (void *)body, bytes } };
    if (writev(device, parts, bytes ? 2 : 1) < 0 && errno != ENOENT)
        die("answer to FUSE");
}

static struct fuse_attr about(uint64_t node)
{
    int is_file = node == FILE_NODE;
    return (struct fuse_attr){ .ino = node, .size = is_file ? file_bytes : 0, .nlink = 1,
                               .mode = is_file ? S_IFREG | 0600 : S_IFDIR | 0700, .blksize = 4096 };
}

static void take_time_for(uint64_t bytes)
{
    if (is_slow && !*is_slow)
        return;
    uint64_t us = answer_us + (bytes_per_s ? bytes * 1000000 / bytes_per_s : 0);
    nanosleep(&(struct timespec){ us / 1000000, us % 1000000 * 1000 }, NULL);
}

static void serve_one(const struct fuse_in_header *request)
{
    static char data[MOST_BYTES];
    const void *body = request + 1;
    switch (request->opcode) {
    case FUSE_INIT: {
        const struct fuse_init_in *asked = body;
        struct fuse_init_out said = { .major = FUSE_KERNEL_VERSION, .minor = FUSE_KERNEL_MINOR_VERSION,
                                      .max_readahead = asked->max_readahead, .max_write = MOST_BYTES };
        return answer(request, 0, &said, sizeof said);
    }
    case FUSE_LOOKUP: {
        struct fuse_entry_out said = { .nodeid = FILE_NODE, .attr = about(FILE_NODE), .entry_valid = 60, .attr_valid = 60 };
        return answer(request, 0, &said, sizeof said);
    }
    case FUSE_GETATTR: {
        struct fuse_attr_out said = { .attr_valid = 60, .attr = about(request->nodeid) };
        return answer(request, 0, &said, sizeof said);
    }
    case FUSE_OPEN: {
        struct fuse_open_out said = { .open_flags = FOPEN_DIRECT_IO };
        return answer(request, 0, &said, sizeof said);
    }
    case FUSE_READ: {
        const struct fuse_read_in *asked = body;
        if (server_is == SILENT_ON_READS || server_is == FORGETFUL)
            return;
        while (server_is == DEAD_AFTER_A_READ)
            pause();
        uint32_t bytes = asked->size < MOST_BYTES ? asked->size : MOST_BYTES;
        take_time_for(bytes);
        if (store >= 0 && pread(store, data, bytes, asked->offset) < 0)
            return answer(request, EIO, NULL, 0);
        return answer(request, 0, data, bytes);
    }
    case FUSE_WRITE: {
        const struct fuse_write_in *asked = body;
        struct fuse_write_out said = { .size = asked->size };
        if (store < 0)
            return answer(request, EROFS, NULL, 0);
        take_time_for(asked->size);
        if (pwrite(store, asked + 1, asked->size, asked->offset) != (ssize_t)asked->size)
            return answer(request, EIO, NULL, 0);
        return answer(request, 0, &said, sizeof said);
    }
    case FUSE_FSYNC:
        take_time_for(0);
        return answer(request, 0, NULL, 0);
    case FUSE_STATFS:
        if (server_is == FORGETFUL)
            return;
        if (store >= 0) {
            struct fuse_statfs_out said = { .st = { .bsize = 4096, .frsize = 4096, .blocks = file_bytes / 4096, .bfree = file_bytes / 4096,
                                                         .bavail = file_bytes / 4096, .namelen = 255 } };
            return answer(request, 0, &said, sizeof said);
        }
        return answer(request, ENOSYS, NULL, 0);
    case FUSE_FORGET:
    case FUSE_BATCH_FORGET:
    case FUSE_INTERRUPT:
        return;
    case FUSE_FLUSH:
    case FUSE_RELEASE:
        return answer(request, 0, NULL, 0);
    default:
        return answer(request, ENOSYS, NULL, 0);
    }
}

static void serve(void)
{
    static char request[MOST_BYTES + 4096] __attribute__((aligned(8)));
    bound_this_life();
    prctl(PR_SET_NAME, "helper");
    while (read(device, request, sizeof request) > 0 || errno == EINTR || errno == ENOENT)
        serve_one((struct fuse_in_header *)request);
    _exit(0);
}

/* The server is a process of its own and dies with this one: a reader that nobody answers
 * can only end when the server's side of the connection is closed. */
static void mount_here_at(const char *path)
{
    char options[128];
    device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    if (device < 0)
        die("/dev/fuse");
    snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=%d,group_id=%d", device, getuid(), getgid());
    if (mount("heldup-it", path, "fuse", MS_NOSUID | MS_NODEV, options))
        die("mount");
    pid_t server = fork();
    if (server < 0)
        die("fork");
    if (server == 0)
        serve();
    close(device);
}

#endif
