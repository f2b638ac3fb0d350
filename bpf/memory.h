/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What memory.bpf.c hands to its user half; crates/probe/src/memory_event.rs declares the same. */
#pragma once

#define MEMORY_PROCESSES 4096 /* that reclaim between two readings */
#define MEMORY_AT_WORK 4096 /* tasks that reclaim at the same time */

enum memory_work {
	MEMORY_DIRECT_RECLAIM, /* for memory of the machine */
	MEMORY_GROUP_RECLAIM, /* because a control group is at its limit */
	MEMORY_COMPACTION, /* of a zone */
	MEMORY_WORKS,
};

struct memory_counts {
	__u64 times[MEMORY_WORKS];
	__u64 ns[MEMORY_WORKS];
	__u64 pages[MEMORY_WORKS]; /* reclaimed; compaction says none */
	__u64 throttles;
	__u64 throttled_us;
	char comm[16]; /* of the first thread */
};
