// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * How long requests to block devices take, in the queue and at the device, as histograms.
 *
 * The kernel keeps the time at which a request was made in the request itself; when it was
 * given to the device is kept here, in a table of small sets that is indexed directly: a
 * hash map would cost three times as much, and its entries would have to be made and freed
 * for each request. What does not fit is counted.
 */
#include "vmlinux_min.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>
#include "block.h"
#include "overhead.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* include/linux/blk_types.h; these numbers have not moved since 4.10 */
#define REQ_OP_MASK 0xff
#define REQ_OP_READ 0
#define REQ_OP_WRITE 1
#define REQ_OP_FLUSH 2
#define REQ_OP_DISCARD 3
#define REQ_OP_SECURE_ERASE 5
/* Commands of drivers, which are no reads or writes; 34 and 35, and 32 to 35 before 5.14. */
#define REQ_OP_SCSI_IN 32

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct gendisk {
	int major, first_minor;
};

struct request_queue {
	struct gendisk *disk;
};

struct request {
	struct request_queue *q;
	unsigned int cmd_flags;
	unsigned int __data_len;
	u64 __sector;
	u64 start_time_ns;
};

/* The disk moved from the request to its queue in 5.17. */
struct request___before_5_17 {
	struct gendisk *rq_disk;
};

#pragma clang attribute pop

struct issued {
	u64 request; /* 0: free */
	u64 at_ns;
};

struct set {
	struct issued ways[2];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, BLOCK_SETS);
	__type(key, u32);
	__type(value, struct set);
} sets SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, BLOCK_ENTRIES);
	__type(key, struct block_key);
	__type(value, struct block_latency);
} latencies SEC(".maps");

/* Never written: what a new entry starts with, too large for the stack. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct block_latency);
} empty SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct block_totals);
} totals SEC(".maps");

static __always_inline void count_dropped(void)
{
	u32 zero = 0;
	struct block_totals *total = bpf_map_lookup_elem(&totals, &zero);
	if (total)
		total->dropped++;
}

/* Requests lie one behind the other in large pages: the multiplication scatters them. */
static __always_inline struct set *set_of(u64 request)
{
	u32 at = (request * 0x9e3779b97f4a7c15ull) >> 51;
	return bpf_map_lookup_elem(&sets, &at);
}

/* The verifier lets nobody calculate with a pointer that it knows; read back, it is a number. */
static __always_inline u64 number_of(struct request *rq)
{
	u64 number = 0;
	bpf_probe_read_kernel(&number, sizeof(number), &rq);
	return number;
}

static __always_inline bool claim(struct issued *way, u64 request)
{
	return way->request == request || !__sync_val_compare_and_swap(&way->request, 0, request);
}

static __always_inline void issued(struct request *rq)
{
	u64 request = number_of(rq);
	struct set *set = set_of(request);
	if (!set)
		return;
	struct issued *way = &set->ways[0];
	if (!claim(way, request)) {
		way = &set->ways[1];
		if (!claim(way, request)) {
			/* The older of the two may be one whose end was not seen. */
			way = &set->ways[set->ways[1].at_ns < set->ways[0].at_ns];
			way->request = request;
			count_dropped();
		}
	}
	way->at_ns = bpf_ktime_get_ns();
}

/* A request that the driver sends back is issued again: the last time counts. */
SEC("tp_btf/block_rq_issue")
int BPF_PROG(on_issue, struct request *rq)
{
	return WITH_OVERHEAD(0, issued(rq));
}

/* Refused by 5.11 and later, which have one argument. */
SEC("tp_btf/block_rq_issue")
int BPF_PROG(on_issue_before_5_11, struct request_queue *q, struct request *rq)
{
	return WITH_OVERHEAD(0, issued(rq));
}

/*
 * Of less than 2^63. Each step asks by a subtraction whether the upper half is in use: the verifier
 * walks what follows a branch once for each way through it, and these would be 32 ways.
 */
static __always_inline u32 log2_of(u64 value)
{
	u32 bit = 0;
#pragma unroll
	for (u32 half = 32; half; half >>= 1) {
		u32 shift = ((((1ull << half) - 1) - value) >> 63) * half;
		value >>= shift;
		bit += shift;
	}
	return bit;
}

static __always_inline u32 bucket_of(s64 ns)
{
	if (ns < 1 << BLOCK_FIRST_BIT)
		return 0;
	u32 bit = log2_of(ns);
	u32 bucket = 1 + (bit - BLOCK_FIRST_BIT) * 4 + ((ns >> (bit - 2)) & 3);
	return bucket < BLOCK_BUCKETS ? bucket : BLOCK_BUCKETS - 1;
}

static __always_inline u8 operation_of(u32 flags)
{
	switch (flags & REQ_OP_MASK) {
	case REQ_OP_READ:
		return BLOCK_READ;
	case REQ_OP_WRITE:
		return BLOCK_WRITE;
	case REQ_OP_FLUSH:
		return BLOCK_FLUSH;
	case REQ_OP_DISCARD:
	case REQ_OP_SECURE_ERASE:
		return BLOCK_DISCARD;
	}
	return BLOCK_OTHER;
}

static __always_inline u8 size_of(u32 bytes)
{
	if (bytes < 32 << 10)
		return bytes >= 8 << 10;
	return bytes < 128 << 10 ? 2 : bytes < 512 << 10 ? 3 : 4;
}

static __always_inline u32 device_of(struct request *rq)
{
	struct request___before_5_17 *old = (void *)rq;
	struct gendisk *disk;
	if (bpf_core_field_exists(old->rq_disk)) {
		disk = BPF_CORE_READ(old, rq_disk);
		return BPF_CORE_READ(disk, major) << 20 | BPF_CORE_READ(disk, first_minor);
	}
	/* By helper: for a pointer loaded directly the verifier looks through all types of the kernel. */
	disk = BPF_CORE_READ(rq, q, disk);
	return BPF_CORE_READ(disk, major) << 20 | BPF_CORE_READ(disk, first_minor);
}

static __always_inline struct block_latency *latency_of(struct request *rq)
{
	struct block_key key = { .operation = operation_of(rq->cmd_flags), .size = size_of(rq->__data_len) };
	key.device = device_of(rq);
	struct block_latency *latency = bpf_map_lookup_elem(&latencies, &key);
	if (latency)
		return latency;
	u32 zero = 0;
	struct block_latency *first = bpf_map_lookup_elem(&empty, &zero);
	if (first)
		bpf_map_update_elem(&latencies, &key, first, BPF_NOEXIST);
	return bpf_map_lookup_elem(&latencies, &key);
}

/*
 * Whether a request follows a stream, which it then carries on; else it begins one. Two CPUs
 * at once may lose a stream, which costs one request its name and nothing else.
 */
static __always_inline bool follows(struct block_latency *latency, u64 sector, u32 bytes)
{
	u64 end = sector + (bytes >> 9);
#pragma unroll
	for (u32 i = 0; i < BLOCK_STREAMS; i++) {
		if (sector + BLOCK_NEAR_SECTORS - latency->ends[i] <= 2 * BLOCK_NEAR_SECTORS) {
			latency->ends[i] = end;
			return true;
		}
	}
	latency->ends[latency->oldest++ & (BLOCK_STREAMS - 1)] = end;
	return false;
}

static __always_inline void completed(struct request *rq, unsigned int bytes)
{
	/* A part of it: the rest is still to come. */
	if (bytes < rq->__data_len)
		return;
	u64 request = number_of(rq);
	struct set *set = set_of(request);
	if (!set)
		return;
	struct issued *way = &set->ways[0];
	if (way->request != request) {
		way = &set->ways[1];
		/* Given to the device before we looked. */
		if (way->request != request)
			return;
	}
	u64 at = way->at_ns;
	way->request = 0;
	if ((rq->cmd_flags & REQ_OP_MASK) >= REQ_OP_SCSI_IN)
		return;
	u64 now = bpf_ktime_get_ns();
	struct block_latency *latency = latency_of(rq);
	if (!latency) {
		count_dropped();
		return;
	}
	u32 bucket = bucket_of(now - at);
	/* A flush has no place. */
	bool sequential = rq->__data_len && follows(latency, rq->__sector, rq->__data_len);
	if (bucket < BLOCK_BUCKETS) {
		__sync_fetch_and_add(&latency->device[bucket], 1);
		if (sequential)
			__sync_fetch_and_add(&latency->sequential[bucket], 1);
	}
	/* Not kept where the device's queue/iostats is 0. */
	u64 made = rq->start_time_ns;
	if (!made)
		return;
	bucket = bucket_of(at - made);
	if (bucket < BLOCK_BUCKETS)
		__sync_fetch_and_add(&latency->queue[bucket], 1);
}

SEC("tp_btf/block_rq_complete")
int BPF_PROG(on_complete, struct request *rq, int error, unsigned int bytes)
{
	return WITH_OVERHEAD(1, completed(rq, bytes));
}
