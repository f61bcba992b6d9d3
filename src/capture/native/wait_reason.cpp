// SPDX-License-Identifier: Apache-2.0
#include "capture/native/wait_reason.h"

#include <utility>

namespace atys::capture::native {

namespace {

struct Sign {
  std::string_view part;    // of a function's name
  std::string_view reason;  // empty: none; it is called by many that are told apart further out
};

// The first that fits the innermost function that any fits. Names as of Linux 5.15 to 6.18, both architectures.
constexpr Sign kSigns[] = {
    {"do_wait_intr", ""},
    {"skb_wait_for_more_packets", ""},
    {"futex", "lock"},
    {"semtimedop", "lock"},
    {"lock_inode_wait", "lock"},
    {"nanosleep", "sleep"},
    {"timerfd_", "sleep"},
    {"ep_poll", "poll"},
    {"do_epoll", "poll"},
    {"do_sys_poll", "poll"},
    {"do_select", "poll"},
    {"core_sys_select", "poll"},
    {"pipe_", "pipe"},
    {"anon_pipe", "pipe"},
    {"fifo_open", "pipe"},
    {"unix_", "socket"},
    {"tcp_", "network"},
    {"inet_", "network"},
    {"sk_wait_data", "network"},
    {"skb_wait", "network"},
    {"netlink_", "network"},
    {"packet_recvmsg", "network"},
    {"udp_", "network"},
    {"io_schedule", "disk"},
    {"blk_", "disk"},
    {"folio_wait", "disk"},
    {"jbd2_", "disk"},
    {"ext4_sync", "disk"},
    {"fsync", "disk"},
    {"wait_on_page", "disk"},
    {"submit_bio_wait", "disk"},
    {"xfs_log", "disk"},
    {"btrfs_", "disk"},
    {"do_wait", "child"},
    {"kernel_wait4", "child"},
    {"vfork_done", "child"},
    {"mutex_lock", "kernel lock"},
    {"rwsem_", "kernel lock"},
    {"down_read", "kernel lock"},
    {"down_write", "kernel lock"},
    {"do_sigtimedwait", "signal"},
    {"sigsuspend", "signal"},
    {"sys_pause", "signal"},
    {"signalfd_", "signal"},
    {"eventfd_", "event"},
    {"do_signal_stop", "stopped"},
    {"ptrace_stop", "stopped"},
    {"tty_", "terminal"},
    {"n_tty", "terminal"},
    {"io_cqring_wait", "io_uring"},
    {"do_page_fault", "memory"},
    {"handle_mm_fault", "memory"},
    {"try_to_free", "memory"},
    {"do_exit", "exit"},
};

constexpr std::string_view kAbove[] = {"bpf_",     "__bpf_",           "__traceiter_",   "trace_",    "__schedule",
                                       "schedule", "preempt_schedule", "__cond_resched", "perf_trace"};
constexpr std::string_view kInterrupts[] = {"asm_sysvec_", "asm_common_interrupt", "el1h_64_irq", "el0t_64_irq",
                                            "el0_irq",     "call_on_irq_stack"};
constexpr std::string_view kCallsOurs = "bpf_trace_run";

bool is_of_the_switch(std::string_view kernel_function) {
  for (const std::string_view prefix : kAbove)
    if (kernel_function.starts_with(prefix))
      return !kernel_function.starts_with("schedule_hrtimeout") && !kernel_function.starts_with("schedule_timeout");
  return false;
}

}  // namespace

std::string_view wait_reason(const std::vector<std::string_view>& kernel_functions) {
  for (const std::string_view function : kernel_functions)
    for (const Sign& sign : kSigns) {
      if (function.find(sign.part) == std::string_view::npos) continue;
      if (!sign.reason.empty()) return sign.reason;
      break;
    }
  return "other";
}

// Our programs have names only if they were loaded before the kernel's list of names was read: they are known by what calls
// them.
size_t count_above_the_wait(const std::vector<std::string_view>& kernel_functions) {
  size_t above = 0;
  for (size_t i = 0; i < kernel_functions.size(); ++i)
    if (kernel_functions[i].starts_with(kCallsOurs)) above = i + 1;
  while (above < kernel_functions.size() && is_of_the_switch(kernel_functions[above])) ++above;
  return above;
}
bool is_interrupt(std::string_view kernel_function) {
  for (const std::string_view prefix : kInterrupts)
    if (kernel_function.starts_with(prefix)) return true;
  return false;
}

}  // namespace atys::capture::native
