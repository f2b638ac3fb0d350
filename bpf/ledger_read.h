/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The reading half of the ledger: the iterator that writes every task's account, as little of
 * it as user space does not know yet. Included by ledger.bpf.c alone, whose maps and accounts
 * it reads; it changes nothing in an account but what was told of it and a first beginning.
 */
#pragma once

/* Copies an account that others may change; whether it held still for as long. */
static __always_inline bool copy(struct scratch *to, struct ledger_account *from, struct task_struct *task,
				 u64 *now)
{
	for (int attempt = 0; attempt < 4; attempt++) {
		u32 seq = *(volatile u32 *)&from->seq;
		barrier();
		copy_times(to, from);
		to->exec = task->se.sum_exec_runtime;
		to->runs = task->on_cpu;
		*now = bpf_ktime_get_ns();
		barrier();
		if (!(seq & 1) && seq == *(volatile u32 *)&from->seq)
			return true;
	}
	return false;
}

/* Between a hook of a switch and what the scheduler notes of it pass some microseconds. */
#define SWITCH_NS 1000000

/*
 * Closes the copied account's open period at `now`. Where the switch into it was not seen (some
 * kernels hide those of a task that they protect), the account waits and the task is on a CPU, or
 * the other way round. What the scheduler has counted since tells how much of the period ran, as
 * `repair` will say once the task moves: told as it looks, it would be taken back then.
 */
static __always_inline u64 close_checked(struct scratch *scratch, struct task_struct *task, u64 now)
{
	struct ledger_account *s = &scratch->account;
	u64 open = s->since && now > s->since ? now - s->since : 0;
	scratch->waits_until = now;
	if (open >= SWITCH_NS && !!scratch->runs != !!s->on) {
		u64 ran = scratch->exec - s->exec;
		if (ran > open)
			ran = open;
		s->repaired += open;
		s->on_cpu += ran;
		if (s->on) {
			s->on = 0;
			s->kind = KIND_UNKNOWN;
			s->since += ran;
		} else {
			scratch->waits_until = now - ran;
		}
	}
	u64 waits = close_copy(scratch, task, *(volatile u64 *)&scratch->waits_until);
	if (*(volatile u64 *)&scratch->waits_until == now)
		return waits;
	s->on = 1;
	return 0;
}

/* First sight of a task that is off the CPU: its wait begins now. */
static __noinline int seed(struct ledger_account *s, struct task_struct *task)
{
	if (s->since || task->on_cpu)
		return 0;
	s->kind = wait_kind(s, task, raw_state(task));
	s->exec = task->se.sum_exec_runtime;
	u64 now = bpf_ktime_get_ns(), since = task->start_time > attached_ns ? task->start_time : now;
	note_idle(s, task, now);
	/* A switch meanwhile has set it and knows better. */
	__sync_val_compare_and_swap(&s->since, 0, since);
	return 0;
}

/* A long wait that is still open is told by its stack and object too. */
static __noinline void open_late(struct scratch *scratch, struct ledger_account *s, struct task_struct *task)
{
	struct ledger_record *r = &scratch->record;
	u32 kind = r->open_kind;
	struct ledger_time *time = kind < KINDS_LATE ? time_in(&scratch->account, scratch->times, kind) : 0;
	if (!time)
		return;
	r->open_gathered = time->ns - s->stacked[kind];
	if (kind < KINDS_STACKED)
		r->open_stack = stack_of(task, SCRATCH_ITERATOR);
	object_of(&r->open_object, &scratch->account, task, kind);
}

/* When the task was seen to be where it was told to be; 0 when it has moved since. */
static __always_inline u64 still_at(struct ledger_account *s, struct task_struct *task)
{
	u32 seq = *(volatile u32 *)&s->seq;
	barrier();
	bool still = !(seq & 1) && !s->on && !task->on_cpu && s->since && s->since == s->told_since &&
		     s->woken < s->since && s->kind != KIND_QUEUE && (s->kind >= KINDS_LATE || s->told_late);
	if (!still)
		return 0;
	u64 now = bpf_ktime_get_ns();
	barrier();
	return seq == *(volatile u32 *)&s->seq ? now : 0;
}

static __always_inline void write_still(struct bpf_iter__task *ctx, struct task_struct *task, u64 now)
{
	struct ledger_still still = {
		.tid = task->pid | LEDGER_STILL,
		.start_ns = task->start_time,
		.now = now,
	};
	bpf_seq_write(ctx->meta->seq, &still, sizeof(still));
}

/*
 * What a brief record says of the task itself. The task and its account lie in a dozen lines of
 * memory that no cache holds of 10,000 tasks: asked for before the account is looked up, these
 * come while the processor waits for that.
 */
static __always_inline void begin_brief(struct ledger_brief *r, struct task_struct *task)
{
	r->tid = task->pid | LEDGER_BRIEF;
	r->start_ns = task->start_time;
	r->utime_ns = task->utime;
	r->stime_ns = task->stime;
	__builtin_memcpy(r->comm, task->comm, sizeof(r->comm));
}

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct mm_struct___with_size {
	unsigned long total_vm;
};

struct task_struct___with_size {
	struct mm_struct___with_size *mm;
};

#pragma clang attribute pop

/* An odd number (2^64 / golden ratio): a change of one of the numbers changes the sum. */
#define DEED(sum, number) ((sum) * 0x9e3779b97f4a7c15 + (number))

/*
 * What /proc/PID/stat and io tell of a task but for its time on a CPU, in one number that changes
 * with it: the files of who ran and did nothing that shows there need not be read.
 */
static __always_inline u64 deeds_of(struct task_struct *task)
{
	u64 sum = DEED(task->min_flt, task->maj_flt);
	if (bpf_core_field_exists(task->ioac.syscr)) {
		sum = DEED(DEED(sum, task->ioac.rchar), task->ioac.wchar);
		sum = DEED(DEED(sum, task->ioac.syscr), task->ioac.syscw);
	}
	if (bpf_core_field_exists(task->ioac.read_bytes)) {
		sum = DEED(DEED(sum, task->ioac.read_bytes), task->ioac.write_bytes);
		sum = DEED(sum, task->ioac.cancelled_write_bytes);
	}
	if (task->flags & PF_KTHREAD)
		return sum;
	return DEED(sum, BPF_CORE_READ((struct task_struct___with_size *)task, mm, total_vm));
}

static __always_inline long write_brief(struct bpf_iter__task *ctx, struct task_struct *task,
					struct scratch *scratch, u64 now, u64 open_ns)
{
	struct ledger_account *s = &scratch->account;
	struct ledger_brief *r = &scratch->brief;
	r->on = s->on;
	r->open_kind = s->kind;
	r->called = s->called;
	r->times = s->used;
	r->now = now;
	r->on_cpu = s->on_cpu;
	r->repaired = s->repaired;
	r->open_ns = open_ns;
	r->deeds = deeds_of(task);
	count_io(&r->io, task);
	return bpf_seq_write(ctx->meta->seq, r, sizeof(*r) + times_length(scratch));
}

/*
 * One task: as little as user space needs to know it by heart. What was told is noted only
 * once it is written: where the buffer is full the task is met again.
 */
SEC("iter/task")
int read_tasks(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	u32 which = SCRATCH_ITERATOR, zero = 0;
	struct scratch *scratch = bpf_map_lookup_elem(&scratches, &which);
	u32 *wanted = bpf_map_lookup_elem(&whole, &zero);
	u32 *own = bpf_map_lookup_elem(&reader, &zero);
	if (!task || !scratch || !wanted || !own)
		return 0;
	*own = bpf_get_current_pid_tgid() >> 32;
	if (!ctx->meta->seq_num)
		drop_offline(bpf_ktime_get_ns());
	u64 groups = (u64)task->cgroups;
	begin_brief(&scratch->brief, task);
	struct ledger_account *s = bpf_task_storage_get(&accounts, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!s || s->dead)
		return 0;
	scratch->known = !*wanted && s->told && s->told_groups == groups;
	if (scratch->known) {
		u64 still = still_at(s, task);
		if (still) {
			write_still(ctx, task, still);
			return 0;
		}
	}
	seed(s, task);
	scratch->torn = !copy(scratch, s, task, &scratch->now);
	struct ledger_account *copied = &scratch->account;
	u64 now = *(volatile u64 *)&scratch->now;
	if (copied->assumed && !copied->on && now - copied->since > LEDGER_FILE_SURE_NS)
		make_sure(copied, task);
	u64 open_ns = close_checked(scratch, task, now);
	bool late = copied->kind < KINDS_LATE && open_ns >= late_ns;
	bool torn = *(volatile u32 *)&scratch->torn;
	long failed;
	if (*(volatile u32 *)&scratch->known && !torn && !late) {
		failed = write_brief(ctx, task, scratch, now, open_ns);
	} else {
		tell(scratch, now, open_ns);
		scratch->record.torn = torn;
		if (late)
			open_late(scratch, s, task);
		describe(&scratch->record, task);
		failed = bpf_seq_write(ctx->meta->seq, &scratch->record,
				       sizeof(scratch->record) + times_length(scratch));
	}
	if (failed || torn)
		return 0;
	s->told = 1;
	s->told_groups = groups;
	s->told_late = late;
	s->told_since = copied->on ? 0 : copied->since;
	return 0;
}
