/* Known waits for a disk: PATH is a folder on it with a file `data`. */
#define _GNU_SOURCE
#include "clocked.h"
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <sys/mman.h>

#define PIECE 65536

/* A file of the folder, its size, and a position in it that jumps about. */
struct target {
    int file;
    off_t size, offset;
    char *buffer;
};

static struct target opened(const char *name, int flags)
{
    char path[4096];
    struct target target = { .buffer = aligned_alloc(4096, PIECE) };
    snprintf(path, sizeof path, "%s/%s", waits_path, name);
    target.file = open(path, flags, 0600);
    if (target.file < 0)
        die(path);
    memset(target.buffer, 1, PIECE);
    target.size = lseek(target.file, 0, SEEK_END);
    return target;
}

static off_t next_offset(struct target *target)
{
    target->offset = (target->offset + 7 * PIECE) % (target->size - PIECE) / 4096 * 4096;
    return target->offset;
}

static void read_direct(struct waiter *waiter)
{
    struct target t = opened("data", O_RDONLY | O_DIRECT);
    while (waits_go_on())
        CLOCKED(waiter, if (pread(t.file, t.buffer, PIECE, next_offset(&t)) != PIECE) die("pread"));
}

/* Through the page cache, from which the piece was dropped before. */
static void read_cold(struct waiter *waiter)
{
    struct target t = opened("data", O_RDONLY);
    posix_fadvise(t.file, 0, 0, POSIX_FADV_RANDOM);
    while (waits_go_on()) {
        off_t offset = next_offset(&t);
        posix_fadvise(t.file, offset, PIECE, POSIX_FADV_DONTNEED);
        CLOCKED(waiter, if (pread(t.file, t.buffer, 4096, offset) != 4096) die("pread"));
    }
}

static void write_direct(struct waiter *waiter)
{
    struct target t = opened("data", O_RDWR | O_DIRECT);
    while (waits_go_on())
        CLOCKED(waiter, if (pwrite(t.file, t.buffer, PIECE, next_offset(&t)) != PIECE) die("pwrite"));
}

static void sync_file(struct waiter *waiter)
{
    struct target t = opened("synced", O_CREAT | O_RDWR);
    while (waits_go_on()) {
        if (pwrite(t.file, t.buffer, 4096, 0) != 4096)
            die("pwrite");
        CLOCKED(waiter, if (fsync(t.file)) die("fsync"));
    }
}

static void write_synchronous(struct waiter *waiter)
{
    struct target t = opened("synchronous", O_CREAT | O_RDWR | O_SYNC);
    while (waits_go_on())
        CLOCKED(waiter, if (pwrite(t.file, t.buffer, 4096, 0) != 4096) die("pwrite"));
}

/* PATH is a slow block device. To start writing back waits only where the kernel holds the
 * writer back; `finish` waits for the rest. */
static void write_back(struct waiter *waiter, void (*finish)(struct waiter *, int device))
{
    enum { BYTES = 64 << 20 };
    int device = open(waits_path, O_RDWR);
    char *buffer = malloc(BYTES);
    if (device < 0)
        die(waits_path);
    memset(buffer, 1, BYTES);
    while (waits_go_on()) {
        if (pwrite(device, buffer, BYTES, 0) != BYTES)
            die("pwrite");
        CLOCKED(waiter, if (sync_file_range(device, 0, BYTES, SYNC_FILE_RANGE_WRITE)) die("sync_file_range"));
        finish(waiter, device);
    }
}

/* Long enough for what the device has in its queue. */
static void sleep_it_out(struct waiter *waiter, int device)
{
    (void)device;
    clocked_sleep_us(waiter, 400000);
}

static void wait_for_the_rest(struct waiter *waiter, int device)
{
    waiter->classes[1].class_name = "disk_sync";
    CLOCKED_AS(waiter, 1, if (fdatasync(device)) die("fdatasync"));
}

static void start_writing(struct waiter *waiter)
{
    write_back(waiter, sleep_it_out);
}

static void alternate(struct waiter *waiter)
{
    write_back(waiter, wait_for_the_rest);
}

/* Each touch is of a page that was dropped from memory. */
static void fault(struct waiter *waiter)
{
    struct target t = opened("data", O_RDONLY);
    volatile char *map = mmap(NULL, t.size, PROT_READ, MAP_SHARED, t.file, 0);
    char sum = 0;
    if (map == MAP_FAILED)
        die("mmap");
    madvise((void *)map, t.size, MADV_RANDOM);
    while (waits_go_on()) {
        off_t offset = next_offset(&t);
        madvise((void *)(map + offset), 4096, MADV_DONTNEED);
        posix_fadvise(t.file, offset, 4096, POSIX_FADV_DONTNEED);
        CLOCKED(waiter, sum += map[offset]);
    }
    t.buffer[0] = sum;
}

static void aio(struct waiter *waiter)
{
    struct target t = opened("data", O_RDONLY | O_DIRECT);
    aio_context_t context = 0;
    struct io_event event;
    struct iocb request = { .aio_fildes = t.file, .aio_lio_opcode = IOCB_CMD_PREAD,
                            .aio_buf = (uintptr_t)t.buffer, .aio_nbytes = PIECE };
    struct iocb *requests[1] = { &request };
    if (syscall(SYS_io_setup, 1, &context))
        die("io_setup");
    while (waits_go_on()) {
        request.aio_offset = next_offset(&t);
        if (syscall(SYS_io_submit, context, 1, requests) != 1)
            die("io_submit");
        CLOCKED(waiter, if (syscall(SYS_io_getevents, context, 1, 1, &event, NULL) != 1) die("io_getevents"));
    }
}

/* The two rings of one io_uring instance, as far as one request at a time needs them. */
struct ring {
    int file;
    unsigned *submit_tail, *submit_array, submit_mask, *complete_head;
    struct io_uring_sqe *entries;
};

static struct ring ring_of_one(void)
{
    struct io_uring_params about = { 0 };
    struct ring ring = { .file = syscall(SYS_io_uring_setup, 1, &about) };
    if (ring.file < 0)
        die("io_uring_setup");
    int access = PROT_READ | PROT_WRITE, how = MAP_SHARED | MAP_POPULATE;
    char *submit = mmap(NULL, about.sq_off.array + about.sq_entries * sizeof(unsigned), access, how, ring.file,
                        IORING_OFF_SQ_RING);
    char *complete = mmap(NULL, about.cq_off.cqes + about.cq_entries * sizeof(struct io_uring_cqe), access, how,
                          ring.file, IORING_OFF_CQ_RING);
    ring.entries = mmap(NULL, about.sq_entries * sizeof(struct io_uring_sqe), access, how, ring.file,
                        IORING_OFF_SQES);
    if (submit == MAP_FAILED || complete == MAP_FAILED || ring.entries == MAP_FAILED)
        die("mmap of a ring");
    ring.submit_tail = (unsigned *)(submit + about.sq_off.tail);
    ring.submit_array = (unsigned *)(submit + about.sq_off.array);
    ring.submit_mask = *(unsigned *)(submit + about.sq_off.ring_mask);
    ring.complete_head = (unsigned *)(complete + about.cq_off.head);
    return ring;
}

static void uring(struct waiter *waiter)
{
    struct target t = opened("data", O_RDONLY | O_DIRECT);
    struct ring ring = ring_of_one();
    while (waits_go_on()) {
        unsigned tail = *ring.submit_tail, slot = tail & ring.submit_mask;
        ring.entries[slot] = (struct io_uring_sqe){ .opcode = IORING_OP_READ, .fd = t.file,
                                                    .addr = (uintptr_t)t.buffer, .len = PIECE,
                                                    .off = next_offset(&t) };
        ring.submit_array[slot] = slot;
        __atomic_store_n(ring.submit_tail, tail + 1, __ATOMIC_RELEASE);
        if (syscall(SYS_io_uring_enter, ring.file, 1, 0, 0, NULL, 0) != 1)
            die("io_uring_enter");
        CLOCKED(waiter, syscall(SYS_io_uring_enter, ring.file, 0, 1, IORING_ENTER_GETEVENTS, NULL, 0));
        __atomic_fetch_add(ring.complete_head, 1, __ATOMIC_RELEASE);
    }
}

int main(int argc, char **argv)
{
    static const struct known_wait waits[] = {
        { "read-direct", "disk_read", 1, 0, read_direct, NULL },
        { "read-cold", "disk_read", 1, 0, read_cold, NULL },
        { "start-writing", "disk_throttle", 1, 0, start_writing, NULL },
        { "alternate", "disk_throttle", 1, 0, alternate, NULL },
        { "write-direct", "disk_write", 1, 0, write_direct, NULL },
        { "fsync", "disk_sync", 1, 0, sync_file, NULL },
        { "write-sync", "disk_sync", 1, 0, write_synchronous, NULL },
        { "fault", "disk_fault", 1, 0, fault, NULL },
        { "aio", "disk_async", 1, 0, aio, NULL },
        { "uring", "disk_async", 1, 0, uring, NULL },
        { 0 },
    };
    return run_waits(argc, argv, waits);
}
