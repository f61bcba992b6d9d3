// SPDX-License-Identifier: Apache-2.0
#include "symbolize/module_store.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/compiled_program.h"

namespace atys::symbolize {

// With external linkage, so that it is in the symbol table whatever else is.
__attribute__((noinline)) int function_of_this_test(int value) { return value * 3 + 1; }

namespace {

linux::MappedRange range_of(pid_t pid, uint64_t address) {
  const auto maps = linux::read_maps(pid);
  EXPECT_TRUE(maps.ok());
  for (const auto& range : *maps)
    if (range.contains(address)) return range;
  ADD_FAILURE() << "nothing is mapped at " << address;
  return {};
}

std::string name_at(ModuleStore& store, pid_t pid, uint64_t address) {
  const auto range = range_of(pid, address);
  const auto module = store.module_for(pid, range);
  const auto file_address = module->file_address(address - range.start + range.file_offset);
  if (!file_address) return "no address";
  const auto frames = module->resolve(*file_address);
  return frames.empty() ? "not known" : frames.back().function;
}

uint64_t address(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

TEST(module_store, resolves_a_function_of_our_own_process) {
  ModuleStore store;
  EXPECT_EQ(name_at(store, ::getpid(), reinterpret_cast<uint64_t>(&function_of_this_test)),
            "atys::symbolize::function_of_this_test(int)");
  EXPECT_EQ(name_at(store, ::getpid(), address(::dlsym(RTLD_DEFAULT, "mkfifo"))), "mkfifo");
}

TEST(module_store, opens_each_binary_once) {
  ModuleStore store;
  const auto range = range_of(::getpid(), reinterpret_cast<uint64_t>(&function_of_this_test));
  EXPECT_EQ(store.module_for(::getpid(), range), store.module_for(::getpid(), range));
}

TEST(module_store, resolves_the_vdso) {
  ModuleStore store;
  const auto maps = linux::read_maps(::getpid());
  ASSERT_TRUE(maps.ok());
  for (const auto& range : *maps) {
    if (range.path != "[vdso]") continue;
    const auto module = store.module_for(::getpid(), range);
    ASSERT_NE(module->elf(), nullptr);
    EXPECT_EQ(module, store.module_for(1 << 30, range));  // no such process: ours stands in
    size_t named = 0;
    for (uint64_t offset = 0; offset < range.end - range.start; offset += 16)
      if (const auto at = module->file_address(offset)) named += module->resolve(*at).empty() ? 0 : 1;
    EXPECT_GT(named, 4u);
    return;
  }
  GTEST_SKIP() << "no vDSO here";
}

TEST(module_store, gives_a_module_without_names_for_memory_of_no_file) {
  ModuleStore store;
  linux::MappedRange range{.start = 4096, .end = 8192, .is_executable = true};
  const auto module = store.module_for(::getpid(), range);
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(module->elf(), nullptr);
  EXPECT_TRUE(module->resolve(100).empty());
  EXPECT_FALSE(module->sha256().ok());
  range.path = "/no/such/file";
  range.file = {1, 2};
  EXPECT_EQ(store.module_for(::getpid(), range)->path(), "/no/such/file");
}

// A library that is mapped here, and what its name stands for afterwards.
class MappedLibrary : public testing::Test {
 protected:
  void SetUp() override {
    folder_.write("lib.cpp", "extern \"C\" int first_name(int x) { return x * 2; }\n");
    ASSERT_TRUE(folder_.run("g++ -O1 -g -shared -fPIC -o lib.so lib.cpp"));
    library_ = ::dlopen(folder_.file("lib.so").c_str(), RTLD_NOW);
    ASSERT_NE(library_, nullptr);
    function_ = address(::dlsym(library_, "first_name"));
  }
  void TearDown() override { ::dlclose(library_); }

  test::BuildFolder folder_;
  void* library_ = nullptr;
  uint64_t function_ = 0;
};

TEST_F(MappedLibrary, is_resolved_after_it_was_deleted_or_replaced) {
  if (::geteuid() != 0) GTEST_SKIP() << "/proc/PID/map_files needs root";
  ASSERT_TRUE(folder_.run("rm lib.so"));
  ModuleStore store;
  EXPECT_EQ(name_at(store, ::getpid(), function_), "first_name");
  folder_.write("lib.cpp", "extern \"C\" int other_name(int x) { return x * 2; }\n");
  ASSERT_TRUE(folder_.run("g++ -O1 -g -shared -fPIC -o lib.so lib.cpp"));
  ModuleStore another;
  EXPECT_EQ(name_at(another, ::getpid(), function_), "first_name");
}

// What a loader maps at first, and what is told of it, is larger than what it keeps.
TEST_F(MappedLibrary, is_resolved_after_it_was_replaced_if_its_mapping_has_become_smaller) {
  if (::geteuid() != 0) GTEST_SKIP() << "/proc/PID/map_files needs root";
  auto range = range_of(::getpid(), function_);
  range.end += 0x100000;
  ASSERT_TRUE(folder_.run("cp lib.so other.so && mv other.so lib.so"));
  ModuleStore store;
  EXPECT_NE(store.module_for(::getpid(), range)->elf(), nullptr);
}

TEST_F(MappedLibrary, is_not_mistaken_for_the_file_that_has_its_name_now) {
  auto range = range_of(::getpid(), function_);
  ASSERT_TRUE(folder_.run("cp lib.so other.so && mv other.so lib.so"));
  // A process that is gone leaves only the name.
  ModuleStore store;
  EXPECT_EQ(store.module_for(1 << 30, range)->elf(), nullptr);
}

TEST_F(MappedLibrary, is_resolved_when_the_process_is_gone) {
  ModuleStore store;
  const auto range = range_of(::getpid(), function_);
  EXPECT_NE(store.module_for(1 << 30, range)->elf(), nullptr);
}

TEST_F(MappedLibrary, does_not_wait_for_a_fifo_in_its_place) {
  auto range = range_of(::getpid(), function_);
  ASSERT_TRUE(folder_.run("rm lib.so && mkfifo lib.so"));
  range.is_deleted = false;
  ModuleStore store;
  EXPECT_EQ(store.module_for(1 << 30, range)->elf(), nullptr);
}

TEST(module_store, what_was_read_of_a_file_is_forgotten_and_can_be_had_again_although_its_name_is_gone) {
  const test::BuildFolder folder;
  folder.write("lib.cpp", "extern \"C\" int function(int x) { return x * 2; }");
  ASSERT_TRUE(folder.run("g++ -shared -fPIC -nostdlib -o lib.so lib.cpp"));
  struct stat status {};
  ASSERT_EQ(::stat(folder.file("lib.so").c_str(), &status), 0);
  ModuleStore store;
  const auto module =
      store.module_for(::getpid(), {.end = 4096, .file = {status.st_dev, status.st_ino}, .path = folder.file("lib.so")});
  const void* first = module->elf().get();
  auto held = module->elf();
  store.forget_sections();
  EXPECT_EQ(module->elf().get(), first) << "somebody reads it";
  ASSERT_TRUE(folder.run("rm lib.so"));
  held.reset();
  const std::weak_ptr<const ElfFile> before = module->elf();
  store.forget_sections();
  EXPECT_TRUE(before.expired());
  ASSERT_NE(module->elf(), nullptr);
  EXPECT_TRUE(module->elf()->section(".symtab").has_value());
}

// Two libraries that say that they are the same build, and are as large.
class ForgedBuild : public testing::Test {
 protected:
  void SetUp() override {
    for (const std::string name : {"a", "b"}) {
      folder_.write(name + ".cpp", "#define ONE(n) extern \"C\" int " + name + R"(_##n(int x) { return x * n; }
#define TEN(n) ONE(n##0) ONE(n##1) ONE(n##2) ONE(n##3) ONE(n##4) ONE(n##5) ONE(n##6) ONE(n##7) ONE(n##8) ONE(n##9)
#define HUNDRED(n) TEN(n##0) TEN(n##1) TEN(n##2) TEN(n##3) TEN(n##4) TEN(n##5) TEN(n##6) TEN(n##7) TEN(n##8) TEN(n##9)
#define THOUSAND(n) HUNDRED(n##0) HUNDRED(n##1) HUNDRED(n##2) HUNDRED(n##3) HUNDRED(n##4) HUNDRED(n##5) HUNDRED(n##6) \
  HUNDRED(n##7) HUNDRED(n##8) HUNDRED(n##9)
THOUSAND(1) THOUSAND(2) THOUSAND(3)
)");
      ASSERT_TRUE(
          folder_.run("g++ -shared -fPIC -nostdlib -Wl,--build-id=0x0123456789abcdef -o " + name + ".so " + name + ".cpp"));
    }
  }
  std::string first_name_of(ModuleStore& store, const std::string& name) {
    struct stat status {};
    EXPECT_EQ(::stat(folder_.file(name).c_str(), &status), 0);
    const auto module =
        store.module_for(::getpid(), {.end = 4096, .file = {status.st_dev, status.st_ino}, .path = folder_.file(name)});
    const uint64_t address = std::strtoull(folder_.output("nm " + name + " | grep '_1000$'").c_str(), nullptr, 16);
    const auto frames = module->resolve(address);
    return frames.empty() ? "not known" : frames.back().function;
  }
  test::BuildFolder folder_;
};

TEST_F(ForgedBuild, does_not_name_the_functions_of_another_file_in_one_recording) {
  ModuleStore store;
  EXPECT_EQ(first_name_of(store, "a.so"), "a_1000");
  EXPECT_EQ(first_name_of(store, "b.so"), "b_1000");
}

TEST_F(ForgedBuild, does_not_name_them_in_the_next_recording) {
  const ModuleStoreOptions options{.cache_folder = folder_.file("cache"), .debug_folder = folder_.file("debug")};
  const auto kept = [&] { return folder_.output("ls cache 2>/dev/null | grep -c symbols"); };
  // What was changed a moment ago may change again: it is not kept yet.
  while (kept() != "1\n") {
    ::usleep(100'000);
    ModuleStore store(options);
    ASSERT_EQ(first_name_of(store, "a.so"), "a_1000");
  }
  ModuleStore store(options);
  EXPECT_EQ(first_name_of(store, "a.so"), "a_1000");
  EXPECT_EQ(first_name_of(store, "b.so"), "b_1000");
}

// A file that both a container and we have mapped, and a debug file of the container's own making.
TEST(module_store, debug_files_of_a_container_name_its_own_functions_alone) {
  const test::BuildFolder folder;
  for (const std::string name : {"first_name", "other_name"}) {
    folder.write(name + ".cpp", "static int __attribute__((noinline)) " + name +
                                    "(int x) { return x * 2; }\nextern \"C\" int call(int x) { return " + name +
                                    "(x) + 1; }\n");
    ASSERT_TRUE(folder.run("g++ -O1 -g -shared -fPIC -nostdlib -Wl,--build-id=0xabcdef0123456789 -o " + name + ".so " +
                           name + ".cpp"));
  }
  const uint64_t at = std::strtoull(folder.output("nm first_name.so | grep first_name").c_str(), nullptr, 16);
  ASSERT_TRUE(
      folder.run("mkdir -p debug/.build-id/ab && cp first_name.so debug/.build-id/ab/cdef0123456789.debug && mkdir empty && "
                 "cp other_name.so forged.debug && strip -o lib.so first_name.so"));
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string debug = folder.file("debug");
    const bool is_done =
        ::unshare(CLONE_NEWNS) == 0 && ::mount("", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
        ::mount("tmpfs", debug.c_str(), "tmpfs", 0, nullptr) == 0 &&
        folder.run("mkdir -p debug/.build-id/ab && cp forged.debug debug/.build-id/ab/cdef0123456789.debug");
    (void)!::write(ready[1], is_done ? "y" : "n", 1);
    ::pause();
    ::_exit(0);
  }
  char answer = 'n';
  ASSERT_EQ(::read(ready[0], &answer, 1), 1);
  struct stat status {};
  ASSERT_EQ(::stat(folder.file("lib.so").c_str(), &status), 0);
  const linux::MappedRange range{.end = 4096, .file = {status.st_dev, status.st_ino}, .path = folder.file("lib.so")};
  const auto name_for = [&](ModuleStore& store, pid_t pid) {
    const auto frames = store.module_for(pid, range)->resolve(at);
    return frames.empty() ? "not known" : frames.back().function;
  };
  std::string theirs;
  std::string ours;
  std::string ours_first;
  std::string theirs_second;
  {
    ModuleStore store({.debug_folder = folder.file("debug")});
    theirs = name_for(store, child);
    ours = name_for(store, ::getpid());
    ModuleStore another({.debug_folder = folder.file("debug")});
    ours_first = name_for(another, ::getpid());
    theirs_second = name_for(another, child);
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(ready[0]);
  ::close(ready[1]);
  if (answer != 'y') GTEST_SKIP() << "no mount namespace of one's own here";
  EXPECT_EQ(theirs.substr(0, 10), "other_name");
  EXPECT_EQ(ours.substr(0, 10), "first_name");
  EXPECT_EQ(ours_first.substr(0, 10), "first_name");
  EXPECT_EQ(theirs_second.substr(0, 10), "other_name");
}

TEST(module_store, keeps_few_descriptors_open) {
  const test::BuildFolder folder;
  ModuleStore store({.most_open_files = 4});
  std::vector<std::shared_ptr<Module>> modules;
  for (int i = 0; i < 12; ++i) {
    const std::string name = "lib" + std::to_string(i) + ".so";
    const std::string source = "extern \"C\" int function_" + std::to_string(i) + "(int x) { return x * 2; }";
    folder.write("lib.cpp", source);
    ASSERT_TRUE(folder.run("g++ -shared -fPIC -nostdlib -o " + name + " lib.cpp"));
    struct stat status {};
    ASSERT_EQ(::stat(folder.file(name).c_str(), &status), 0);
    linux::MappedRange range{.end = 4096, .file = {status.st_dev, status.st_ino}, .path = folder.file(name)};
    modules.push_back(store.module_for(::getpid(), range));
  }
  int open = 0;
  for (const auto& module : modules) open += module->holds_descriptor() ? 1 : 0;
  EXPECT_LE(open, 4);
  for (const auto& module : modules) EXPECT_NE(module->elf(), nullptr);
}

}  // namespace
}  // namespace atys::symbolize
