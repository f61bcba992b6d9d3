// SPDX-License-Identifier: Apache-2.0
#include "capture/preload/shared_space.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "support/scratch_folder.h"

namespace atys::preload {
namespace {

class Programs : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text, mode_t mode = 0755) {
    const std::string path = folder_.path() + "/" + name;
    std::ofstream(path) << text;
    ::chmod(path.c_str(), mode);
    return path;
  }
  test::ScratchFolder folder_;
};

TEST_F(Programs, that_the_loader_loads_can_be_preloaded_into) {
  EXPECT_EQ(judge_command("/bin/true"), Preload::Works);
  EXPECT_EQ(judge_command("true"), Preload::Works);
  EXPECT_EQ(judge_command(write("script", "#!/bin/sh\nexit 0\n")), Preload::Works);
  EXPECT_EQ(judge_command(write("outer", "#!" + write("inner", "#! /bin/sh -e\n") + "\n")), Preload::Works);
}

TEST_F(Programs, that_it_does_not_are_told_apart) {
  EXPECT_EQ(judge_command("/nowhere/at/all"), Preload::NotReadable);
  EXPECT_EQ(judge_command(write("text", "nothing that could be run")), Preload::NotAProgram);
  EXPECT_EQ(judge_command(write("empty", "")), Preload::NotAProgram);
  EXPECT_EQ(judge_command(write("itself", "#!" + folder_.path() + "/itself" + "\n")), Preload::NotAProgram);
  const std::string copy = folder_.path() + "/copy";
  std::filesystem::copy_file(std::filesystem::canonical("/bin/true"), copy);
  EXPECT_EQ(judge_command(copy), Preload::Works);
  ::chmod(copy.c_str(), 04755);
  EXPECT_EQ(judge_command(copy), Preload::GainsRights);
  std::string bytes(200, '\0');  // of a machine that there is not
  bytes.replace(0, 5,
                "\x7f"
                "ELF\x02");
  EXPECT_EQ(judge_command(write("other", bytes)), Preload::OtherMachine);
}

TEST_F(Programs, are_called_as_what_runs_in_the_end) {
  EXPECT_EQ(program_of({"/bin/true", "x"}), "true");
  EXPECT_EQ(program_of({"env", "-i", "A=b", "true"}), "true");
  EXPECT_EQ(program_of({write("script", "#!/usr/bin/env sh\n")}), "sh");
  EXPECT_EQ(program_of({}), "");
}

TEST(shared_space, names_files_that_are_there_and_keeps_what_was_to_be_preloaded) {
  auto space = SharedSpace::create();
  ASSERT_TRUE(space.ok());
  const auto find = [&](const std::string& start) {
    for (const std::string& word : (*space)->environment())
      if (word.starts_with(start)) return word.substr(start.size());
    return std::string("nowhere");
  };
  ::unsetenv("LD_PRELOAD");
  EXPECT_EQ(::access(find(kPreloadVariable).c_str(), R_OK), 0);
  EXPECT_EQ(::access(find(kSharedVariable).c_str(), R_OK), 0);
  ::setenv("LD_PRELOAD", "", 1);
  EXPECT_TRUE(find(kPreloadVariable).starts_with(":/proc/"));
  ::setenv("LD_PRELOAD", "/a/b.so", 1);
  EXPECT_TRUE(find(kPreloadVariable).starts_with("/a/b.so:/proc/"));
  ::unsetenv("LD_PRELOAD");
}

}  // namespace
}  // namespace atys::preload
