// SPDX-License-Identifier: Apache-2.0
#include "symbolize/symbol_table.h"

#include <gtest/gtest.h>

#include "support/compiled_program.h"

namespace atys::symbolize {
namespace {

class SymbolTableTest : public testing::Test {
 protected:
  SymbolTable table_of(const std::string& name) {
    auto file = ElfFile::open(folder_.file(name));
    EXPECT_TRUE(file.ok());
    return SymbolTable::build(*file);
  }
  void compile(const std::string& source, const std::string& options) {
    folder_.write("program.cpp", source);
    ASSERT_TRUE(folder_.run("g++ " + options + " -o program program.cpp"));
  }
  uint64_t address_of(const std::string& symbol) {
    return std::strtoull(folder_.output("nm program | grep ' " + symbol + "$'").c_str(), nullptr, 16);
  }
  static std::string name_at(const SymbolTable& table, uint64_t address) {
    const auto found = table.find(address);
    return found ? std::string(found->name) : "-";
  }
  test::BuildFolder folder_;
};

TEST_F(SymbolTableTest, agrees_with_nm_on_every_function) {
  compile(test::kSampleProgram, "-O2");
  const auto table = table_of("program");
  EXPECT_TRUE(table.is_whole());
  std::istringstream lines(folder_.output("nm -S program | grep -i ' t '"));
  std::string start, size, type, name;
  int count = 0;
  while (lines >> start >> size >> type >> name) {
    if (type.size() != 1) break;  // a line without a size: the words are shifted
    const uint64_t address = std::strtoull(start.c_str(), nullptr, 16);
    const uint64_t last = address + std::strtoull(size.c_str(), nullptr, 16) - 1;
    EXPECT_EQ(table.find(address)->address, address) << name;
    EXPECT_EQ(table.find(last)->address, address) << name;
    ++count;
  }
  EXPECT_GT(count, 0);
  EXPECT_EQ(name_at(table, address_of("plain_c") + 1), "plain_c");
  EXPECT_EQ(name_at(table, 0), "-");
  EXPECT_EQ(name_at(table, UINT64_MAX), "-");
}

TEST_F(SymbolTableTest, says_how_far_an_answer_holds) {
  compile(test::kSampleProgram, "-O2");
  const auto table = table_of("program");
  const uint64_t start = address_of("plain_c") - 64;
  for (uint64_t address = start; address < start + 256; ++address) {
    const uint64_t end = table.same_until(address);
    ASSERT_GT(end, address);
    for (uint64_t other = address; other < std::min(end, start + 256); ++other)
      EXPECT_EQ(name_at(table, other), name_at(table, address)) << std::hex << address << " " << other;
  }
  const auto symbol = table.find(address_of("plain_c"));
  EXPECT_EQ(table.same_until(symbol->address), symbol->address + symbol->size);
  EXPECT_EQ(table.same_until(UINT64_MAX - 1), UINT64_MAX);
}

TEST_F(SymbolTableTest, has_a_flat_form_that_is_checked) {
  compile(test::kSampleProgram, "-O2");
  const auto table = table_of("program");
  Bytes flat = table.flat();
  const auto again = SymbolTable::parse(flat);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->flat(), flat);
  EXPECT_EQ(name_at(*again, address_of("plain_c")), "plain_c");
  for (size_t length = 0; length < flat.size(); length += 7)
    EXPECT_FALSE(SymbolTable::parse({flat.data(), length}).has_value()) << length;
  flat.back() = std::byte('x');  // a name without an end
  EXPECT_FALSE(SymbolTable::parse(flat).has_value());
}

TEST_F(SymbolTableTest, prefers_global_names_to_local_and_weak_ones) {
  compile(
      "asm(\".globl the_name\\n.weak weak_name\\n.type the_name,@function\\n.type weak_name,@function\\n\"\n"
      "    \".type local_name,@function\\nweak_name:\\nlocal_name:\\nthe_name: ret\\n.size the_name, 1\\n.size weak_name, "
      "1\\n\");\n"
      "int main() {}",
      "-O1");
  EXPECT_EQ(name_at(table_of("program"), address_of("the_name")), "the_name");
}

TEST_F(SymbolTableTest, lets_a_function_without_size_reach_to_the_next) {
  compile(
      "asm(\".type unsized,@function\\nunsized: ret\\nret\\nret\\nret\\n.type sized,@function\\nsized: ret\\nlabel: "
      "ret\\n.size sized, 2\\n\");\n"
      "int main() {}",
      "-O1");
  const auto table = table_of("program");
  const uint64_t start = address_of("unsized");
  const uint64_t next = address_of("sized");
  EXPECT_EQ(name_at(table, start), "unsized");
  EXPECT_EQ(name_at(table, next - 1), "unsized");
  EXPECT_EQ(name_at(table, next), "sized");
  EXPECT_EQ(name_at(table, next + 1), "sized");  // the label there is no function
}

TEST_F(SymbolTableTest, has_the_exported_names_of_a_stripped_library) {
  compile("extern \"C\" int exported(int x) { return x * 2; }", "-O1 -shared -fPIC");
  const uint64_t address = address_of("exported");
  ASSERT_TRUE(folder_.run("strip program"));
  const auto table = table_of("program");
  EXPECT_FALSE(table.is_whole());
  EXPECT_EQ(name_at(table, address), "exported");
}

TEST_F(SymbolTableTest, finds_the_names_that_stripping_left_in_gnu_debugdata) {
  compile(test::kSampleProgram, "-O2");
  const uint64_t address = address_of("plain_c");
  ASSERT_TRUE(
      folder_.run("objcopy -S --keep-symbol=plain_c program mini && xz mini && strip program && "
                  "objcopy --add-section .gnu_debugdata=mini.xz program"));
  EXPECT_EQ(name_at(table_of("program"), address), "plain_c");
  // Damaged: what else is there is still found.
  ASSERT_TRUE(folder_.run(
      "printf damaged > bad && objcopy --remove-section .gnu_debugdata --add-section .gnu_debugdata=bad program other"));
  EXPECT_EQ(name_at(table_of("other"), address), "-");
}

TEST_F(SymbolTableTest, names_the_stubs_that_call_other_libraries) {
  for (const char* options :
       {"-O1 -Wl,-z,lazy", "-O1 -Wl,-z,lazy -fcf-protection=full", "-O1 -Wl,-z,lazy -fcf-protection=none"}) {
    folder_.write("program.cpp", test::kSampleProgram);
    if (!folder_.run(std::string("g++ ") + options + " -o program program.cpp 2> /dev/null")) continue;
    const auto table = table_of("program");
    // The disassembler names them as well.
    std::istringstream lines(folder_.output("objdump -d -j .plt -j .plt.sec program 2> /dev/null | grep '<rand@plt>:'"));
    uint64_t address = 0;
    lines >> std::hex >> address;
    ASSERT_NE(address, 0u) << options;
    EXPECT_EQ(name_at(table, address), "rand@plt") << options;
  }
}

}  // namespace
}  // namespace atys::symbolize
