// SPDX-License-Identifier: Apache-2.0
// Finds what the Go runtime knows about a program in its file: the table of functions, and the moduledata that says where
// the code and the inline trees begin. By sections where there are some, else by what the bytes look like.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "symbolize/elf_file.h"
#include "symbolize/go_table.h"

namespace atys::symbolize {

// Empty: not a program of Go, or of a release that we do not know.
std::optional<GoTable> read_go_table(const ElfFile& file);

class GoBinary {
 public:
  // Empty: not a program of Go, or of a release that we do not know.
  static std::optional<GoBinary> open(std::shared_ptr<const ElfFile> file);

  // Innermost first; empty: not code of Go.
  std::vector<GoFrame> frames_at(uint64_t address) const;
  // Gives the file up. What is inlined is not known from then on.
  void detach() { file_.reset(); }
  bool has_file() const { return file_ != nullptr; }
  const GoTable& table() const { return table_; }
  uint64_t memory_bytes() const { return table_.memory_bytes(); }

 private:
  GoBinary(std::shared_ptr<const ElfFile> file, GoTable table) : file_(std::move(file)), table_(std::move(table)) {}

  std::shared_ptr<const ElfFile> file_;
  GoTable table_;
};

}  // namespace atys::symbolize
