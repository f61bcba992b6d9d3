// SPDX-License-Identifier: Apache-2.0
#include "capture/target/detect.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <set>

#include "base/path_names.h"
#include "base/strings.h"
#include "capture/profiling_kernel.h"
#include "capture/target/process_files.h"
#include "linux/perf_map.h"
#include "linux/proc_maps.h"
#include "symbolize/elf_sections.h"
#include "symbolize/symbol_search.h"

namespace atys::capture {

namespace {

using symbolize::ElfFile;
using symbolize::for_each_section;

constexpr uint64_t kLargestLink = 4096;
constexpr size_t kMostLibraries = 64;

std::vector<std::string_view> wanted_symbols() {
  std::set<std::string_view> wanted;
  for (const auto& kernel : profiling_kernels()) {
    const RuntimeSigns& runtime = kernel->signs();
    wanted.insert(runtime.symbols.begin(), runtime.symbols.end());
    wanted.insert(runtime.version_symbols.begin(), runtime.version_symbols.end());
  }
  return {wanted.begin(), wanted.end()};
}

// A program that only uses a runtime's function lacks it; the one that has it defines it.
void collect_symbols(const ElfFile& file, Look look, FileSigns& signs) {
  static const std::vector<std::string_view> kWanted = wanted_symbols();
  const auto tables = look == Look::Thorough ? symbolize::Tables::All : symbolize::Tables::Dynamic;
  for (const symbolize::FoundSymbol& symbol : symbolize::find_symbols(file, kWanted, tables))
    if (symbol.is_defined)
      signs.symbols.emplace(*std::ranges::find(kWanted, symbol.name), FileSigns::Place{symbol.address, symbol.size});
}

std::string evidence_in(const RuntimeSigns& runtime, const FileSigns& signs, const std::set<std::string>& sections) {
  for (const std::string_view section : runtime.sections)
    if (sections.contains(std::string(section))) return "section " + std::string(section);
  for (const std::string_view symbol : runtime.symbols)
    if (signs.symbols.contains(symbol)) return "symbol " + std::string(symbol);
  return {};
}

void add_runtimes(Detection& detection, std::vector<DetectedRuntime> found) {
  for (DetectedRuntime& runtime : found)
    if (std::ranges::count(detection.runtimes, runtime.name, &DetectedRuntime::name) == 0)
      detection.runtimes.push_back(std::move(runtime));
}

void look_at_executable(Detection& detection) {
  auto file = ElfFile::open("/proc/" + std::to_string(detection.process.pid) + "/exe");
  if (!file.ok()) {
    detection.notes.push_back("its executable cannot be read: " + file.error().message);
    return;
  }
  detection.is_readable = true;
  detection.build_id = file->build_id();
  detection.is_stripped = true;
  for_each_section(*file, [&](std::string_view name, Elf_Scn*, const GElf_Shdr& header) {
    if (header.sh_type == SHT_SYMTAB) detection.is_stripped = false;
    if (name == ".debug_info" || name == ".zdebug_info") detection.has_debug_info = true;
  });
  if (const auto link = file->section(".gnu_debuglink", kLargestLink)) {
    const std::string_view text(reinterpret_cast<const char*>(link->bytes.data()), link->bytes.size());
    detection.debug_file = text.substr(0, text.find('\0'));
  }
  add_runtimes(detection, runtimes_in(*file, detection.process.executable));
}

void look_at_libraries(Detection& detection) {
  const auto ranges = linux::read_maps(detection.process.pid);
  if (!ranges.ok()) {
    detection.is_readable = false;
    detection.notes.push_back("its mappings cannot be read: " + ranges.error().message);
    return;
  }
  std::set<std::string> seen;
  for (const linux::MappedRange& range : *ranges) {
    if (range.file.inode == 0 || !is_runtime_file(range.path) || !seen.insert(range.path).second) continue;
    if (seen.size() > kMostLibraries) break;
    auto file = open_mapped_file(detection.process.pid, range);
    if (file.ok()) {
      add_runtimes(detection, runtimes_in(*file, range.path));
    } else {
      detection.notes.push_back(range.path + " cannot be read: " + file.error().message);
    }
  }
}

void look_for_perf_map(Detection& detection) {
  const auto place = linux::PerfMapPlace::find(detection.process.pid);
  if (!place.ok()) return;
  const auto found = place->look();
  if (found.ok() && !*found) return;
  detection.perf_map = found.ok() ? PerfMap::Present : PerfMap::Refused;
  detection.perf_map_note = found.ok() ? place->path() : found.error().message;
}

// What a capture will show of each runtime; the kernels look at the process for that.
void choose_kernels(Detection& detection) {
  for (DetectedRuntime& runtime : detection.runtimes) {
    Outlook outlook = find_kernel(runtime.kernel)->outlook(detection.process.pid, runtime);
    runtime.shows = std::move(outlook.shows);
    runtime.limits = std::move(outlook.limits);
    runtime.is_native_only = outlook.is_native_only;
    if (runtime.is_native_only) continue;
    add_to_list(detection.kernel, runtime.kernel);
    add_to_list(detection.why, runtime.kernel + ": " + runtime.shows, "; ");
  }
  if (!detection.kernel.empty()) return;
  detection.kernel = "native";
  detection.why = "it samples every process: compiled code, libraries and the Linux kernel";
  if (detection.process.command_line.empty() && detection.process.executable.empty())
    detection.why = "a thread of the Linux kernel: only kernel stacks";
}

}  // namespace

bool is_runtime_file(std::string_view path) {
  for (const auto& kernel : profiling_kernels())
    for (const std::string_view prefix : kernel->signs().files)
      if (base_name(path).starts_with(prefix)) return true;
  return false;
}

Result<std::vector<DetectedRuntime>> detect_runtimes(pid_t pid) {
  Detection detection;
  detection.process.pid = pid;
  const auto ranges = TRY(linux::read_maps(pid));
  std::set<std::string> seen;
  const std::string link = "/proc/" + std::to_string(pid) + "/exe";
  std::array<char, PATH_MAX> executable{};
  const ssize_t size = ::readlink(link.c_str(), executable.data(), executable.size());
  const std::string_view program(executable.data(), size > 0 ? static_cast<size_t>(size) : 0);
  for (const linux::MappedRange& range : ranges) {
    if (range.file.inode == 0 || (range.path != program && !is_runtime_file(range.path))) continue;
    if (seen.size() > kMostLibraries || !seen.insert(range.path).second) continue;
    if (auto file = open_mapped_file(pid, range); file.ok())
      add_runtimes(detection, runtimes_in(*file, range.path, Look::Quick));
  }
  return std::move(detection.runtimes);
}

std::vector<DetectedRuntime> runtimes_in(const ElfFile& file, const std::string& path, Look look) {
  FileSigns signs;
  std::set<std::string> sections;
  for_each_section(file, [&](std::string_view name, Elf_Scn*, const GElf_Shdr&) { sections.emplace(name); });
  collect_symbols(file, look, signs);
  std::vector<DetectedRuntime> found;
  for (const auto& kernel : profiling_kernels()) {
    const RuntimeSigns& runtime = kernel->signs();
    const std::string evidence = evidence_in(runtime, signs, sections);
    if (evidence.empty()) continue;
    const std::string version = runtime.version == nullptr ? "" : runtime.version(file, signs, base_name(path));
    found.push_back({.name = std::string(runtime.name),
                     .version = version,
                     .evidence = path + " has " + evidence,
                     .path = path,
                     .kernel = std::string(kernel->name())});
  }
  return found;
}

Result<Detection> detect(pid_t pid) {
  Detection detection;
  detection.process = TRY(linux::read_process(pid));
  detection.foreign = linux::foreign_namespaces(pid);
  if (!detection.process.command_line.empty()) {
    look_at_executable(detection);
    look_at_libraries(detection);
    look_for_perf_map(detection);
  }
  choose_kernels(detection);
  return detection;
}

}  // namespace atys::capture
