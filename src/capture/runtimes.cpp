// SPDX-License-Identifier: Apache-2.0
#include "capture/runtimes.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/byte_source.h"

namespace atys::capture {

namespace {

using symbolize::ElfFile;

template <typename Number>
bool read_number(const ElfFile& file, const FileSigns& signs, std::string_view symbol, Number& number) {
  const auto found = signs.symbols.find(symbol);
  if (found == signs.symbols.end()) return false;
  const std::string bytes = bytes_at(file, found->second.address, sizeof number);
  if (bytes.size() != sizeof number) return false;
  std::memcpy(&number, bytes.data(), sizeof number);
  return true;
}

// Text that a runtime exports; only what looks like a version.
std::string read_text(const ElfFile& file, const FileSigns& signs, std::string_view symbol) {
  const auto found = signs.symbols.find(symbol);
  if (found == signs.symbols.end()) return {};
  std::string text = bytes_at(file, found->second.address, 24);
  text.resize(std::min(text.find('\0'), text.size()));
  const bool is_version = std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
  return is_version ? text : "";
}

// Py_Version is an unsigned long since 3.11: 0x030b02f0 is 3.11.2. Before that the name of the library says it.
std::string python_version(const ElfFile& file, const FileSigns& signs, std::string_view base_name) {
  uint64_t number = 0;
  if (read_number(file, signs, "Py_Version", number) && number >> 32 == 0 && number >> 24 >= 3)
    return fmt::format("{}.{}.{}", number >> 24 & 0xff, number >> 16 & 0xff, number >> 8 & 0xff);
  const size_t at = base_name.find("python3.");
  if (at == std::string_view::npos) return {};
  std::string text(base_name.substr(at + 6));
  text.resize(std::min(text.find_first_not_of("0123456789", 2), text.size()));
  return text;
}

std::string v8_version(const ElfFile& file, const FileSigns& signs, std::string_view) {
  int32_t major_number = 0;
  int32_t minor_number = 0;
  if (!read_number(file, signs, "_ZN2v88internal7Version6major_E", major_number) ||
      !read_number(file, signs, "_ZN2v88internal7Version6minor_E", minor_number))
    return {};
  return fmt::format("{}.{}", major_number, minor_number);
}

std::string ruby_version(const ElfFile& file, const FileSigns& signs, std::string_view) {
  return read_text(file, signs, "ruby_version");
}

std::string go_version(const ElfFile& file, const FileSigns&, std::string_view) {
  const auto section = file.section(".go.buildinfo");
  return section ? go_version_in(section->bytes) : "";
}

}  // namespace

std::string bytes_at(const ElfFile& file, uint64_t address, size_t count) {
  for (const ElfFile::Segment& segment : file.segments()) {
    if (address < segment.address || address - segment.address >= segment.file_size) continue;
    const uint64_t within = address - segment.address;
    std::string bytes(std::min<uint64_t>(count, segment.file_size - within), '\0');
    const uint64_t offset = segment.file_offset + within;
    if (file.fd() < 0 || offset > file.file_size()) return {};
    const ssize_t got = ::pread(file.fd(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    bytes.resize(got > 0 ? static_cast<size_t>(got) : 0);
    return bytes;
  }
  return {};
}

std::string go_version_in(std::span<const std::byte> build_info) {
  // "\xff Go buildinf:", the size of a pointer, flags; since Go 1.18 flag 2 says that at 32 a varint and the text follow.
  constexpr std::string_view kMagic = "\xff Go buildinf:";
  constexpr size_t kText = 32;
  const std::string_view text = as_text(build_info);
  if (text.size() <= kText || !text.starts_with(kMagic) || (text[15] & 2) == 0) return {};
  const auto length = static_cast<unsigned char>(text[kText]);
  if (length >= 0x80 || text.size() - kText - 1 < length) return {};
  const std::string_view version = text.substr(kText + 1, length);
  return version.starts_with("go") ? std::string(version.substr(2)) : "";
}

const std::vector<RuntimeSigns>& known_runtimes() {
  static const std::vector<RuntimeSigns> kRuntimes = {
      {.name = "Python",
       .files = {"libpython"},
       .sections = {".PyRuntime"},
       .symbols = {"_PyRuntime"},
       .version_symbols = {"Py_Version"},
       .version = python_version,
       .limits = "frames of Python functions are not resolved by this kernel: the interpreter's own C functions are shown"},
      {.name = "Java (HotSpot)",
       .files = {"libjvm.so"},
       .symbols = {"gHotSpotVMStructs"},
       .limits =
           "frames of Java methods are not resolved by this kernel: compiled ones are addresses unless the process writes a "
           "perf map, interpreted ones are the interpreter"},
      {.name = "JavaScript (V8)",
       .files = {"libnode", "libv8"},
       .symbols = {"_ZN2v87Isolate10GetCurrentEv", "v8dbg_FirstNonstringType"},
       .version_symbols = {"_ZN2v88internal7Version6major_E", "_ZN2v88internal7Version6minor_E"},
       .version = v8_version,
       .limits =
           "frames of JavaScript functions are not resolved by this kernel: compiled ones are addresses unless the process "
           "writes a perf map (node --perf-basic-prof)"},
      {.name = "Go", .sections = {".go.buildinfo", ".gopclntab"}, .version = go_version},
      {.name = "Ruby",
       .files = {"libruby"},
       .symbols = {"ruby_current_vm_ptr", "ruby_version"},
       .version_symbols = {"ruby_version"},
       .version = ruby_version,
       .limits = "frames of Ruby methods are not resolved by this kernel: the interpreter's own C functions are shown"},
      {.name = "PHP",
       .files = {"libphp", "mod_php"},
       .symbols = {"executor_globals", "zend_execute_ex"},
       .limits = "frames of PHP functions are not resolved by this kernel: the interpreter's own C functions are shown"},
      {.name = ".NET",
       .files = {"libcoreclr.so"},
       .symbols = {"coreclr_initialize", "DotNetRuntimeInfo"},
       .limits =
           "frames of .NET methods are not resolved by this kernel: compiled ones are addresses unless the process writes a "
           "perf map (DOTNET_PerfMapEnabled=1)"},
      {.name = "Erlang (BEAM)",
       .symbols = {"erl_start", "enif_make_atom"},
       .limits =
           "frames of Erlang functions are not resolved by this kernel: compiled ones are addresses unless the process "
           "writes a perf map (+JPperf true)"},
  };
  return kRuntimes;
}

}  // namespace atys::capture
