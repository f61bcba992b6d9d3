// SPDX-License-Identifier: Apache-2.0
#include "fleet/controller/audit_log.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "support/scratch_folder.h"

namespace atys::fleet {
namespace {

namespace fs = std::filesystem;

class AuditLogTest : public testing::Test {
 protected:
  static std::vector<nlohmann::json> lines_of(const fs::path& path) {
    std::vector<nlohmann::json> lines;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) lines.push_back(nlohmann::json::parse(line));
    return lines;
  }

  test::ScratchFolder scratch_;
  fs::path folder_ = scratch_.path();
};

TEST_F(AuditLogTest, tells_who_did_what_when_and_how_it_ended) {
  AuditLog log(folder_ / "audit.log");
  log.add(1'000'000'000, {Role::Admin, "10.0.0.7"}, "apply", "task shop", "done");
  log.add(2'000'000'000, {Role::Read, "10.0.0.8"}, "delete", "task \"x\ny\"", "this token may read only");
  const auto lines = lines_of(folder_ / "audit.log");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0]["time"], "1970-01-01T00:00:01Z");
  EXPECT_EQ(lines[0]["role"], "admin");
  EXPECT_EQ(lines[0]["from"], "10.0.0.7");
  EXPECT_EQ(lines[0]["action"], "apply");
  EXPECT_EQ(lines[0]["outcome"], "done");
  EXPECT_EQ(lines[1]["what"], "task \"x\ny\"");
}

TEST_F(AuditLogTest, is_bounded_and_keeps_the_file_before) {
  AuditLog log(folder_ / "audit.log", 1000);
  for (int i = 0; i < 30; ++i) log.add(i, {}, "stop", "task " + std::to_string(i), "done");
  const auto now = lines_of(folder_ / "audit.log"), before = lines_of(folder_ / "audit.log.1");
  EXPECT_LE(fs::file_size(folder_ / "audit.log"), 1000u);
  ASSERT_FALSE(now.empty());
  ASSERT_FALSE(before.empty());
  EXPECT_EQ(now.back()["what"], "task 29");
  EXPECT_EQ(log.lost_lines(), 0u);
}

TEST_F(AuditLogTest, counts_what_it_cannot_write) {
  AuditLog log(folder_ / "missing" / "audit.log");
  log.add(0, {}, "stop", "task", "done");
  EXPECT_EQ(log.lost_lines(), 1u);
}

}  // namespace
}  // namespace atys::fleet
