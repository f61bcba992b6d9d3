// SPDX-License-Identifier: Apache-2.0
// Programs that a test compiles and takes apart: a folder of its own, a compiler, and the output of other tools.
#pragma once

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace atys::test {

class BuildFolder {
 public:
  BuildFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "atys_test_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    path_ = std::filesystem::canonical(name);
  }
  ~BuildFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  BuildFolder(const BuildFolder&) = delete;
  BuildFolder& operator=(const BuildFolder&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(file(name), std::ios::binary) << text;
    return file(name);
  }
  // Runs a shell command in the folder; true if it ended well.
  bool run(const std::string& command) const {
    return std::system(("cd '" + path_.string() + "' && " + command).c_str()) == 0;
  }
  // What a shell command prints.
  std::string output(const std::string& command) const {
    std::string text;
    FILE* pipe = ::popen(("cd '" + path_.string() + "' && " + command).c_str(), "r");
    if (pipe == nullptr) return text;
    std::array<char, 4096> buffer{};
    for (size_t got = 0; (got = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) text.append(buffer.data(), got);
    ::pclose(pipe);
    return text;
  }

 private:
  std::filesystem::path path_;
};

// Functions of many kinds: static, template, inlined in each other, in namespaces, with a cold part.
inline constexpr const char* kSampleProgram = R"(
#include <cstdio>
#include <cstdlib>
namespace shop {
template <typename T> __attribute__((noinline)) T twice(T value) { return value + value; }
static inline __attribute__((always_inline)) int innermost(int value) {
  for (int i = 0; i < value; ++i) value ^= std::rand();
  return value;
}
static inline __attribute__((always_inline)) int middle(int value) {
  return innermost(value + 1) * 3;
}
struct Counter {
  int total = 0;
  __attribute__((noinline)) explicit Counter(int start) : total(start + std::rand()) {}
  __attribute__((noinline)) int add(int value) {
    total += middle(value);
    return total;
  }
};
__attribute__((noinline)) static int hidden(int value) {
  return twice(value) + static_cast<int>(twice(1.5 * value));
}
}
extern "C" __attribute__((noinline)) int plain_c(int value) { return shop::hidden(value) + 1; }
int main(int argc, char**) {
  shop::Counter counter(argc);
  auto lambda = [&](int x) __attribute__((noinline)) { return counter.add(x) + plain_c(x); };
  std::printf("%d\n", lambda(argc));
  return 0;
}
)";

}  // namespace atys::test
