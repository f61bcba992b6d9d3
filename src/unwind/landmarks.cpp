// SPDX-License-Identifier: Apache-2.0
#include "unwind/landmarks.h"

#include <gelf.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "unwind/go_frames.h"

namespace atys::unwind {

namespace {

constexpr uint64_t kMostCodeScanned = uint64_t{256} << 20;
constexpr size_t kMostLandmarks = 1024;
constexpr uint64_t kScanBlock = uint64_t{1} << 20;
constexpr uint64_t kLongestTrampoline = 16;  // blocks overlap by this much
// The entry point has no size of its own in a stripped file; its code is some 40 bytes on both machines.
constexpr uint64_t kEntrySize = 64;

struct Stretch {
  uint64_t begin = 0;
  uint64_t end = 0;
  Rule rule;
};

constexpr std::array<std::string_view, 3> kEntryNames = {"_start", "_start_c", "__clone"};

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<Row> rows_of(std::vector<Stretch> stretches) {
  std::stable_sort(stretches.begin(), stretches.end(), [](const Stretch& a, const Stretch& b) { return a.begin < b.begin; });
  std::vector<Row> rows;
  for (const Stretch& stretch : stretches) {
    if (stretch.begin >= stretch.end || (!rows.empty() && stretch.begin < rows.back().address)) continue;
    if (!rows.empty() && stretch.begin == rows.back().address) rows.pop_back();
    rows.push_back({stretch.begin, stretch.rule});
    rows.push_back({stretch.end, {}});
  }
  return rows;
}

class Finder {
 public:
  Finder(const symbolize::ElfFile& file, Machine machine) : file_(file), machine_(machine) {}

  Landmarks find() {
    read_symbols();
    add_plt();
    GElf_Ehdr header;
    if (gelf_getehdr(file_.handle(), &header) != nullptr && header.e_entry != 0)
      ends_.push_back({header.e_entry, header.e_entry + kEntrySize, {.cfa = Rule::Cfa::Root}});
    uint64_t left = kMostCodeScanned;
    for (const auto& segment : file_.segments())
      if (segment.is_executable && segment.file_size <= left) {
        left -= segment.file_size;
        scan(segment);
      }
    return {rows_of(std::move(always_)), rows_of(std::move(ends_))};
  }

 private:
  // No linker for aarch64 describes these, and not all for x86_64 do. They leave the frame of their caller as it is;
  // x86_64's lazy ones push a word on their way.
  void add_plt() {
    constexpr Rule kArm{.cfa = Rule::Cfa::SpPlus, .ra = Rule::Ra::InLr};
    constexpr Rule kX86{.cfa = Rule::Cfa::SpPlus, .cfa_offset = 8, .ra_offset = -8};
    constexpr Rule kX86Lazy{.cfa = Rule::Cfa::Plt, .cfa_extra = 11, .cfa_offset = 8, .ra_offset = -8};
    for (const char* name : {".plt", ".iplt", ".plt.got", ".plt.sec"}) {
      const auto section = file_.section(name);
      if (!section || section->bytes.size() > UINT64_MAX - section->address) continue;
      const Rule& x86 = name == std::string_view(".plt") ? kX86Lazy : kX86;
      ends_.push_back(
          {section->address, section->address + section->bytes.size(), machine_ == Machine::X86_64 ? x86 : kArm});
    }
  }

  void read_symbols() {
    Elf_Scn* section = nullptr;
    while ((section = elf_nextscn(file_.handle(), section)) != nullptr) {
      GElf_Shdr header;
      if (gelf_getshdr(section, &header) == nullptr || header.sh_entsize == 0) continue;
      if (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM) continue;
      if (Elf_Data* data = elf_getdata(section, nullptr)) read_symbol_table(data, header.sh_link);
    }
  }

  void read_symbol_table(Elf_Data* data, uint32_t strings) {
    GElf_Sym symbol;
    for (int i = 0; gelf_getsym(data, i, &symbol) != nullptr; ++i) {
      if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_value == 0 || symbol.st_size > UINT32_MAX) continue;
      const char* text = elf_strptr(file_.handle(), strings, symbol.st_name);
      if (text != nullptr && (text[0] == 'r' || text[0] == '_')) add_symbol(text, symbol.st_value, symbol.st_size);
      if (always_.size() + ends_.size() > kMostLandmarks) return;
    }
  }

  void add_symbol(std::string_view name, uint64_t address, uint64_t size) {
    if (address > UINT64_MAX - UINT32_MAX) return;
    const Stretch root{address, address + std::max<uint64_t>(size, 1), {.cfa = Rule::Cfa::Root}};
    if (is_go_root(name)) always_.push_back(root);
    if (contains(kEntryNames, name)) ends_.push_back(root);
  }

  // Some file systems give less at a time than is asked for.
  bool read_file(uint64_t offset, std::span<std::byte> block) const {
    while (!block.empty()) {
      const ssize_t got = ::pread(file_.fd(), block.data(), block.size(), static_cast<off_t>(offset));
      if (got <= 0) return false;
      offset += static_cast<uint64_t>(got);
      block = block.subspan(static_cast<size_t>(got));
    }
    return true;
  }

  bool read(uint64_t offset, Bytes& block) const {
    if (file_.fd() >= 0) return read_file(offset, block);
    if (offset > file_.file_size() || block.size() > file_.file_size() - offset) return false;
    const Elf_Data* data = elf_getdata_rawchunk(file_.handle(), static_cast<int64_t>(offset), block.size(), ELF_T_BYTE);
    if (data == nullptr || data->d_buf == nullptr || data->d_size != block.size()) return false;
    std::memcpy(block.data(), data->d_buf, block.size());
    return true;
  }

  // In blocks: the code of a large program is not held in memory for this.
  void scan(const symbolize::ElfFile::Segment& segment) {
    Bytes block;
    for (uint64_t at = 0; at < segment.file_size; at += kScanBlock) {
      block.resize(std::min<uint64_t>(kScanBlock + kLongestTrampoline, segment.file_size - at));
      if (!read(segment.file_offset + at, block)) return;
      scan(block, segment.address + at);
    }
  }

  // Looks for the code that returns from a signal handler: rt_sigreturn's number, then the system call. Whatever holds this
  // sequence is such a trampoline, and C libraries without unwind tables, Go and some vDSOs do not describe theirs.
  void scan(std::span<const std::byte> code, uint64_t address) {
    static constexpr unsigned char kX86[] = {0x0f, 0, 0, 0, 0x0f, 0x05};  // …15; syscall
    static constexpr unsigned char kArm[] = {0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4};
    const void* pattern = machine_ == Machine::X86_64 ? kX86 : kArm;
    const size_t size = machine_ == Machine::X86_64 ? sizeof(kX86) : sizeof(kArm);
    const auto* begin = reinterpret_cast<const unsigned char*>(code.data());
    const auto* end = begin + code.size();
    for (const auto* at = begin; always_.size() < kMostLandmarks; ++at) {
      at = static_cast<const unsigned char*>(memmem(at, static_cast<size_t>(end - at), pattern, size));
      if (at == nullptr) return;
      const size_t before = machine_ == Machine::X86_64 ? bytes_before(begin, at) : 0;
      if (machine_ == Machine::X86_64 && before == 0) continue;
      const uint64_t start = address + static_cast<uint64_t>(at - begin) - before;
      // One byte more in front: the frame below finds this one by its return address less one. And one behind: as long as
      // the system call runs, the thread is at what follows it.
      always_.push_back({start - 1, start + before + size + 1, {.cfa = Rule::Cfa::SignalFrame}});
    }
  }

  // The length of x86_64's `mov $15, %rax` or `mov $15, %eax` in front of its operand; 0: neither.
  static size_t bytes_before(const unsigned char* begin, const unsigned char* at) {
    if (at - begin >= 3 && std::memcmp(at - 3, "\x48\xc7\xc0", 3) == 0) return 3;
    if (at - begin >= 1 && at[-1] == 0xb8) return 1;
    return 0;
  }

  const symbolize::ElfFile& file_;
  Machine machine_;
  std::vector<Stretch> always_;
  std::vector<Stretch> ends_;
};

// Adds what `more` says of [from, to).
void add_part(const std::vector<Row>& more, uint64_t from, uint64_t to, std::vector<Row>& out) {
  auto next = std::upper_bound(more.begin(), more.end(), from, [](uint64_t a, const Row& row) { return a < row.address; });
  Rule rule = next == more.begin() ? Rule{} : std::prev(next)->rule;
  for (uint64_t at = from; at < to; ++next) {
    out.push_back({at, rule});
    if (next == more.end()) return;
    at = next->address;
    rule = next->rule;
  }
}

}  // namespace

Landmarks find_landmarks(const symbolize::ElfFile& file, Machine machine) { return Finder(file, machine).find(); }

std::vector<Row> fill_gaps(std::vector<Row> rows, std::vector<Row> more) {
  if (rows.empty()) return more;
  if (more.empty()) return rows;
  std::vector<Row> out;
  out.reserve(rows.size() + more.size());
  if (rows.front().address > more.front().address) add_part(more, more.front().address, rows.front().address, out);
  for (size_t i = 0; i < rows.size(); ++i) {
    const uint64_t end = i + 1 < rows.size() ? rows[i + 1].address : UINT64_MAX;
    if (rows[i].rule.cfa == Rule::Cfa::None)
      add_part(more, rows[i].address, end, out);
    else
      out.push_back(rows[i]);
  }
  return out;
}

}  // namespace atys::unwind
