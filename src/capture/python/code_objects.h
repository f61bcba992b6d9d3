// SPDX-License-Identifier: Apache-2.0
// What is known of the functions of a process: read once from its memory, then looked up by address and cookie. A function
// can be freed and another put in its place: that one has another cookie.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "capture/python/layout.h"
#include "capture/walking/stack_reader.h"

namespace atys::capture::python {

class CodeObjects {
 public:
  static constexpr size_t kMostBytes = size_t{128} << 20;  // of names and tables; further functions are not known

  // `code_type` is the address of the type of all code objects; 0: not known, then anything may be one.
  CodeObjects(linux::MemoryReader& memory, const Layout& layout, const atys_cookie& cookie, uint64_t code_type)
      : memory_(memory), layout_(layout), cookie_(cookie), code_type_(code_type) {}

  // A number for the place in a function that a frame was at. 0: the function that it ran is not there any more, and was
  // not looked at while it was.
  uint32_t frame(const atys_walked& walked);
  // A function as it was when it was sampled.
  void learn(CodeCopy& copy);
  // Of a code object: all that is read of it lies there.
  static uint32_t bytes_of_object(const Layout& layout);
  // A frame that stands for something else than a function.
  uint32_t named(std::string_view name);
  LanguageName name(uint32_t frame) const;
  bool is_function(uint32_t frame) const;  // not the code of a module

 private:
  struct Key {
    uint64_t address = 0;
    uint64_t cookie = 0;

    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const { return key.address >> 4 ^ key.cookie; }
  };
  struct Code {
    std::string function;
    std::string file;
    std::string lines;
    int32_t first_line = 0;
    bool has_lines = false;  // what was copied may lack them
    Key key;
    std::unordered_map<uint64_t, uint32_t> frames;  // by position
    std::unordered_map<int64_t, uint32_t> by_line;
  };
  struct Frame {
    uint32_t code = 0;
    int64_t line = 0;
  };

  uint32_t find(const Key& key);
  bool is_there(const Key& key);
  uint32_t keep(Code code);
  bool read(linux::MemoryReader& memory, Code& code) const;
  void read_lines(Code& code);
  int64_t offset_of(const Code& code, uint64_t position);
  int64_t thread_local_offset(const Code& code, uint64_t position);

  linux::MemoryReader& memory_;
  const Layout& layout_;
  atys_cookie cookie_;
  uint64_t code_type_;
  size_t bytes_ = 0;                 // of names and tables
  std::vector<Code> codes_{Code{}};  // 0: none
  std::vector<Frame> frames_{Frame{}};
  std::unordered_map<Key, uint32_t, KeyHash> known_;
};

}  // namespace atys::capture::python
