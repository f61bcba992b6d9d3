// SPDX-License-Identifier: Apache-2.0
// The worker is this test program itself: it is asked real questions, and some that no worker should live through.
#include "symbolize/jail.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "support/compiled_program.h"
#include "symbolize/jail_worker.h"
#include "symbolize/module_store.h"
#include "symbolize/symbol_search.h"

namespace atys::symbolize {
namespace {

int error_of(long result) { return result < 0 ? errno : 0; }

// What the world outside answers to each attempt to reach it.
Result<Bytes> try_to_escape(Module&, Cursor&) {
  JailPacker packer;
  for (const int answer :
       {error_of(::open("/etc/passwd", O_RDONLY)), error_of(::open("/tmp/atys-was-here", O_WRONLY | O_CREAT, 0600)),
        error_of(::socket(AF_INET, SOCK_STREAM, 0)), error_of(::fork()), error_of(::kill(::getppid(), 0)),
        error_of(::execl("/bin/true", "true", nullptr)), error_of(::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr)),
        ::mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? errno : 0})
    packer.number(answer);
  return packer.take();
}

Result<Bytes> crash(Module&, Cursor&) {
  std::abort();
  return Bytes();
}

Result<Bytes> eat(Module&, Cursor&) {
  std::vector<std::string> eaten;
  while (true) eaten.emplace_back(size_t{1} << 20, 'x');
  return Bytes();
}

Result<Bytes> spin(Module&, Cursor&) {
  static std::atomic<bool> is_over = false;
  while (!is_over) continue;
  return Bytes();
}

Result<Bytes> who(Module&, Cursor&) {
  JailPacker packer;
  packer.number(::getpid());
  return packer.take();
}

__attribute__((constructor)) void be_the_worker(int argc, char** argv) {
  auto questions = symbol_questions();
  questions["escape"] = try_to_escape;
  questions["crash"] = crash;
  questions["eat"] = eat;
  questions["spin"] = spin;
  questions["who"] = who;
  if (const auto status = run_if_jail_worker(argc, argv, questions)) ::_exit(*status);
}

class JailTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_.write("program.cpp", test::kSampleProgram);
    ASSERT_TRUE(folder_.run("g++ -O1 -g -o program program.cpp && cp program other"));
    Jail::set_up({.program = "/proc/self/exe", .most_bytes = uint64_t{512} << 20, .most_seconds = 1});
  }
  void TearDown() override { Jail::set_up({}); }
  std::shared_ptr<Module> module_of(const std::string& name, ModuleStore& store) {
    struct stat status {};
    EXPECT_EQ(::stat(folder_.file(name).c_str(), &status), 0);
    return store.module_for(::getpid(), {.end = 4096, .file = {status.st_dev, status.st_ino}, .path = folder_.file(name)});
  }
  uint64_t address() const { return std::strtoull(folder_.output("nm program | grep ' plain_c$'").c_str(), nullptr, 16); }
  std::string name_of(const std::string& name, ModuleStore& store) {
    const auto frames = module_of(name, store)->resolve(address());
    return frames.empty() ? "not known" : frames.back().function;
  }
  test::BuildFolder folder_;
};

TEST_F(JailTest, starts_when_it_is_needed_and_says_what_this_process_would) {
  std::vector<SourceFrame> frames;
  {
    ModuleStore store;
    const auto module = module_of("program", store);
    EXPECT_EQ(Jail::get()->account().started, 0u);
    frames = module->resolve(address());
    EXPECT_EQ(Jail::get()->account().started, 1u);
  }
  Jail::set_up({});
  ModuleStore without;
  const auto same = module_of("program", without)->resolve(address());
  ASSERT_EQ(frames.size(), same.size());
  for (size_t i = 0; i < frames.size(); ++i) {
    EXPECT_EQ(frames[i].function, same[i].function);
    EXPECT_EQ(frames[i].file, same[i].file);
    EXPECT_EQ(frames[i].line, same[i].line);
  }
}

TEST_F(JailTest, many_addresses_are_one_question) {
  ModuleStore store;
  const auto module = module_of("program", store);
  module->prepare({{address(), Module::Effort::Whole}, {address() + 1, Module::Effort::Whole}}, true);
  EXPECT_EQ(module->resolve(address()).back().function, "plain_c");
  EXPECT_FALSE(module->ranges_around(address(), {}).empty());
}

TEST_F(JailTest, finds_a_debug_file_that_it_may_not_open_itself) {
  ASSERT_TRUE(
      folder_.run("objcopy --only-keep-debug program program.debug && strip other && "
                  "objcopy --add-gnu-debuglink=program.debug other"));
  ModuleStore store;
  const auto frames = module_of("other", store)->resolve(address());
  ASSERT_FALSE(frames.empty());
  EXPECT_EQ(frames.back().function, "plain_c");
  EXPECT_EQ(frames.back().line, 25);
}

TEST_F(JailTest, reaches_nothing_outside) {
  ModuleStore store;
  const auto answer = module_of("program", store)->ask_worker("escape");
  ASSERT_TRUE(answer.has_value());
  if (const auto walls = Jail::get()->account().walls; !walls.all()) GTEST_SKIP() << "not here: " << walls.missing();
  ASSERT_TRUE(answer->ok()) << answer->error().message;
  Cursor cursor(**answer);
  while (!cursor.at_end()) {
    const int error = cursor.fixed<int>();
    EXPECT_EQ(error, EPERM) << "at " << cursor.position();
  }
  EXPECT_NE(::access("/tmp/atys-was-here", F_OK), 0);
}

TEST_F(JailTest, has_no_rights_and_nothing_of_our_memory) {
  ModuleStore store;
  const auto answer = module_of("program", store)->ask_worker("who");
  ASSERT_TRUE(answer.has_value() && answer->ok());
  Cursor cursor(**answer);
  std::ifstream status("/proc/" + std::to_string(cursor.fixed<int>()) + "/status");
  const std::string text((std::istreambuf_iterator<char>(status)), {});
  for (const char* line : {"CapPrm:\t0000000000000000", "CapEff:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2"})
    EXPECT_NE(text.find(line), std::string::npos) << line;
}

// Whatever a file does to it costs this file's names.
TEST_F(JailTest, its_end_costs_the_names_of_one_file) {
  for (const char* question : {"crash", "eat", "spin"}) {
    ModuleStore store;
    const auto module = module_of("program", store);
    const uint64_t before = Jail::get()->account().ended;
    const auto answer = module->ask_worker(question);
    ASSERT_TRUE(answer.has_value());
    EXPECT_FALSE(answer->ok()) << question;
    EXPECT_EQ(Jail::get()->account().ended, before + 2) << question << ": with its debug information, and without";
    EXPECT_FALSE(module->trouble().empty());
    EXPECT_TRUE(module->resolve(address()).empty());
    EXPECT_EQ(name_of("other", store), "plain_c") << question;
    EXPECT_TRUE(module_of("other", store)->trouble().empty());
  }
}

TEST_F(JailTest, is_started_only_so_often) {
  ModuleStore store;
  for (int i = 0; i < 12; ++i) {
    ASSERT_TRUE(folder_.run("cp program bad" + std::to_string(i)));
    (void)module_of("bad" + std::to_string(i), store)->ask_worker("crash");
  }
  EXPECT_LT(Jail::get()->account().started, 24u);
  EXPECT_FALSE(module_of("bad11", store)->trouble().empty());
}

TEST_F(JailTest, without_a_worker_files_are_read_here) {
  Jail::set_up({.program = "/no/such/program"});
  ModuleStore store;
  EXPECT_EQ(name_of("program", store), "plain_c");
  EXPECT_FALSE(Jail::get()->account().no_worker.empty());
}

TEST_F(JailTest, large_symbol_tables_are_searched_by_the_worker) {
  std::string source = ".text\n.global the_one\nthe_one: nop\n";
  for (int i = 0; i < 60000; ++i) {
    const std::string name = "a_rather_long_name_of_a_symbol_as_templates_have_them_so_that_it_adds_up_" + std::to_string(i);
    source += ".global " + name + "\n" + name + ": nop\n";
  }
  folder_.write("large.S", source);
  ASSERT_TRUE(folder_.run("gcc -shared -nostdlib -o large.so large.S"));
  const auto file = ElfFile::open(folder_.file("large.so"));
  ASSERT_TRUE(file.ok());
  const auto found = find_symbols(*file, {"the_one", "not_there"}, Tables::Dynamic);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].name, "the_one");
  EXPECT_TRUE(found[0].is_defined);
  EXPECT_EQ(Jail::get()->account().started, 1u);
}

}  // namespace
}  // namespace atys::symbolize
