// SPDX-License-Identifier: Apache-2.0
// Tables made by hand, one of each layout; go_binary_test.cpp has real ones.
#include "symbolize/go_table.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace atys::symbolize {
namespace {

constexpr uint64_t kText = 0x401000;
constexpr uint64_t kFuncdata = 0x500000;

class TableBytes {
 public:
  template <typename Number>
  void add(Number value) {
    text.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void add_text(std::string_view value) { text.append(value).push_back('\0'); }
  void align() { text.resize((text.size() + 7) / 8 * 8); }

  std::string text;
};

// One function, main.outer of a.go, 32 bytes long: lines 5 (16 bytes) and 3 (16 bytes). The first half is of main.inner,
// inlined at an instruction of the second.
struct Table {
  Bytes bytes;
  std::string tree;
};

Table make_table(GoTable::Layout layout) {
  const bool is_116 = layout == GoTable::Layout::Go116;
  const bool is_120 = layout == GoTable::Layout::Go120;
  TableBytes names, files, values, function;
  names.add_text("");
  const auto outer = static_cast<uint32_t>(names.text.size());
  names.add_text("main.outer");
  const auto inner = static_cast<uint32_t>(names.text.size());
  names.add_text("main.inner");
  files.add_text("a.go");
  values.add('\0');
  const auto values_of = [&](std::initializer_list<int> bytes) {
    const auto at = static_cast<uint32_t>(values.text.size());
    for (const int byte : bytes) values.add(static_cast<char>(byte));
    values.add('\0');
    return at;
  };
  const uint32_t file_values = values_of({2, 32});           // 0
  const uint32_t line_values = values_of({12, 16, 3, 16});   // 5, 3
  const uint32_t inline_values = values_of({2, 16, 1, 16});  // 0, -1
  if (is_116) {
    function.add(kText);
  } else {
    function.add(uint32_t{0});
  }
  for (const uint32_t word : {outer, 0u, 0u, 0u, file_values, line_values, 3u, 0u}) function.add(word);
  if (is_120) function.add(uint32_t{2});
  for (const int small : {0, 0, 0, 4}) function.add(static_cast<char>(small));
  for (const uint32_t word : {0u, 0u, inline_values}) function.add(word);
  if (is_116) {
    function.align();
    for (const uint64_t data : {uint64_t{0}, uint64_t{0}, uint64_t{0}, kFuncdata + 8}) function.add(data);
  } else {
    for (const uint32_t data : {~0u, ~0u, ~0u, 8u}) function.add(data);
  }

  TableBytes entries;
  const uint64_t entries_bytes = is_116 ? 24 : 16;
  for (const uint64_t word : {uint64_t{0}, entries_bytes, uint64_t{32}}) {
    if (is_116) {
      entries.add(word == entries_bytes ? word : kText + word);
    } else {
      entries.add(static_cast<uint32_t>(word));
    }
  }
  entries.align();

  TableBytes body, header;
  const uint64_t begin = 72;
  std::vector<uint64_t> offsets;
  TableBytes units;
  units.add(uint32_t{0});
  for (const TableBytes* part : {&names, &units, &files, &values}) {
    offsets.push_back(begin + body.text.size());
    body.text += part->text;
    body.align();
  }
  offsets.push_back(begin + body.text.size());
  body.text += entries.text + function.text;
  header.add(is_116 ? 0xfffffffau : is_120 ? 0xfffffff1u : 0xfffffff0u);
  for (const int small : {0, 0, 1, 8}) header.add(static_cast<char>(small));
  header.add(uint64_t{1});
  header.add(uint64_t{1});
  if (!is_116) header.add(uint64_t{0});
  for (const uint64_t offset : offsets) header.add(offset);
  header.text.resize(begin);

  const std::string all = header.text + body.text;
  const auto* data = reinterpret_cast<const std::byte*>(all.data());
  TableBytes tree;
  tree.add(uint64_t{0});  // what comes before, in the linker's data
  if (is_120) {
    for (const uint32_t word : {0u, inner, 20u, 4u}) tree.add(word);
  } else {
    for (const uint32_t word : {0xffffu, 0u, 3u, inner, 20u}) tree.add(word);
  }
  return {Bytes(data, data + all.size()), tree.text};
}

std::string shown(const std::vector<GoFrame>& frames) {
  std::string text;
  for (const GoFrame& frame : frames)
    text += std::string(frame.function) + " " + std::string(frame.file) + ":" + std::to_string(frame.line) + "; ";
  return text;
}

class GoTableTest : public testing::TestWithParam<GoTable::Layout> {
 protected:
  GoTableTest() : made_(make_table(GetParam())) {}
  ReadMemory tree() const {
    return [this](uint64_t address, std::span<std::byte> into) {
      if (address < kFuncdata || address - kFuncdata + into.size() > made_.tree.size()) return false;
      std::memcpy(into.data(), made_.tree.data() + (address - kFuncdata), into.size());
      return true;
    };
  }
  Table made_;
};

TEST_P(GoTableTest, gives_the_inlined_call_and_its_caller_at_the_place_of_the_call) {
  const auto table = GoTable::parse(made_.bytes, {.text = kText, .funcdata = kFuncdata});
  ASSERT_TRUE(table);
  EXPECT_EQ(shown(table->frames_at(kText + 4, tree())), "main.inner a.go:5; main.outer a.go:3; ");
  EXPECT_EQ(shown(table->frames_at(kText + 16, tree())), "main.outer a.go:3; ");
  EXPECT_EQ(shown(table->frames_at(kText + 32, tree())), "");
  EXPECT_EQ(shown(table->frames_at(kText - 1, tree())), "");
}

TEST_P(GoTableTest, gives_no_line_of_another_function_where_the_tree_cannot_be_read) {
  const auto table = GoTable::parse(made_.bytes, {.text = kText, .funcdata = kFuncdata});
  ASSERT_TRUE(table);
  const ReadMemory nothing = [](uint64_t, std::span<std::byte>) { return false; };
  EXPECT_EQ(shown(table->frames_at(kText + 4, nothing)), "main.outer a.go:0; ");
}

TEST_P(GoTableTest, survives_each_byte_being_another) {
  for (size_t i = 0; i < made_.bytes.size(); ++i) {
    for (const int value : {0, 1, 0x7f, 0x80, 0xff}) {
      Bytes changed = made_.bytes;
      changed[i] = static_cast<std::byte>(value);
      const auto table = GoTable::parse(changed, {.text = kText, .funcdata = kFuncdata});
      if (!table) continue;
      for (uint64_t offset = 0; offset < 33; ++offset) EXPECT_LE(table->frames_at(kText + offset, tree()).size(), 65u);
    }
  }
  for (size_t size = 0; size < made_.bytes.size(); ++size) {
    const auto table = GoTable::parse(Bytes(made_.bytes.begin(), made_.bytes.begin() + static_cast<ptrdiff_t>(size)),
                                      {.text = kText, .funcdata = kFuncdata});
    if (table) (void)table->frames_at(kText + 4, tree());
  }
}

INSTANTIATE_TEST_SUITE_P(Layouts, GoTableTest,
                         testing::Values(GoTable::Layout::Go116, GoTable::Layout::Go118, GoTable::Layout::Go120),
                         [](const auto& tested) {
                           return std::string(tested.param == GoTable::Layout::Go116   ? "go116"
                                              : tested.param == GoTable::Layout::Go118 ? "go118"
                                                                                       : "go120");
                         });

TEST(go_table, wants_a_known_magic_number) {
  Table made = make_table(GoTable::Layout::Go120);
  made.bytes[0] = std::byte{0xf2};
  EXPECT_FALSE(GoTable::parse(made.bytes, {.text = kText}));
}

}  // namespace
}  // namespace atys::symbolize
