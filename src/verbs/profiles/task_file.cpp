// SPDX-License-Identifier: Apache-2.0
#include "verbs/profiles/task_file.h"

#include "base/byte_source.h"

namespace atys::verbs {

namespace {

constexpr size_t kMostBytes = 65'536;

}  // namespace

Result<TaskFile> read_task_file(const std::string& path) {
  const auto source = TRY(open_source(path));
  std::string text(as_text(TRY(source->read_all(kMostBytes))));
  fleet::Task task = TRY(fleet::parse_task(text, path == "-" ? "standard input" : path));
  return TaskFile{std::move(task), std::move(text)};
}

}  // namespace atys::verbs
