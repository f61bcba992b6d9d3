// SPDX-License-Identifier: Apache-2.0
#include "symbolize/kernel_symbols.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace atys::symbolize {
namespace {

constexpr const char* kText =
    "0000000000000000 A fixed_percpu_data\n"
    "ffffffff81000000 T _stext\n"
    "ffffffff81000000 T _text\n"
    "ffffffff81000000 T startup_64\n"
    "ffffffff81000100 t local_function\n"
    "ffffffff81000100 T global_function\n"
    "ffffffff81000200 D some_data\n"
    "ffffffff81000300 t $x\n"
    "ffffffffc0000000 t module_function\t[ext4]\n"
    "ffffffffc0000040 t other_function\t[xfs]\n"
    "garbage\n"
    "ffffffff81000080 T out_of_order";

std::string name_at(const KernelSymbols& symbols, uint64_t address) {
  const auto found = symbols.resolve(address);
  return !found ? "-" : std::string(found->name) + (found->module.empty() ? "" : " [" + std::string(found->module) + "]");
}

TEST(kernel_symbols, names_functions_of_the_kernel_and_its_modules) {
  const auto symbols = KernelSymbols::parse(kText);
  ASSERT_TRUE(symbols.ok());
  EXPECT_EQ(name_at(*symbols, 0xffffffff81000004), "startup_64");
  EXPECT_EQ(name_at(*symbols, 0xffffffff81000080), "out_of_order");
  EXPECT_EQ(name_at(*symbols, 0xffffffff81000100), "global_function");
  EXPECT_EQ(name_at(*symbols, 0xffffffff81000208), "global_function");
  EXPECT_EQ(name_at(*symbols, 0xffffffffc0000008), "module_function [ext4]");
  EXPECT_EQ(name_at(*symbols, 0xffffffffc0000048), "other_function [xfs]");
  EXPECT_EQ(name_at(*symbols, 0xffffffff80ffffff), "-");
  EXPECT_EQ(name_at(*symbols, 0xffffffffd0000000), "-");
  EXPECT_EQ(symbols->text_start(), 0xffffffff81000000);
}

TEST(kernel_symbols, says_what_hides_them_and_how_to_change_that) {
  const auto symbols = KernelSymbols::parse("0000000000000000 T _text\n0000000000000000 t function\n");
  ASSERT_FALSE(symbols.ok());
  EXPECT_EQ(symbols.error().code, ErrorCode::PermissionDenied);
  EXPECT_NE(symbols.error().hint.find("kernel.kptr_restrict=0"), std::string::npos);
  EXPECT_FALSE(KernelSymbols::parse("").ok());
}

TEST(kernel_symbols, reads_those_of_this_machine) {
  const auto symbols = KernelSymbols::read();
  if (!symbols.ok()) GTEST_SKIP() << symbols.error().message;
  EXPECT_GT(symbols->size(), 1000u);
  EXPECT_LT(symbols->memory_bytes() / symbols->size(), 60u);
  ASSERT_NE(symbols->text_start(), 0u);
  EXPECT_TRUE(symbols->resolve(symbols->text_start() + 0x1000).has_value());
}

TEST(kernel_symbols, are_the_same_after_saving_and_loading) {
  const auto symbols =
      KernelSymbols::parse("ffffffff81000000 T _text\nffffffff81000100 T do_it\nffffffffa0000000 t helper\t[some_module]\n");
  ASSERT_TRUE(symbols.ok());
  const Bytes saved(symbols->save().begin(), symbols->save().end());
  const auto loaded = KernelSymbols::load(saved);
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(loaded->resolve(0xffffffff81000110)->name, "do_it");
  EXPECT_EQ(loaded->resolve(0xffffffffa0000010)->module, "some_module");
  EXPECT_EQ(loaded->text_start(), symbols->text_start());
  for (size_t size = 0; size < saved.size(); ++size)
    EXPECT_FALSE(KernelSymbols::load(std::span(saved).first(size)).ok()) << size;
  for (size_t i = 0; i < saved.size(); ++i) {
    Bytes changed = saved;
    changed[i] ^= std::byte{0xff};
    if (const auto other = KernelSymbols::load(changed); other.ok()) (void)other->resolve(0xffffffff81000110);
  }
}

}  // namespace
}  // namespace atys::symbolize
