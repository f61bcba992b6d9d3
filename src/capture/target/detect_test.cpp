// SPDX-License-Identifier: Apache-2.0
#include "capture/target/detect.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "base/byte_source.h"
#include "capture/go/go_kernel.h"

// Symbols as two runtimes define them: a runtime is told by such symbols, whatever the file is called.
extern "C" {
__attribute__((used, visibility("default"))) extern const char ruby_version[] = "3.1.2";
__attribute__((used, visibility("default"))) extern const unsigned long Py_Version = 0x030b02f0;
__attribute__((used, visibility("default"))) extern const int _PyRuntime = 1;
}

namespace atys::capture {
namespace {

const DetectedRuntime* find(const std::vector<DetectedRuntime>& runtimes, std::string_view name) {
  const auto found = std::ranges::find(runtimes, name, &DetectedRuntime::name);
  return found == runtimes.end() ? nullptr : &*found;
}

TEST(detect, tells_runtimes_by_their_symbols_with_versions) {
  const auto file = symbolize::ElfFile::open("/proc/self/exe");
  ASSERT_TRUE(file.ok());
  const auto runtimes = runtimes_in(*file, "/any/name");
  EXPECT_EQ(runtimes.size(), 2u);
  const DetectedRuntime* python = find(runtimes, "Python");
  ASSERT_NE(python, nullptr);
  EXPECT_EQ(python->version, "3.11.2");
  EXPECT_EQ(python->evidence, "/any/name has symbol _PyRuntime");
  EXPECT_EQ(python->kernel, "python");
  const DetectedRuntime* ruby = find(runtimes, "Ruby");
  ASSERT_NE(ruby, nullptr);
  EXPECT_EQ(ruby->version, "3.1.2");
}

TEST(detect, does_not_believe_a_name) {
  const auto file = symbolize::ElfFile::open("/bin/sleep");
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(runtimes_in(*file, "/usr/lib/libpython3.11.so").empty());
  EXPECT_TRUE(runtimes_in(*file, "/usr/bin/beam.smp").empty());
}

TEST(detect, reads_the_version_of_a_go_program) {
  std::string info = "\xff Go buildinf:";
  info += '\x08';
  info += '\x02';
  info.resize(32, '\0');
  EXPECT_EQ(go::version_in(as_byte_span(info)), "");
  EXPECT_EQ(go::version_in(as_byte_span(info + "\x08go1.22.3rest")), "1.22.3");
  EXPECT_EQ(go::version_in(as_byte_span(info + "\x7fgo1.22.3")), "");
  EXPECT_EQ(go::version_in(as_byte_span(info + "\xff\xffgo1.22.3")), "");
  EXPECT_EQ(go::version_in({}), "");
  info[15] = '\0';
  EXPECT_EQ(go::version_in(as_byte_span(info + "\x08go1.22.3")), "");
}

TEST(detect, says_what_kernel_fits_our_own_process_and_why) {
  const auto self = detect(::getpid());
  ASSERT_TRUE(self.ok());
  EXPECT_EQ(self->kernel, "python");
  EXPECT_TRUE(self->is_readable);
  EXPECT_FALSE(self->is_stripped);
  EXPECT_FALSE(self->foreign.any());
  EXPECT_NE(self->why.find("python: Python functions"), std::string::npos);
  EXPECT_NE(find(self->runtimes, "Python"), nullptr);
  const auto none = detect(999'999'999);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, ErrorCode::NotFound);
}

TEST(detect, takes_a_perf_map_only_if_it_is_a_plain_file) {
  const std::string path = "/tmp/perf-" + std::to_string(::getpid()) + ".map";
  std::filesystem::remove(path);
  EXPECT_EQ(detect(::getpid())->perf_map, PerfMap::None);
  std::ofstream(path) << "1000 10 f\n";
  EXPECT_EQ(detect(::getpid())->perf_map, PerfMap::Present);
  EXPECT_EQ(detect(::getpid())->perf_map_note, path);
  std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() - std::chrono::hours(24));
  EXPECT_EQ(detect(::getpid())->perf_map, PerfMap::Refused) << "one that an earlier process of this number left";
  std::filesystem::remove(path);
  std::filesystem::create_symlink("/etc/passwd", path);
  EXPECT_EQ(detect(::getpid())->perf_map, PerfMap::Refused);
  std::filesystem::remove(path);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(detect(::getpid())->perf_map, PerfMap::Refused);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace atys::capture
