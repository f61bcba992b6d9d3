// SPDX-License-Identifier: Apache-2.0
// Functions by name in the place of addresses: "app.main" is the function main of the file /app, "kernel.read" one of the
// Linux kernel. Files and functions get their places as they are first named.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "support/recorded_lines.h"

namespace atys::test {

class CodeNames {
 public:
  static constexpr uint64_t kFileBytes = 0x100000;

  // In the middle of the function, so that a return address less one is in it too.
  uint64_t address(const std::string& name) {
    const size_t dot = name.find('.');
    return base(name.substr(0, dot)) + offset(name.substr(0, dot), name.substr(dot + 1));
  }
  // Root first, as people write stacks; leaf first, as records hold them.
  std::vector<uint64_t> stack(const std::string& names) {
    std::vector<uint64_t> addresses;
    for (const std::string& name : parts_of(names, ';')) addresses.push_back(address(name));
    std::ranges::reverse(addresses);
    return addresses;
  }
  uint64_t base(const std::string& file) {
    if (file == "kernel") return kKernel;
    return bases_.try_emplace(file, 0x10000000 * (bases_.size() + 1)).first->second;
  }
  // Loaded to where the other one is.
  void put_over(const std::string& file, const std::string& other) { bases_[file] = base(other); }

  std::string name(const std::string& file, uint64_t at) const {
    const auto functions = functions_.find(file);
    const uint64_t number = at < kFirst ? UINT64_MAX : (at - kFirst) / kFunctionBytes;
    if (functions == functions_.end() || number >= functions->second.size()) return file + ".?";
    return file + "." + functions->second[number];
  }
  std::string kernel_name(uint64_t address) const { return name("kernel", address - kKernel); }

 private:
  static constexpr uint64_t kKernel = 0xffffffff81000000;
  static constexpr uint64_t kFirst = 0x1000;
  static constexpr uint64_t kFunctionBytes = 0x100;

  uint64_t offset(const std::string& file, const std::string& function) {
    std::vector<std::string>& functions = functions_[file];
    auto found = std::ranges::find(functions, function);
    if (found == functions.end()) found = functions.insert(functions.end(), function);
    return kFirst + kFunctionBytes * static_cast<uint64_t>(found - functions.begin()) + kFunctionBytes / 2;
  }

  std::map<std::string, uint64_t> bases_;
  std::map<std::string, std::vector<std::string>> functions_;
};

// The top of a stack whose functions keep frame pointers: the registers, and what lies from sp on.
struct CopiedStack {
  static constexpr uint64_t kTop = 0x7ff000000000;

  explicit CopiedStack(const std::vector<uint64_t>& leaf_first) {
    if (leaf_first.empty()) return;
    pc = leaf_first.front();
    sp = fp = kTop;
    for (size_t i = 1; i <= leaf_first.size(); ++i) {
      const bool is_last = i == leaf_first.size();
      words.push_back(is_last ? 0 : kTop + 16 * i);
      words.push_back(is_last ? 0 : leaf_first[i]);
    }
  }

  uint64_t pc = 0;
  uint64_t sp = 0;
  uint64_t fp = 0;
  std::vector<uint64_t> words;
};

}  // namespace atys::test
