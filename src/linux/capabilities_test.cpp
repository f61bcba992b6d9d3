// SPDX-License-Identifier: Apache-2.0
#include "linux/capabilities.h"

#include <gtest/gtest.h>
#include <linux/capability.h>

namespace atys::linux {
namespace {

TEST(capabilities, are_read_by_number_and_name) {
  const auto some = Capabilities::parse("Name:\tx\nCapPrm:\t0000000000000000\nCapEff:\t000000c000000001\n");
  ASSERT_TRUE(some.ok());
  EXPECT_TRUE(some->has(CAP_PERFMON));
  EXPECT_TRUE(some->has(CAP_BPF));
  EXPECT_TRUE(some->has(CAP_CHOWN));
  EXPECT_FALSE(some->has(CAP_SYS_ADMIN));
  EXPECT_FALSE(some->has(64));
  EXPECT_FALSE(some->has(-1));
  EXPECT_EQ(some->names(), (std::vector<std::string>{"cap_chown", "cap_perfmon", "cap_bpf"}));
  EXPECT_EQ(capability_name(CAP_SYS_PTRACE), "cap_sys_ptrace");
  EXPECT_EQ(capability_name(63), "cap_63");
  EXPECT_FALSE(Capabilities::parse("Name:\tx\n").ok());
  EXPECT_TRUE(Capabilities::of_ourselves().ok());
}

TEST(kernel_version, is_the_first_numbers_of_the_release) {
  EXPECT_EQ(parse_kernel_version("6.1.0-18-amd64"), (KernelVersion{6, 1, 0}));
  EXPECT_EQ(parse_kernel_version("5.15-rc1"), (KernelVersion{5, 15, 0}));
  EXPECT_EQ(parse_kernel_version("6.18.44-fc-v445"), (KernelVersion{6, 18, 44}));
  EXPECT_LT((KernelVersion{5, 8, 0}), (KernelVersion{5, 10, 0}));
  for (const char* text : {"", "6", "x.y", "6."}) EXPECT_FALSE(parse_kernel_version(text)) << text;
  EXPECT_TRUE(kernel_version());
}

TEST(kernel_features, are_parsed_from_their_files) {
  EXPECT_EQ(parse_lockdown("[none] integrity confidentiality\n"), Lockdown::None);
  EXPECT_EQ(parse_lockdown("none [integrity] confidentiality\n"), Lockdown::Integrity);
  EXPECT_EQ(parse_lockdown("none integrity [confidentiality]\n"), Lockdown::Confidentiality);
  EXPECT_EQ(parse_lockdown(""), Lockdown::None);
  EXPECT_TRUE(is_initial_uid_map("         0          0 4294967295\n"));
  EXPECT_FALSE(is_initial_uid_map("         0       1000          1\n"));
  const char* mounts =
      "30 29 0:26 / /sys rw shared:5 - sysfs sysfs rw\n"
      "31 30 0:12 / /sys/kernel/tracing rw - tracefs tracefs rw\n";
  EXPECT_EQ(find_mount(mounts, "tracefs"), "/sys/kernel/tracing");
  EXPECT_EQ(find_mount(mounts, "debugfs"), "");
}

TEST(kernel_features, know_whether_proc_hides_others) {
  const std::string plain = "22 1 0:20 / /proc rw,nosuid shared:12 - proc proc rw\n";
  EXPECT_EQ(find_hidepid(plain), "");
  EXPECT_EQ(find_hidepid(plain + "90 22 0:50 / /proc rw,relatime - proc proc rw,gid=4,hidepid=invisible\n"),
            "hidepid=invisible");
  EXPECT_EQ(find_hidepid("90 22 0:50 / /proc rw - proc proc rw,hidepid=2\n" + plain), "");
  EXPECT_EQ(find_hidepid("90 22 0:50 / /proc rw - proc proc rw,hidepid=0\n"), "");
  EXPECT_EQ(find_hidepid("90 22 0:50 / /other/proc rw - proc proc rw,hidepid=2\n90 /proc\n"), "");
}

TEST(sysctls, are_numbers_or_nothing) {
  EXPECT_FALSE(read_sysctl("kernel/nosuch"));
  EXPECT_FALSE(read_sysctl("kernel/ostype"));
  EXPECT_TRUE(read_sysctl("kernel/pid_max"));
}

}  // namespace
}  // namespace atys::linux
