// SPDX-License-Identifier: Apache-2.0
#include "capture/process_files.h"

#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "base/breather.h"
#include "linux/namespaces.h"
#include "symbolize/elf_sections.h"
#include "unwind/code_bias.h"

namespace atys::capture {

namespace {

using symbolize::ElfFile;
using symbolize::for_each_section;

// Those of `names` in all symbol tables.
template <typename Use>
void for_each_symbol(const ElfFile& elf, const std::vector<std::string_view>& names, const Use& use) {
  for_each_section(elf, [&](std::string_view, Elf_Scn* section, const GElf_Shdr& header) {
    if (header.sh_type != SHT_DYNSYM && header.sh_type != SHT_SYMTAB) return;
    Elf_Data* data = elf_getdata(section, nullptr);
    if (data == nullptr || header.sh_entsize == 0) return;
    BreathingLoop breaths;
    for (size_t i = 0; i < data->d_size / header.sh_entsize; ++i) {
      breaths.next();
      GElf_Sym symbol;
      if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) continue;
      const char* name = elf_strptr(elf.handle(), header.sh_link, symbol.st_name);
      if (name != nullptr && std::ranges::find(names, std::string_view(name)) != names.end()) use(name, symbol);
    }
  });
}

}  // namespace

UniqueFd open_in_root(pid_t pid, const std::string& path, uint64_t flags) {
  const UniqueFd root(::open(linux::root_of(pid).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root.is_open()) return {};
  open_how how{};
  how.flags = flags | O_CLOEXEC;
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  return UniqueFd(static_cast<int>(::syscall(SYS_openat2, root.get(), path.c_str(), &how, sizeof how)));
}

Result<ElfFile> open_mapped_file(pid_t pid, const linux::MappedRange& range) {
  if (!range.is_deleted) {
    auto file = ElfFile::open(open_in_root(pid, range.path), range.path);
    if (file.ok()) return file;
  }
  const std::string link = fmt::format("/proc/{}/map_files/{:x}-{:x}", pid, range.start, range.end);
  return ElfFile::open(UniqueFd(::open(link.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)), range.path);
}

Result<LoadedFile> open_loaded_file(pid_t pid, const std::string& path) {
  const auto ranges = TRY(linux::read_maps(pid));
  // Its code, as programs map their own files as data too, to read their symbols.
  const auto first = std::ranges::find_if(
      ranges, [&](const linux::MappedRange& range) { return range.is_executable && range.path == path; });
  if (first == ranges.end())
    return fail(ErrorCode::NotFound, fmt::format("process {} does not have {} mapped any more", pid, path));
  LoadedFile file{.elf = TRY(open_mapped_file(pid, *first)), .path = path};
  for (const linux::MappedRange& range : ranges)
    if (range.is_executable && range.file == first->file) file.executable.push_back(range);
  const auto bias = unwind::code_bias(file.elf, first->start, first->file_offset);
  if (!bias) return fail(ErrorCode::InvalidInput, path + " is mapped where it has no segment");
  file.bias = *bias;
  return file;
}

std::optional<LoadedFile::Place> LoadedFile::section(std::string_view name) const {
  std::optional<Place> found;
  for_each_section(elf, [&](std::string_view one, Elf_Scn*, const GElf_Shdr& header) {
    if (one == name && header.sh_addr != 0) found = Place{header.sh_addr + bias, header.sh_size};
  });
  return found;
}

std::map<std::string, LoadedFile::Place> LoadedFile::symbols(const std::vector<std::string_view>& names) const {
  std::map<std::string, Place> found;
  for_each_symbol(elf, names, [&](const char* name, const GElf_Sym& symbol) {
    if (symbol.st_shndx != SHN_UNDEF) found.try_emplace(name, Place{symbol.st_value + bias, symbol.st_size});
  });
  return found;
}

bool LoadedFile::imports(const std::vector<std::string_view>& names) const {
  bool is_wanted = false;
  for_each_symbol(elf, names, [&](const char*, const GElf_Sym& symbol) { is_wanted |= symbol.st_shndx == SHN_UNDEF; });
  return is_wanted;
}

}  // namespace atys::capture
