// SPDX-License-Identifier: Apache-2.0
#include "capture/php/php_process.h"

#include <algorithm>

#include "base/byte_source.h"
#include "base/path_names.h"
#include "capture/target/process_files.h"
#include "linux/process.h"

namespace atys::capture::php {

namespace {

constexpr std::string_view kGlobals = "executor_globals";
constexpr std::string_view kEvaluator = "execute_ex";
constexpr std::string_view kColdEvaluator = "execute_ex.cold";

AddressRange range_of(const LoadedFile::Place& place) { return {place.address, place.address + place.size}; }

// The parts of the file's code that are not in `taken`, which is sorted.
std::vector<AddressRange> rest_of(const LoadedFile& file, const std::vector<AddressRange>& taken) {
  std::vector<AddressRange> rest;
  for (const linux::MappedRange& range : file.executable) {
    uint64_t start = range.start;
    for (const AddressRange& part : taken) {
      if (part.start < start || part.end > range.end) continue;
      if (part.start > start) rest.push_back({start, part.start});
      start = part.end;
    }
    if (start < range.end) rest.push_back({start, range.end});
  }
  return rest;
}

// Opcache keeps code in memory that all processes of a server share. What it compiles lies there too, and runs in the
// evaluator's place.
struct Opcache {
  bool is_on = false;
  std::vector<AddressRange> compiled;
};

Opcache find_opcache(pid_t pid) {
  Opcache opcache;
  const auto maps = linux::read_maps(pid);
  if (!maps.ok()) return opcache;
  for (const linux::MappedRange& range : *maps) {
    if (!range.path.starts_with("/dev/zero")) continue;
    opcache.is_on = true;
    if (range.is_executable) opcache.compiled.push_back({range.start, range.end});
  }
  return opcache;
}

// Whether one script comes after the other. Only how carefully we look depends on it, so names will do.
bool serves_requests(pid_t pid, std::string_view path) {
  const std::string_view file = base_name(path);
  for (const std::string_view part : {"lib", "mod_", "fpm", "cgi"})
    if (file.find(part) != std::string_view::npos) return true;
  const auto process = linux::read_process(pid);
  return process.ok() && std::ranges::find(process->command_line, "-S") != process->command_line.end();
}

// Only GCC lets the engine have registers of its own (ZEND_VM_IP_GLOBAL_REG).
bool is_built_by_clang(const symbolize::ElfFile& file) {
  const auto comment = file.section(".comment");
  return comment && as_text(comment->bytes).find("clang") != std::string_view::npos;
}

}  // namespace

Result<PhpProcess> find_php(pid_t pid, const DetectedRuntime& runtime) {
  const auto layout = layout_of(runtime.version);
  if (!layout)
    return fail(ErrorCode::Unsupported, "frames of PHP functions are not resolved: " +
                                            (runtime.version.empty() ? "its version cannot be told"
                                                                     : "PHP " + runtime.version + " is not known here") +
                                            ", which is 7.4 to 8.4");
  const LoadedFile file = TRY(open_loaded_file(pid, runtime.path));
  const auto symbols = file.symbols({kGlobals, kEvaluator, kColdEvaluator});
  const auto globals = symbols.find(std::string(kGlobals));
  const auto evaluator = symbols.find(std::string(kEvaluator));
  if (globals == symbols.end() || evaluator == symbols.end())
    return fail(ErrorCode::Unsupported,
                "frames of PHP functions are not resolved: this build is for threads (ZTS) or hides its symbols");
  PhpProcess process{.pid = pid, .layout = *layout, .globals = range_of(globals->second), .live = {}, .code = {}};
  if (!is_built_by_clang(file.elf)) process.live = range_of(evaluator->second);
  for (const auto& [name, place] : symbols)
    if (name != kGlobals) process.code.evaluator.push_back(range_of(place));
  std::ranges::sort(process.code.evaluator, {}, &AddressRange::start);
  process.code.own = rest_of(file, process.code.evaluator);
  const Opcache opcache = find_opcache(pid);
  process.has_jit = !opcache.compiled.empty();
  process.is_fleeting = !opcache.is_on && serves_requests(pid, runtime.path);
  process.code.evaluator.insert(process.code.evaluator.end(), opcache.compiled.begin(), opcache.compiled.end());
  return process;
}

std::string version_in(std::string_view read_only_data) {
  constexpr std::string_view kHeader = "X-Powered-By: PHP/";
  constexpr size_t kLongest = 32;
  const size_t at = read_only_data.find(kHeader);
  if (at == std::string_view::npos) return {};
  const std::string_view found = read_only_data.substr(at + kHeader.size(), kLongest);
  return std::string(found.substr(0, found.find_first_not_of("0123456789.")));
}

}  // namespace atys::capture::php
