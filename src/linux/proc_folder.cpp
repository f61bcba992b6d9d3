// SPDX-License-Identifier: Apache-2.0
#include "linux/proc_folder.h"

#include <utility>

namespace atys::linux {

namespace {

std::string& folder_in_use() {
  static std::string folder = "/proc";
  return folder;
}

}  // namespace

const std::string& proc_folder() { return folder_in_use(); }

FakeProcFolder::FakeProcFolder(std::string folder) : before_(std::exchange(folder_in_use(), std::move(folder))) {}
FakeProcFolder::~FakeProcFolder() { folder_in_use() = std::move(before_); }

}  // namespace atys::linux
