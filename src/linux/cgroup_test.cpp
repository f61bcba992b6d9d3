// SPDX-License-Identifier: Apache-2.0
#include "linux/cgroup.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "linux/process.h"

namespace atys::linux {
namespace {

const std::string kId = "4f5e6d7c8b9a00112233445566778899aabbccddeeff00112233445566778899";

// Folders that look like the cgroup file systems of a hybrid machine.
class CgroupTree : public testing::Test {
 protected:
  void SetUp() override {
    root_ = testing::TempDir() + "atys_cgroups_" + std::to_string(::getpid());
    add("unified", "");
    add("unified/system.slice", "");
    add("unified/system.slice/nginx.service", "");
    add("cpu", "1\n");
    add("cpu/system.slice", "");
    add("cpu/system.slice/nginx.service", "30\n20\n0\n");
    add("cpu/system.slice/nginx.service/worker", "40\n20\n");
    add("unified/docker-" + kId + ".scope", "50\n");
    add("unified/crio-conmon-" + kId + ".scope", "51\n");
    add("cpu/idle.service", "");
    add("unified/a.slice/web.service", "60\n");
    add("unified/b.slice/web.service", "61\n");
    hierarchies_ = {{root_ + "/unified", true}, {root_ + "/cpu", false}};
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void add(const std::string& folder, const std::string& pids) const {
    std::filesystem::create_directories(root_ + "/" + folder);
    std::ofstream(root_ + "/" + folder + "/cgroup.procs") << pids;
  }
  std::string path_of(const std::string& typed) const {
    const auto group = resolve_cgroup(typed, hierarchies_);
    return group.ok() ? group->directory.substr(root_.size()) : group.error().message;
  }
  std::string root_;
  std::vector<CgroupHierarchy> hierarchies_;
};

TEST_F(CgroupTree, is_entered_by_all_that_a_user_may_type) {
  EXPECT_EQ(path_of(root_ + "/cpu/system.slice"), "/cpu/system.slice");
  EXPECT_EQ(path_of(root_ + "/cpu/system.slice/"), "/cpu/system.slice");
  EXPECT_EQ(path_of("system.slice/nginx.service/worker"), "/cpu/system.slice/nginx.service/worker");
  EXPECT_EQ(path_of("/system.slice/nginx.service/worker"), "/cpu/system.slice/nginx.service/worker");
  EXPECT_EQ(path_of(kId.substr(0, 12)), "/unified/docker-" + kId + ".scope");
  EXPECT_EQ(path_of(kId), "/unified/docker-" + kId + ".scope");
  EXPECT_EQ(path_of("nginx.service"), "/cpu/system.slice/nginx.service");
  EXPECT_EQ(path_of("idle"), "/cpu/idle.service");
  EXPECT_EQ(path_of("nginx"), "/cpu/system.slice/nginx.service");
}

TEST_F(CgroupTree, takes_the_hierarchy_that_has_the_processes) {
  EXPECT_EQ(path_of("system.slice/nginx.service"), "/cpu/system.slice/nginx.service");
}

TEST_F(CgroupTree, says_what_it_cannot_find_or_tell_apart) {
  EXPECT_EQ(path_of("nosuch"), "no cgroup 'nosuch'");
  EXPECT_EQ(path_of(kId.substr(0, 11)), "no cgroup '" + kId.substr(0, 11) + "'");
  EXPECT_EQ(path_of("../etc"), "cgroup '../etc': not a path, a container id or the name of a unit");
  EXPECT_EQ(path_of(""), "cgroup '': not a path, a container id or the name of a unit");
  const std::string both = path_of("web");
  EXPECT_NE(both.find("/a.slice/web.service"), std::string::npos) << both;
  EXPECT_NE(both.find("/b.slice/web.service"), std::string::npos) << both;
}

TEST_F(CgroupTree, gives_the_processes_of_all_groups_below_once) {
  const auto group = resolve_cgroup("system.slice/nginx.service", hierarchies_);
  ASSERT_TRUE(group.ok());
  EXPECT_FALSE(group->is_unified);
  EXPECT_EQ(group->path, "/system.slice/nginx.service");
  EXPECT_EQ(*processes_in(*group), (std::vector<pid_t>{20, 30, 40}));
  std::filesystem::remove_all(group->directory);
  EXPECT_EQ(processes_in(*group).error().code, ErrorCode::NotFound);
}

TEST(cgroup_mounts, are_those_of_both_versions) {
  const auto mounts = parse_cgroup_mounts(
      "30 29 0:26 / /sys/fs/cgroup/cpu rw,relatime shared:5 - cgroup cgroup rw,cpu\n"
      "40 29 0:36 / /mnt/two\\040words rw,relatime - cgroup2 cgroup2 rw\n"
      "41 29 0:37 / /tmp rw - tmpfs tmpfs rw\n"
      "nonsense\n");
  ASSERT_EQ(mounts.size(), 2u);
  EXPECT_EQ(mounts[0].mount, "/mnt/two words");
  EXPECT_TRUE(mounts[0].is_unified);
  EXPECT_EQ(mounts[1].mount, "/sys/fs/cgroup/cpu");
}

TEST(container_in, is_the_id_in_the_path_of_the_group) {
  const std::string id(64, 'a');
  EXPECT_EQ(container_in("/docker/" + id), id);
  EXPECT_EQ(container_in("/system.slice/docker-" + id + ".scope"), id);
  EXPECT_EQ(container_in("/kubepods.slice/kubepods-burstable.slice/kubepods-pod1.slice/cri-containerd-" + id + ".scope"),
            id);
  EXPECT_EQ(container_in("/kubepods/besteffort/pod1/" + id), id);
  EXPECT_EQ(container_in("/machine.slice/libpod-" + id + ".scope/container"), id);
  EXPECT_EQ(container_in("/system.slice/containerd.service/kubepods-pod1:cri-containerd:" + id), id);
  EXPECT_EQ(container_in("/user.slice/session-1.scope"), "");
  EXPECT_EQ(container_in("/machine.slice/libpod-conmon-" + id + ".scope"), "") << "who watches it is not in it";
  EXPECT_EQ(container_in(""), "");
}

TEST(cgroup, of_ourselves_holds_us) {
  const auto self = read_process(::getpid());
  ASSERT_TRUE(self.ok());
  const auto group = resolve_cgroup(self->cgroup);
  if (!group.ok()) GTEST_SKIP() << group.error().message;
  const auto pids = processes_in(*group);
  ASSERT_TRUE(pids.ok());
  EXPECT_EQ(std::ranges::count(*pids, ::getpid()), 1);
}

}  // namespace
}  // namespace atys::linux
