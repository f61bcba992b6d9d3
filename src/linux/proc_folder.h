// SPDX-License-Identifier: Apache-2.0
// Where processes are shown: /proc, or a folder that a test has made up.
#pragma once

#include <string>

namespace atys::linux {

// What begins with it ends in no slash.
const std::string& proc_folder();

// As long as it lives, processes are shown in `folder` instead. For tests, which have one at a time.
class FakeProcFolder {
 public:
  explicit FakeProcFolder(std::string folder);
  ~FakeProcFolder();
  FakeProcFolder(const FakeProcFolder&) = delete;
  FakeProcFolder& operator=(const FakeProcFolder&) = delete;

 private:
  std::string before_;
};

}  // namespace atys::linux
