// SPDX-License-Identifier: Apache-2.0
#include "capture/php/php_process.h"

#include <algorithm>

#include "base/byte_source.h"
#include "capture/process_files.h"

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

// What opcache compiles lies in memory that all processes of a server share, and runs in the evaluator's place.
std::vector<AddressRange> jit_code(pid_t pid) {
  std::vector<AddressRange> code;
  const auto maps = linux::read_maps(pid);
  if (!maps.ok()) return code;
  for (const linux::MappedRange& range : *maps)
    if (range.is_executable && range.path.starts_with("/dev/zero")) code.push_back({range.start, range.end});
  return code;
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
  const std::vector<AddressRange> compiled = jit_code(pid);
  process.has_jit = !compiled.empty();
  process.code.evaluator.insert(process.code.evaluator.end(), compiled.begin(), compiled.end());
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
