// SPDX-License-Identifier: Apache-2.0
#include "capture/native/wait_reason.h"

#include <gtest/gtest.h>

namespace atys::capture::native {
namespace {

TEST(wait_reason, is_told_by_the_innermost_function_that_says_something) {
  EXPECT_EQ(wait_reason({"futex_wait_queue", "futex_wait", "do_futex", "__x64_sys_futex"}), "lock");
  EXPECT_EQ(wait_reason({"do_nanosleep", "hrtimer_nanosleep", "common_nsleep"}), "sleep");
  EXPECT_EQ(wait_reason({"schedule_hrtimeout_range", "ep_poll", "do_epoll_wait"}), "poll");
  EXPECT_EQ(wait_reason({"anon_pipe_read", "vfs_read", "ksys_read"}), "pipe");
  EXPECT_EQ(wait_reason({"io_schedule", "folio_wait_bit_common", "filemap_read"}), "disk");
  EXPECT_EQ(wait_reason({"sk_wait_data", "tcp_recvmsg_locked"}), "network");
  EXPECT_EQ(wait_reason({"something_new"}), "other");
  EXPECT_EQ(wait_reason({}), "other");
}

TEST(wait_reason, is_not_told_by_a_function_that_many_wait_in) {
  EXPECT_EQ(wait_reason({"do_wait_intr_irq", "eventfd_read", "vfs_read"}), "event");
  EXPECT_EQ(wait_reason({"do_wait_intr_irq", "timerfd_read_iter", "vfs_read"}), "sleep");
  EXPECT_EQ(wait_reason({"do_wait", "kernel_wait4"}), "child");
  EXPECT_EQ(wait_reason({"__skb_wait_for_more_packets", "skb_recv_datagram", "unix_accept"}), "socket");
  EXPECT_EQ(wait_reason({"__skb_wait_for_more_packets", "__skb_recv_udp", "udp_recvmsg"}), "network");
  EXPECT_EQ(wait_reason({"__skb_wait_for_more_packets", "skb_recv_datagram", "netlink_recvmsg"}), "network");
  EXPECT_EQ(wait_reason({"__skb_wait_for_more_packets"}), "other");
}

TEST(wait_reason, leaves_out_what_is_above_the_wait) {
  EXPECT_EQ(count_above_the_wait({"__traceiter_sched_switch", "__schedule", "schedule", "futex_wait"}), 3u);
  EXPECT_EQ(count_above_the_wait({"__schedule", "schedule", "schedule_timeout", "schedule"}), 2u);
  EXPECT_EQ(count_above_the_wait({"futex_wait"}), 0u);
  EXPECT_EQ(count_above_the_wait({}), 0u);
}

TEST(wait_reason, leaves_out_programs_of_ours_that_have_no_name) {
  EXPECT_EQ(count_above_the_wait({"", "", "bpf_trace_run4", "__schedule", "schedule", "do_nanosleep", ""}), 5u);
  EXPECT_EQ(count_above_the_wait({"bpf_prog_1234_on_switch", "bpf_trace_run4"}), 2u);
  EXPECT_EQ(count_above_the_wait({"", "futex_wait"}), 0u);
}

TEST(wait_reason, knows_interrupts) {
  EXPECT_TRUE(is_interrupt("asm_sysvec_apic_timer_interrupt"));
  EXPECT_FALSE(is_interrupt("try_to_wake_up"));
}

}  // namespace
}  // namespace atys::capture::native
