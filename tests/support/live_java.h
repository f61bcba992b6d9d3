// SPDX-License-Identifier: Apache-2.0
// A test for each Java machine of this computer.
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <utility>

#include "capture/java/java_process.h"
#include "capture/target/detect.h"
#include "support/java_program.h"

namespace atys::test {

class LiveJava : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (JavaProgram::compiled().empty()) GTEST_SKIP() << "no javac in JAVA_HOMES or /usr/lib/jvm";
  }
  JavaProgram::Options options(std::vector<std::string> flags = {}, std::string mode = "cpu") const {
    return {.home = GetParam(),
            .flags = std::move(flags),
            .mode = std::move(mode),
            .user = {},
            .is_contained = GetParam().find("//") != std::string::npos};
  }
  static Result<capture::DetectedRuntime> runtime(pid_t pid) {
    const capture::Detection detection = TRY(capture::detect(pid));
    for (const capture::DetectedRuntime& one : detection.runtimes)
      if (one.kernel == "java") return one;
    return fail(ErrorCode::NotFound, "no Java in it");
  }
  static Result<capture::java::JavaProcess> look(pid_t pid) { return capture::java::look_at_java(pid, TRY(runtime(pid))); }

  BuildFolder folder_;
};

inline std::string home_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = std::filesystem::path(info.param).filename().string();
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
}

}  // namespace atys::test
