/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What pmu.bpf.c hands to its user half; crates/probe/src/pmu.rs declares the same. */
#pragma once

#define PMU_EVENTS 6
#define PMU_PROCESSES 4096 /* that run between two readings */

struct pmu_count {
	__u64 periods[PMU_EVENTS]; /* events that the samples stand for */
	__u64 samples[PMU_EVENTS];
	char comm[16]; /* of the first thread; empty on CPUs that did not see it first */
};
