// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Reads what the interrupted thread has published of its work at hand: the record of OpenTelemetry's thread context, or the
// labels of a goroutine. The thread stands still meanwhile. Included by sampler.bpf.c.
#ifndef ATYS_CONTEXT_BPF_H
#define ATYS_CONTEXT_BPF_H

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 4096);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, __u32);
  __type(value, struct atys_context_place);
} contexts SEC(".maps");

// Not static, here and below: such a function is checked once, not once for each way that leads to it.
__noinline __u64 user_word(__u64 at) {
  __u64 word = 0;
  if (!at || bpf_probe_read_user(&word, sizeof(word), (void*)at) != 0) return 0;
  return word;
}

// The C library's vector of thread-local blocks: two words an entry, the first of them where the block is; odd: not made
// yet.
static __u64 variable_of_module(const struct atys_context_place* place, __u64 thread_pointer) {
  __u64 vector = user_word(thread_pointer + ATYS_VECTOR_AT);
  __u64 block = vector ? user_word(vector + (__u64)place->module * 16) : 0;
  return block && !(block & 1) ? block + place->offset : 0;
}

// Copies the record to the end of the payload; what it points to is checked by user space.
static __u32 copy_context(struct scratch* scratch, __u64 at, __u64 from) {
  char* to = &scratch->payload[at];
  __u16 size = 0;
  if (!from || bpf_probe_read_user(to, ATYS_CONTEXT_HEAD, (void*)from) != 0) return 0;
  if (to[ATYS_CONTEXT_VALID_AT] != 1) return 0;
  __builtin_memcpy(&size, &to[ATYS_CONTEXT_SIZE_AT], sizeof(size));
  __u64 bytes = size;
  *(__u32*)&to[ATYS_CONTEXT_HEAD] = 0;  // up to the next word
  if (bytes == 0) return ATYS_CONTEXT_HEAD + 4;
  if (bytes > ATYS_MAX_CONTEXT - ATYS_CONTEXT_HEAD) bytes = ATYS_MAX_CONTEXT - ATYS_CONTEXT_HEAD;
  ATYS_CHECKED_BELOW(bytes);
  if (bytes > ATYS_MAX_CONTEXT - ATYS_CONTEXT_HEAD) return 0;
  if (bpf_probe_read_user(&to[ATYS_CONTEXT_HEAD], bytes, (void*)(from + ATYS_CONTEXT_HEAD)) != 0) return 0;
  __u64 end = ATYS_CONTEXT_HEAD + bytes;
  ATYS_CHECKED_BELOW(end);
  if (end > ATYS_MAX_CONTEXT) return 0;
  __builtin_memset(&to[end], 0, 8);  // the rest of the last word is part of what is compared
  return (end + 7) & ~7ull;
}

struct copying_labels {
  struct scratch* scratch;
  __u64 at;
  __u64 list;
  __u64 count;
};

static long copy_label(__u64 index, void* context) {
  struct copying_labels* copying = context;
  __u64 texts[4] = {};  // where the key is, how long, where the value is, how long
  __u64 at = copying->at + index * ATYS_GO_LABEL;
  ATYS_CHECKED_BELOW(at);
  if (index >= copying->count || at > ATYS_BEFORE_COPY + ATYS_MAX_USER_FRAMES * 8 + ATYS_MAX_CONTEXT) return 1;
  if (bpf_probe_read_user(texts, sizeof(texts), (void*)(copying->list + index * sizeof(texts))) != 0) return 1;
  struct atys_go_label* label = (struct atys_go_label*)&copying->scratch->payload[at];
  __builtin_memset(label, 0, sizeof(*label));
  __u64 key = texts[1] < ATYS_GO_KEY ? texts[1] : ATYS_GO_KEY;
  __u64 value = texts[3] < ATYS_GO_VALUE ? texts[3] : ATYS_GO_VALUE;
  ATYS_CHECKED_BELOW(key);
  ATYS_CHECKED_BELOW(value);
  if (key == 0 || key > ATYS_GO_KEY || value > ATYS_GO_VALUE) return 1;
  if (bpf_probe_read_user(label->key, key, (void*)texts[0]) != 0) return 1;
  if (value && bpf_probe_read_user(label->value, value, (void*)texts[2]) != 0) return 1;
  label->key_length = texts[1] < 255 ? texts[1] : 255;
  label->value_length = texts[3] < 255 ? texts[3] : 255;
  copying->scratch->record.context_bytes = (index + 1) * ATYS_GO_LABEL;
  return 0;
}

// The runtime may be on its own stack in the name of a goroutine: labels are the goroutine's.
static __u32 copy_go_labels(struct scratch* scratch, __u64 at, const struct atys_context_place* place, __u64 g) {
  __u64 m = g ? user_word(g + place->go_m) : 0;
  __u64 goroutine = m ? user_word(m + place->go_curg) : 0;
  __u64 labels = goroutine ? user_word(goroutine + place->go_labels) : 0;
  if (!labels) return 0;
  struct copying_labels copying = {.scratch = scratch, .at = at, .list = user_word(labels), .count = user_word(labels + 8)};
  if (copying.list) bpf_loop(ATYS_MAX_GO_LABELS, copy_label, &copying, 0);
  return scratch->record.context_bytes;
}

// What Go calls g: in a variable on x86_64, in a register on aarch64.
static __u64 goroutine_of(struct task_struct* task, __u64 variable) {
  if (ATYS_CALLER_IS_ON_STACK) return user_word(variable);
  struct pt_regs* regs = (struct pt_regs*)bpf_task_pt_regs(task);
  return regs ? ATYS_REG_LIVE(regs) : 0;
}

static struct atys_context_place* place_of(__u32 tgid) {
  if (only_tgid) return only.has_place ? &only.place : 0;
  return bpf_map_lookup_elem(&contexts, &tgid);
}

// Adds the context at the end of the payload, which has `at` bytes; returns how many it has then.
__noinline __u32 add_context(struct scratch* scratch, __u32 payload) {
  if (!scratch) return payload;
  struct atys_record* record = &scratch->record;
  struct atys_context_place* place = place_of(record->tgid);
  if (!place) return payload;
  struct task_struct* task = (struct task_struct*)bpf_get_current_task_btf();
  __u64 thread_pointer = ATYS_THREAD_POINTER(task);
  __u64 at = (payload + 7) & ~7ull;
  ATYS_CHECKED_BELOW(at);
  if (at > ATYS_BEFORE_COPY + ATYS_MAX_COPY) return payload;
  if (place->kind == ATYS_GO_LABELS) {  // on aarch64, threads of Go alone have no thread pointer
    record->context_bytes = copy_go_labels(scratch, at, place, goroutine_of(task, thread_pointer + place->offset));
  } else if (thread_pointer) {
    __u64 variable =
        place->kind == ATYS_BY_MODULE ? variable_of_module(place, thread_pointer) : thread_pointer + place->offset;
    record->context_bytes = copy_context(scratch, at, variable ? user_word(variable) : 0);
  }
  return record->context_bytes ? at + record->context_bytes : payload;
}

#endif
