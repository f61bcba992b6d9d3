// SPDX-License-Identifier: Apache-2.0
// PHP 7.4 to 8.4 as command, FPM worker or in Apache. Functions, files and lines come from the engine's own frames, which
// begin at the symbol executor_globals. Builds for threads (ZTS) have no such symbol: native frames only.
#include <algorithm>

#include "base/byte_source.h"
#include "capture/detect.h"
#include "capture/php/php_reader.h"
#include "capture/process_files.h"
#include "capture/profiling_kernel.h"

namespace atys::capture {

namespace {

constexpr std::string_view kGlobals = "executor_globals";
constexpr std::string_view kEvaluator = "execute_ex";
constexpr std::string_view kColdEvaluator = "execute_ex.cold";

std::string version(const symbolize::ElfFile& file, const FileSigns&, std::string_view) {
  constexpr std::string_view kHeader = "X-Powered-By: PHP/";
  constexpr size_t kLongest = 32;
  const auto section = file.section(".rodata");
  if (!section) return {};
  const std::string_view text = as_text(section->bytes);
  const size_t at = text.find(kHeader);
  if (at == std::string_view::npos) return {};
  const std::string_view found = text.substr(at + kHeader.size(), kLongest);
  return std::string(found.substr(0, found.find_first_not_of("0123456789.")));
}

// The parts of the file's code that are not in `taken`.
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
void add_jit_code(pid_t pid, std::vector<AddressRange>& evaluator) {
  const auto maps = linux::read_maps(pid);
  if (!maps.ok()) return;
  for (const linux::MappedRange& range : *maps)
    if (range.is_executable && range.path.starts_with("/dev/zero")) evaluator.push_back({range.start, range.end});
}

class PhpKernel final : public ProfilingKernel {
 public:
  std::string_view name() const override { return "php"; }
  const RuntimeSigns& signs() const override { return signs_; }

  Outlook outlook(pid_t pid, const DetectedRuntime& runtime) const override {
    if (auto place = find(pid, runtime); !place.ok())
      return {.shows = "native and kernel frames", .limits = place.error().message, .is_native_only = true};
    return {.shows = "PHP functions, files and lines among native and kernel frames",
            .limits = "generators that delegate to another (yield from) are left out"};
  }

  Result<Attachment> attach(const AttachRequest& request) const override {
    Attachment attachment;
    attachment.reader = std::make_unique<php::PhpReader>(std::make_unique<linux::ProcessMemory>(request.pid),
                                                         TRY(find(request.pid, *request.runtime)));
    return attachment;
  }

 private:
  static Result<php::PhpReader::Place> find(pid_t pid, const DetectedRuntime& runtime) {
    const auto layout = php::layout_of(runtime.version);
    if (!layout)
      return fail(ErrorCode::Unsupported, "frames of PHP functions are not resolved: PHP " +
                                              (runtime.version.empty() ? "of an unknown version" : runtime.version) +
                                              " is not one of 7.4 to 8.4");
    const LoadedFile file = TRY(open_loaded_file(pid, runtime.path));
    const auto symbols = file.symbols({kGlobals, kEvaluator, kColdEvaluator});
    const auto globals = symbols.find(std::string(kGlobals));
    const auto evaluator = symbols.find(std::string(kEvaluator));
    if (globals == symbols.end() || evaluator == symbols.end())
      return fail(ErrorCode::Unsupported,
                  "frames of PHP functions are not resolved: this build is for threads (ZTS) or hides its symbols");
    php::PhpReader::Place place{.layout = *layout, .globals = range_of(globals->second), .code = {}};
    for (const std::string_view part : {kEvaluator, kColdEvaluator})
      if (const auto found = symbols.find(std::string(part)); found != symbols.end())
        place.code.evaluator.push_back(range_of(found->second));
    std::ranges::sort(place.code.evaluator, {}, &AddressRange::start);
    place.code.own = rest_of(file, place.code.evaluator);
    add_jit_code(pid, place.code.evaluator);
    return place;
  }

  static AddressRange range_of(const LoadedFile::Place& place) { return {place.address, place.address + place.size}; }

  RuntimeSigns signs_{
      .name = "PHP", .files = {"libphp", "mod_php"}, .symbols = {"executor_globals", "zend_execute_ex"}, .version = version};
};

}  // namespace

std::unique_ptr<ProfilingKernel> create_php_kernel() { return std::make_unique<PhpKernel>(); }

}  // namespace atys::capture
