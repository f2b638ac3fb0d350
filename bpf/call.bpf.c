// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Which process makes which system calls, how often, and with which error they fail.
 *
 * Only returns are hooked: number, arguments and result are all there, and a second hook at
 * the entry would double the cost. The user half takes the hook away when there are so many
 * calls that counting them costs more than it may.
 */
#include "vmlinux_min.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>
#include "call.h"
#include "overhead.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* arch/x86/include/asm/thread_info.h: a 32-bit call, whose numbers mean something else */
#define TS_COMPAT 0x2

/* Errors beyond these (ERESTARTSYS, …) are the kernel's own: the call is made again, or fails with EINTR. */
#define ERRORS_SHOWN 512
#define ERRORS 4095

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct mm_struct {
	int map_count;
	unsigned long locked_vm;
};

struct task_struct___with_memory {
	struct mm_struct *mm;
};

#pragma clang attribute pop

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, CALL_ENTRIES);
	__type(key, struct call_key);
	__type(value, struct call_count);
} counts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct call_totals);
} totals SEC(".maps");

/* For the next person who fails on a limit: what was asked, and what the process has already. */
static __always_inline void describe(struct call_count *count, struct pt_regs *regs, struct task_struct *task)
{
	count->arguments[0] = regs->di;
	count->arguments[1] = regs->si;
	count->arguments[2] = regs->dx;
	/* By helper: for a pointer loaded directly the verifier looks through all types of the kernel. */
	struct mm_struct *mm = BPF_CORE_READ((struct task_struct___with_memory *)task, mm);
	if (!mm)
		return;
	count->mappings = BPF_CORE_READ(mm, map_count);
	count->locked_pages = BPF_CORE_READ(mm, locked_vm);
}

static __always_inline struct call_count *count_of(struct call_key *key, struct task_struct *task)
{
	struct call_count *count = bpf_map_lookup_elem(&counts, key);
	if (count)
		return count;
	struct call_count first = {};
	BPF_CORE_READ_INTO(&first.name, task, group_leader, comm);
	bpf_map_update_elem(&counts, key, &first, BPF_NOEXIST);
	return bpf_map_lookup_elem(&counts, key);
}

static __always_inline void returned(struct pt_regs *regs, long result)
{
	u32 zero = 0;
	struct task_struct *task = bpf_get_current_task_btf();
	u64 call = regs->orig_ax;
	if (call >= CALL_NUMBERS || task->thread_info.status & TS_COMPAT)
		return;
	struct call_totals *total = bpf_map_lookup_elem(&totals, &zero);
	if (!total)
		return;
	total->seen++;
	struct call_key key = { .tgid = task->tgid, .call = call };
	if (result < 0 && result >= -ERRORS) {
		if (result <= -ERRORS_SHOWN)
			return;
		key.error = -result;
	}
	struct call_count *count = count_of(&key, task);
	if (!count) {
		total->dropped++;
		return;
	}
	__sync_fetch_and_add(&count->calls, 1);
	if (key.error)
		describe(count, regs, task);
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_return, struct pt_regs *regs, long result)
{
	return WITH_OVERHEAD(0, returned(regs, result));
}
