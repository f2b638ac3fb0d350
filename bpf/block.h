/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What block.bpf.c hands to its user half; crates/probe/src/block_latency.rs declares the same. */
#pragma once

#define BLOCK_ENTRIES 1024 /* devices, operations and sizes together */
#define BLOCK_SETS 8192 /* of two requests each that are at their device at the same time */
/*
 * Bucket 0 is below 1,024 ns; then four buckets of equal width for each doubling; the last
 * one begins at 2^36 ns (69 s). Never to be changed: histograms are added over years and hosts.
 */
#define BLOCK_BUCKETS 106
#define BLOCK_FIRST_BIT 10

enum block_operation {
	BLOCK_READ,
	BLOCK_WRITE,
	BLOCK_FLUSH,
	BLOCK_DISCARD,
	BLOCK_OTHER,
};

struct block_key {
	__u32 device; /* major << 20 | minor */
	__u8 operation;
	__u8 size; /* 0: below 8 KiB; each further one four times as much; 4: from 512 KiB on */
	__u16 zero;
};

/*
 * A request follows a stream when it begins at most this many sectors before or after the
 * end of one of the last requests: several of a stream that are at the device together
 * end in any order. Of random requests on 64 MiB two in a hundred do so by chance.
 */
#define BLOCK_NEAR_SECTORS 256
#define BLOCK_STREAMS 4 /* as many tasks may read or write in turns */

/* Requests by time, since the start; the counters may wrap. */
struct block_latency {
	__u32 queue[BLOCK_BUCKETS]; /* from the request's making to its being given to the device */
	__u32 device[BLOCK_BUCKETS]; /* from there to its end */
	__u32 sequential[BLOCK_BUCKETS]; /* of these, the ones that followed a stream */
	__u32 oldest; /* of the streams */
	__u32 zero;
	__u64 ends[BLOCK_STREAMS]; /* sector behind the last request of each */
};

struct block_totals {
	__u64 dropped; /* requests whose time could not be kept */
};
