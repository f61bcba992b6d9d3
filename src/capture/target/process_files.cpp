// SPDX-License-Identifier: Apache-2.0
#include "capture/target/process_files.h"

#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "linux/namespaces.h"
#include "symbolize/elf_sections.h"
#include "symbolize/symbol_search.h"
#include "unwind/code_bias.h"

namespace atys::capture {

namespace {

using symbolize::ElfFile;
using symbolize::for_each_section;

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
  for (const auto& symbol : symbolize::find_symbols(elf, names, symbolize::Tables::All))
    if (symbol.is_defined) found.try_emplace(symbol.name, Place{symbol.address + bias, symbol.size});
  return found;
}

bool LoadedFile::imports(const std::vector<std::string_view>& names) const {
  const auto found = symbolize::find_symbols(elf, names, symbolize::Tables::All);
  return std::ranges::any_of(found, [](const symbolize::FoundSymbol& symbol) { return !symbol.is_defined; });
}

}  // namespace atys::capture
