// SPDX-License-Identifier: Apache-2.0
#include "present/mcp/completions.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "support/kept_profile.h"
#include "support/scratch_folder.h"

namespace atys::present::mcp {
namespace {

class Completions : public testing::Test {
 protected:
  Completions() { ::setenv("ATYS_HOME", folder_.path().c_str(), 1); }
  ~Completions() override { ::unsetenv("ATYS_HOME"); }

  std::string keep(const std::string& target) {
    return test::keep_profile("main;f" + std::to_string(++kept_) + " 1", target);
  }
  static Json values(const char* type, const char* of, const char* argument, const std::string& typed) {
    const Json ref = {{"type", type}, {std::string(type) == "ref/prompt" ? "name" : "uri", of}};
    const Json done = complete({{"ref", ref}, {"argument", {{"name", argument}, {"value", typed}}}});
    return done.contains("error") ? done : done["result"]["completion"]["values"];
  }

  test::ScratchFolder folder_;
  int kept_ = 0;
};

TEST_F(Completions, of_profiles_are_their_ids_and_forms) {
  const std::string id = keep("command ls");
  EXPECT_EQ(values("ref/resource", "profile://{id}", "id", id.substr(0, 6)), Json::array({id}));
  EXPECT_EQ(values("ref/resource", "profile://{id}/{form}", "id", id + "x"), Json::array());
  EXPECT_EQ(values("ref/resource", "profile://{id}/{form}", "form", "t"), Json::array({"table", "tree"}));
}

TEST_F(Completions, of_commands_are_those_that_were_captured_each_once_and_none_that_could_not_be_typed) {
  keep("command make -j2");
  keep("command make -j2");
  keep("command ma\x1b[2Jlice");
  keep("process 12");
  EXPECT_EQ(values("ref/prompt", "find_bottleneck", "command", "ma"), Json::array({"make -j2"}));
  EXPECT_EQ(values("ref/prompt", "find_bottleneck", "command", "process"), Json::array());
  EXPECT_EQ(values("ref/prompt", "find_bottleneck", "other", ""), Json::array());
}

TEST_F(Completions, of_a_template_that_is_not_there_are_refused) {
  EXPECT_TRUE(values("ref/resource", "file://{path}", "path", "").contains("error"));
}

}  // namespace
}  // namespace atys::present::mcp
