// SPDX-License-Identifier: Apache-2.0
#include "verbs/profiles/permission.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace atys::verbs {

namespace fs = std::filesystem;

namespace {

class PermissionTest : public ::testing::Test {
 protected:
  PermissionTest() {
    std::string name = (fs::temp_directory_path() / "atys-permission-XXXXXX").string();
    root_ = fs::canonical(::mkdtemp(name.data()));
    fs::create_directories(root_ / "tree/sub");
    fs::create_directories(root_ / "tree-beside");
    put("tree/tool");
    put("tree-beside/tool");
  }
  ~PermissionTest() override { fs::remove_all(root_); }

  void put(const std::string& name) const {
    std::ofstream(root_ / name) << "#!/bin/sh\n";
    fs::permissions(root_ / name, fs::perms::owner_all);
  }
  std::string at(const std::string& name) const { return (root_ / name).string(); }

  fs::path root_;
};

TEST_F(PermissionTest, a_program_in_the_tree_may_run) {
  const auto permission = Permission::create({.trees = {at("tree")}}, "/");
  ASSERT_TRUE(permission.ok());
  EXPECT_TRUE(permission->may_run({"./tool"}, at("tree")).ok());
  EXPECT_TRUE(permission->may_run({at("tree/tool")}, "/").ok());
  EXPECT_FALSE(permission->may_run({"./tool"}, at("tree-beside")).ok()) << "a name that begins like the tree's";
}

TEST_F(PermissionTest, where_a_command_runs_does_not_make_it_one_of_the_tree) {
  const auto permission = Permission::create({.trees = {at("tree")}}, "/");
  ASSERT_TRUE(permission.ok());
  using Words = std::vector<std::string>;
  for (const Words& command : {Words{"/bin/sh", "-c", "head /etc/shadow"}, Words{"sh", "-c", "true"}, Words{"sh"},
                               Words{"cat", "tool"}, Words{"env", "./tool"}, Words{"/bin/sh", "tool"}}) {
    const auto refused = permission->may_run(command, at("tree"));
    ASSERT_FALSE(refused.ok()) << command.front();
    EXPECT_EQ(refused.error().code, ErrorCode::PermissionDenied);
    EXPECT_NE(refused.error().hint.find("--allow-command"), std::string::npos) << refused.error().hint;
  }
}

TEST_F(PermissionTest, an_interpreter_may_run_a_script_of_the_tree_and_nothing_else) {
  fs::create_symlink(root_ / "tree-beside/tool", root_ / "tree/link");
  const auto permission = Permission::create({.trees = {at("tree")}}, "/");
  ASSERT_TRUE(permission.ok());
  EXPECT_TRUE(permission->may_run({"sh", "tool", "--fast"}, at("tree")).ok());
  EXPECT_TRUE(permission->may_run({"sh", "../tool"}, at("tree/sub")).ok());
  EXPECT_TRUE(permission->may_run({"sh", at("tree/tool")}, "/").ok());
  EXPECT_FALSE(permission->may_run({"sh", at("tree-beside/tool")}, at("tree")).ok());
  EXPECT_FALSE(permission->may_run({"sh", "link"}, at("tree")).ok());
  EXPECT_FALSE(permission->may_run({"sh", "-x", "tool"}, at("tree")).ok()) << "nothing before the file";
  EXPECT_FALSE(permission->may_run({"sh", "none"}, at("tree")).ok());
}

TEST_F(PermissionTest, a_server_of_root_that_was_told_nothing_runs_nothing) {
  const auto permission = Permission::create({}, at("tree"));
  ASSERT_TRUE(permission.ok());
  const auto ran = permission->may_run({"./tool"}, at("tree"));
  EXPECT_EQ(ran.ok(), ::geteuid() != 0);
  if (ran.ok()) return;
  EXPECT_NE(ran.error().message.find("root"), std::string::npos);
  EXPECT_NE(ran.error().hint.find("--allow-tree '" + at("tree") + "'"), std::string::npos) << ran.error().hint;
  EXPECT_EQ(permission->describe().find("programs"), std::string::npos) << permission->describe();
}

TEST_F(PermissionTest, no_run_is_no_command_whatever_else_is_allowed) {
  for (const AllowList& list : {AllowList{.any = true, .no_run = true}, AllowList{.no_run = true, .commands = {"*"}},
                                AllowList{.no_run = true, .trees = {at("tree")}}}) {
    const auto refused = Permission::create(list, at("tree"))->may_run({"./tool"}, at("tree"));
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().message.find("--no-run"), std::string::npos);
  }
}

TEST_F(PermissionTest, a_link_out_of_the_tree_is_not_in_the_tree) {
  fs::create_symlink("/", root_ / "tree/out");
  fs::create_symlink(root_ / "tree-beside/tool", root_ / "tree/link");
  const auto permission = Permission::create({.trees = {at("tree")}}, "/");
  ASSERT_TRUE(permission.ok());
  EXPECT_FALSE(permission->may_run({"sh"}, at("tree/out")).ok());
  EXPECT_FALSE(permission->may_run({at("tree/link")}, "/").ok());
  EXPECT_FALSE(permission->may_read(at("tree/link")).ok());
  EXPECT_FALSE(permission->may_read("../tree-beside/tool").ok());
  EXPECT_TRUE(permission->may_read("tool").ok());
}

TEST_F(PermissionTest, the_root_of_the_file_system_is_no_tree) {
  const auto permission = Permission::create({}, "/");
  ASSERT_TRUE(permission.ok());
  EXPECT_FALSE(permission->may_run({"sh"}, "/").ok());
  EXPECT_FALSE(Permission::create({.trees = {"/"}}, "/").ok());
}

TEST_F(PermissionTest, a_list_replaces_the_default) {
  const auto permission = Permission::create({.commands = {"sh"}}, at("tree"));
  ASSERT_TRUE(permission.ok());
  EXPECT_TRUE(permission->may_run({"sh"}, "/").ok());
  EXPECT_FALSE(permission->may_run({"./tool"}, at("tree")).ok());
  EXPECT_FALSE(permission->may_record(::getpid()).ok());
}

TEST_F(PermissionTest, a_name_in_the_list_is_not_any_file_of_that_name) {
  put("tree-beside/sh");
  const auto permission = Permission::create({.commands = {"sh", at("tree") + "/*"}}, at("tree"));
  ASSERT_TRUE(permission.ok());
  EXPECT_FALSE(permission->may_run({"./sh"}, at("tree-beside")).ok());
  EXPECT_TRUE(permission->may_run({"../tree/tool"}, at("tree-beside")).ok());
  EXPECT_FALSE(permission->may_run({at("tree/sub/../../tree-beside/tool")}, at("tree-beside")).ok());
}

TEST_F(PermissionTest, a_process_may_be_recorded_by_where_it_runs_whose_it_is_or_its_number) {
  const std::string here = fs::current_path().string();
  EXPECT_TRUE(Permission::create({.trees = {here}}, "/")->may_record(::getpid()).ok());
  EXPECT_FALSE(Permission::create({.trees = {at("tree")}}, "/")->may_record(::getpid()).ok());
  EXPECT_TRUE(Permission::create({.users = {std::to_string(::geteuid())}}, "/")->may_record(::getpid()).ok());
  EXPECT_TRUE(Permission::create({.pids = {::getpid()}}, "/")->may_record(::getpid()).ok());
  EXPECT_FALSE(Permission::create({.pids = {::getpid()}}, "/")->may_record(::getppid()).ok());
  EXPECT_TRUE(Permission::create({}, here)->may_record(::getpid()).ok());
}

TEST_F(PermissionTest, the_host_is_only_for_who_may_do_anything) {
  EXPECT_FALSE(Permission::create({}, at("tree"))->may_record_host().ok());
  EXPECT_TRUE(Permission::create({.any = true}, at("tree"))->may_record_host().ok());
  EXPECT_TRUE(Permission::create({.any = true}, "/")->may_run({"sh"}, "/").ok());
}

TEST_F(PermissionTest, a_process_that_does_not_exist_is_said_not_to) {
  const auto refused = Permission::create({}, at("tree"))->may_record(999999999);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::NotFound);
}

}  // namespace

}  // namespace atys::verbs
