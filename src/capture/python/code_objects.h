// SPDX-License-Identifier: Apache-2.0
// What is known of the functions of a process: read once from its memory, then looked up by address. A function can be
// freed and another put in its place, so each is looked at again now and then.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "capture/python/layout.h"
#include "capture/stack_reader.h"

namespace atys::capture::python {

class CodeObjects {
 public:
  static constexpr size_t kMostBytes = size_t{128} << 20;  // of names and tables; further functions are not known

  // `code_type` is the address of the type of all code objects; 0: not known, then anything may be one.
  CodeObjects(linux::MemoryReader& memory, const Layout& layout, uint64_t code_type)
      : memory_(memory), layout_(layout), code_type_(code_type) {}

  // A number for that place in that function. 0: there is no function there.
  uint32_t frame(uint64_t code, uint64_t position, uint64_t now_ns);
  // A frame that stands for something else than a function.
  uint32_t named(std::string_view name);
  LanguageName name(uint32_t frame) const;

 private:
  // The words by which a code object is known again.
  struct Identity {
    uint64_t type = 0;
    uint64_t filename = 0;
    uint64_t name = 0;
    uint64_t line_table = 0;
    int32_t first_line = 0;

    bool operator==(const Identity&) const = default;
  };
  struct Code {
    Identity identity;
    std::string function;
    std::string file;
    std::string lines;
    uint64_t address = 0;
    uint64_t known_since_ns = 0;
    uint64_t check_at_ns = 0;
    std::unordered_map<uint64_t, uint32_t> frames;  // by position
    std::unordered_map<int64_t, uint32_t> by_line;
  };
  struct Frame {
    uint32_t code = 0;
    int64_t line = 0;
  };

  uint32_t find(uint64_t address, uint64_t now_ns);
  bool read_identity(uint64_t address, Identity& identity);
  bool read(const Identity& identity, Code& code);
  int64_t offset_of(const Code& code, uint64_t position);
  int64_t thread_local_offset(const Code& code, uint64_t position);

  linux::MemoryReader& memory_;
  const Layout& layout_;
  uint64_t code_type_;
  size_t bytes_ = 0;                 // of names and tables
  std::vector<Code> codes_{Code{}};  // 0: none
  std::vector<Frame> frames_{Frame{}};
  std::unordered_map<uint64_t, uint32_t> by_address_;
};

}  // namespace atys::capture::python
