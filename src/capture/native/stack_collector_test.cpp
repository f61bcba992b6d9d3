// SPDX-License-Identifier: Apache-2.0
// How a collector has stacks taken, process by process.
#include "capture/native/stack_collector.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "support/replayed_stacks.h"
#include "support/scratch_folder.h"

namespace atys::capture::native {
namespace {

constexpr pid_t kPid = 5'000'007;  // beyond what any system gives out
constexpr pid_t kChild = 5'000'008;

// A program that has nothing but one section.
std::string program_with(const std::string& section) {
  const std::string names = std::string(1, '\0') + section + std::string(1, '\0') + ".shstrtab" + std::string(1, '\0');
  Elf64_Ehdr head{};
  std::memcpy(head.e_ident, ELFMAG, SELFMAG);
  head.e_ident[EI_CLASS] = ELFCLASS64;
  head.e_ident[EI_DATA] = ELFDATA2LSB;
  head.e_ident[EI_VERSION] = EV_CURRENT;
  head.e_type = ET_EXEC;
  head.e_machine = EM_X86_64;
  head.e_version = EV_CURRENT;
  head.e_ehsize = sizeof head;
  head.e_shentsize = sizeof(Elf64_Shdr);
  head.e_shnum = 3;
  head.e_shstrndx = 2;
  head.e_shoff = sizeof head;
  Elf64_Shdr sections[3] = {};
  const uint64_t after = sizeof head + sizeof sections;
  sections[1] = {.sh_name = 1, .sh_type = SHT_PROGBITS, .sh_offset = after, .sh_size = names.size()};
  sections[2] = {.sh_name = static_cast<Elf64_Word>(2 + section.size()),
                 .sh_type = SHT_STRTAB,
                 .sh_offset = after,
                 .sh_size = names.size()};
  return std::string(reinterpret_cast<const char*>(&head), sizeof head) +
         std::string(reinterpret_cast<const char*>(sections), sizeof sections) + names;
}

class StackModes : public testing::Test {
 protected:
  void exec(pid_t pid, const std::string& section) {
    const std::string path = folder_.path() + "/program" + section;
    std::ofstream(path, std::ios::binary) << program_with(section);
    struct stat status {};
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    tell(linux::CommRecord{.pid = pid, .tid = pid, .is_exec = true, .comm = {}});
    linux::MappedRange range{.start = 0x1000, .end = 0x9000, .is_executable = true, .path = path};
    range.file = {status.st_dev, status.st_ino};
    tell(linux::MapRecord{pid, range});
  }
  void tell(linux::PerfRecordBody body) {
    scene_.collector.on_process_record({.time_ns = ++now_ns_, .body = std::move(body)});
  }
  void sample(pid_t pid) {
    const uint64_t frame = 0x1010;
    RawSample sample{.time_ns = ++now_ns_, .pid = pid, .tid = pid};
    sample.user_frames = {&frame, 1};
    (void)scene_.collector.on_stack(sample);
  }
  const std::map<pid_t, StackMode>& modes() const { return scene_.source.modes; }

  test::ScratchFolder folder_;
  test::ReplayedStacks scene_;
  uint64_t now_ns_ = 0;
};

TEST_F(StackModes, are_by_frame_pointers_for_go_alone) {
  exec(kPid, ".gopclntab");
  exec(kChild, ".text");
  sample(kPid);
  sample(kChild);
  EXPECT_EQ(modes(), (std::map<pid_t, StackMode>{{kPid, StackMode::ByFramePointer}}));
}

TEST_F(StackModes, are_by_copy_again_when_go_executes_another_program) {
  exec(kPid, ".gopclntab");
  sample(kPid);
  exec(kPid, ".text");
  sample(kPid);
  EXPECT_EQ(modes(), (std::map<pid_t, StackMode>{{kPid, StackMode::ByCopy}}));
}

TEST_F(StackModes, are_by_copy_for_other_programs_that_go_starts) {
  exec(kPid, ".gopclntab");
  sample(kPid);
  tell(linux::ForkRecord{.pid = kChild, .parent = kPid, .tid = kChild});
  exec(kChild, ".text");
  sample(kChild);
  EXPECT_EQ(modes(), (std::map<pid_t, StackMode>{{kPid, StackMode::ByFramePointer}, {kChild, StackMode::ByCopy}}));
}

}  // namespace
}  // namespace atys::capture::native
