// SPDX-License-Identifier: Apache-2.0
// This very process is the target: where its symbols are, it knows.
#include "capture/target/process_files.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "support/compiled_program.h"

// Found by name in the symbol table of the test program.
extern "C" __attribute__((used, visibility("default"))) int atys_process_files_test_symbol(int value) { return value + 1; }

namespace atys::capture {
namespace {

std::string own_path() { return std::filesystem::canonical("/proc/self/exe"); }
template <typename T>
uint64_t address_of(T* thing) {
  return reinterpret_cast<uint64_t>(thing);
}
bool is_in(const LoadedFile& file, uint64_t address) {
  return std::ranges::any_of(file.executable, [&](const linux::MappedRange& range) { return range.contains(address); });
}

// A library of one function, in a folder that goes with it.
class Library {
 public:
  Library() {
    folder_.write("library.c", "int answer(void) { return 42; }\nint kept __attribute__((section(\".kept\"))) = 7;\n");
    is_there_ = folder_.run("cc -shared -fPIC -o library.so library.c 2>/dev/null");
    if (is_there_) handle_ = ::dlopen(path().c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  ~Library() {
    if (handle_ != nullptr) ::dlclose(handle_);
  }
  bool is_loaded() const { return handle_ != nullptr; }
  std::string path() const { return folder_.file("library.so"); }
  uint64_t symbol(const char* name) const { return address_of(::dlsym(handle_, name)); }

 private:
  test::BuildFolder folder_;
  bool is_there_ = false;
  void* handle_ = nullptr;
};

TEST(process_files, knows_where_the_symbols_of_the_program_are) {
  const auto file = open_loaded_file(::getpid(), own_path());
  ASSERT_TRUE(file.ok()) << file.error().message;
  const auto symbols = file->symbols({"atys_process_files_test_symbol", "no_such_symbol"});
  ASSERT_EQ(symbols.size(), 1U);
  const auto& place = symbols.at("atys_process_files_test_symbol");
  EXPECT_EQ(place.address, address_of(&atys_process_files_test_symbol));
  EXPECT_GT(place.size, 0U);
  EXPECT_TRUE(is_in(*file, place.address));
}

TEST(process_files, knows_where_the_symbols_and_sections_of_a_library_are) {
  const Library library;
  ASSERT_TRUE(library.is_loaded());
  const auto file = open_loaded_file(::getpid(), library.path());
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(file->symbols({"answer"}).at("answer").address, library.symbol("answer"));
  EXPECT_TRUE(is_in(*file, library.symbol("answer")));
  const auto section = file->section(".kept");
  ASSERT_TRUE(section.has_value());
  EXPECT_EQ(section->address, library.symbol("kept"));
  EXPECT_EQ(section->size, sizeof(int));
  EXPECT_FALSE(file->section(".none").has_value());
}

// Programs map their own files to read their symbols, and the lower address may be that.
TEST(process_files, is_not_misled_by_a_file_that_is_mapped_as_data_too) {
  const Library library;
  ASSERT_TRUE(library.is_loaded());
  const UniqueFd fd(::open(library.path().c_str(), O_RDONLY | O_CLOEXEC));
  const auto size = std::filesystem::file_size(library.path());
  // Below the library as well as above it: in the lowest free place, and where the kernel likes it.
  void* low = ::mmap(reinterpret_cast<void*>(0x10000000), size, PROT_READ, MAP_PRIVATE | MAP_FIXED_NOREPLACE, fd.get(), 0);
  void* anywhere = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
  ASSERT_NE(anywhere, MAP_FAILED);
  const auto file = open_loaded_file(::getpid(), library.path());
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(file->symbols({"answer"}).at("answer").address, library.symbol("answer"));
  if (low != MAP_FAILED) ::munmap(low, size);
  ::munmap(anywhere, size);
}

TEST(process_files, opens_a_file_whose_name_is_gone) {
  const Library library;
  ASSERT_TRUE(library.is_loaded());
  std::filesystem::remove(library.path());
  const auto file = open_loaded_file(::getpid(), library.path());
  if (!file.ok() && ::geteuid() != 0) GTEST_SKIP() << "only root may open what others have mapped";
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(file->symbols({"answer"}).at("answer").address, library.symbol("answer"));
}

TEST(process_files, opens_the_file_that_is_mapped_and_not_the_one_that_took_its_name) {
  const Library library;
  ASSERT_TRUE(library.is_loaded());
  std::filesystem::remove(library.path());
  std::filesystem::copy_file("/proc/self/exe", library.path());
  const auto file = open_loaded_file(::getpid(), library.path());
  if (!file.ok() && ::geteuid() != 0) GTEST_SKIP() << "only root may open what others have mapped";
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(file->symbols({"answer"}).at("answer").address, library.symbol("answer"));
}

TEST(process_files, tells_what_a_file_wants_from_others) {
  const auto file = open_loaded_file(::getpid(), own_path());
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(file->imports({"no_such_symbol", "mmap"}));
  EXPECT_FALSE(file->imports({"atys_process_files_test_symbol"}));
}

TEST(process_files, says_that_a_file_is_not_mapped) {
  const auto file = open_loaded_file(::getpid(), "/etc/passwd");
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().code, ErrorCode::NotFound);
}

TEST(process_files, does_not_wait_for_a_fifo) {
  const test::BuildFolder folder;
  ASSERT_EQ(::mkfifo(folder.file("fifo").c_str(), 0600), 0);
  EXPECT_FALSE(open_mapped_file(::getpid(), {.start = 1, .end = 2, .path = folder.file("fifo")}).ok());
}

TEST(process_files, follows_links_only_within_the_root_of_the_process) {
  const test::BuildFolder folder;
  folder.write("file", "content");
  std::filesystem::create_symlink(folder.file("file"), folder.file("link"));
  std::filesystem::create_symlink("/proc/self/fd/0", folder.file("magic"));
  EXPECT_TRUE(open_in_root(::getpid(), folder.file("link")).is_open());
  EXPECT_FALSE(open_in_root(::getpid(), folder.file("magic")).is_open());
  EXPECT_FALSE(open_in_root(::getpid(), folder.file("none")).is_open());
  EXPECT_FALSE(open_in_root(-1, folder.file("file")).is_open());
}

}  // namespace
}  // namespace atys::capture
