// SPDX-License-Identifier: Apache-2.0
// PHP 7.4 to 8.4 as command, FPM worker or in Apache. Functions, files and lines come from the engine's own frames, which
// begin at the symbol executor_globals. Builds for threads (ZTS) have no such symbol: native frames only.
#include "base/byte_source.h"
#include "capture/php/php_process.h"
#include "capture/php/php_reader.h"
#include "capture/profiling_kernel.h"
#include "capture/target/detect.h"

namespace atys::capture {

namespace {

std::string version(const symbolize::ElfFile& file, const FileSigns&, std::string_view) {
  const auto section = file.section(".rodata");
  return section ? php::version_in(as_text(section->bytes)) : "";
}

std::string limits_of(const php::PhpProcess& process) {
  std::string limits = "generators that delegate to another (yield from) are left out";
  if (process.has_jit) limits += "; the line is not known of a function that opcache has compiled";
  if (process.is_fleeting)
    limits +=
        "; without opcache all code is freed after each request, so short requests may be shown as the one after; turn "
        "opcache on";
  return limits;
}

class PhpKernel final : public ProfilingKernel {
 public:
  std::string_view name() const override { return "php"; }
  const RuntimeSigns& signs() const override { return signs_; }

  bool reads_stacks() const override { return true; }

  Outlook outlook(pid_t pid, const DetectedRuntime& runtime) const override {
    const auto process = php::find_php(pid, runtime);
    if (!process.ok())
      return {.shows = "native and kernel frames", .limits = process.error().message, .is_native_only = true};
    return {.shows = "PHP functions, files and lines among native and kernel frames", .limits = limits_of(*process)};
  }

  Result<Attachment> attach(const AttachRequest& request) const override {
    Attachment attachment;
    attachment.reader = std::make_unique<php::PhpReader>(std::make_unique<linux::ProcessMemory>(request.pid),
                                                         TRY(php::find_php(request.pid, *request.runtime)));
    return attachment;
  }

 private:
  RuntimeSigns signs_{.name = "PHP",
                      .programs = {"php"},
                      .files = {"libphp", "mod_php"},
                      .symbols = {"executor_globals", "zend_execute_ex"},
                      .version = version};
};

}  // namespace

std::unique_ptr<ProfilingKernel> create_php_kernel() { return std::make_unique<PhpKernel>(); }

}  // namespace atys::capture
