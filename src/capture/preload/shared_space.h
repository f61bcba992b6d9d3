// SPDX-License-Identifier: Apache-2.0
// Our library and the memory that it shares with us, as files without a name that programs which we start can open through
// /proc: nothing is written to a disk, and nothing is left.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "capture/preload/elf_check.h"
#include "capture/preload/shared_memory.h"

namespace atys::preload {

// The library, as bytes inside this program.
std::span<const std::byte> preload_library();

class SharedSpace {
 public:
  static Result<std::unique_ptr<SharedSpace>> create();
  ~SharedSpace();
  SharedSpace(const SharedSpace&) = delete;
  SharedSpace& operator=(const SharedSpace&) = delete;

  Shared& shared() { return *shared_; }
  // What a program is to be started with.
  std::vector<std::string> environment() const;

 private:
  SharedSpace() = default;
  UniqueFd library_;
  UniqueFd memory_;
  Shared* shared_ = nullptr;
};

// Of a command as it is typed: found on PATH, and where it is a script its interpreter.
Preload judge_command(const std::string& command);
// The name of the program that a command runs in the end, through scripts and env(1): "python3.11".
std::string program_of(const std::vector<std::string>& command);
// "it is statically linked", for a sentence.
std::string explain(Preload preload);

}  // namespace atys::preload
