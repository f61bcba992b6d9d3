// SPDX-License-Identifier: Apache-2.0
// Python: CPython 3.8 to 3.15. Frames are walked by the sampler in the moment of the sample and named from the process's
// memory; the process is neither stopped nor written to.
#include <fmt/format.h>

#include "capture/profiling_kernel.h"
#include "capture/python/python_reader.h"
#include "capture/target/detect.h"

namespace atys::capture {

namespace {

// Py_Version is an unsigned long since 3.11: 0x030b02f0 is 3.11.2. Before that the name of the file says it.
std::string version(const symbolize::ElfFile& file, const FileSigns& signs, std::string_view base_name) {
  uint64_t number = 0;
  if (read_number(file, signs, "Py_Version", number) && number >> 32 == 0 && number >> 24 >= 3)
    return fmt::format("{}.{}.{}", number >> 24 & 0xff, number >> 16 & 0xff, number >> 8 & 0xff);
  const size_t at = base_name.find("python3.");
  if (at == std::string_view::npos) return {};
  std::string text(base_name.substr(at + 6));
  text.resize(std::min(text.find_first_not_of("0123456789", 2), text.size()));
  return text;
}

class PythonKernel final : public ProfilingKernel {
 public:
  std::string_view name() const override { return "python"; }

  const RuntimeSigns& signs() const override {
    static const RuntimeSigns kSigns{.name = "Python",
                                     .programs = {"python"},
                                     .files = {"libpython"},
                                     .sections = {".PyRuntime"},
                                     .symbols = {"_PyRuntime"},
                                     .version_symbols = {"Py_Version"},
                                     .version = version};
    return kSigns;
  }

  bool reads_stacks() const override { return true; }

  Outlook outlook(pid_t pid, const DetectedRuntime& runtime) const override {
    linux::ProcessMemory memory(pid);
    const auto found = python::find_interpreter(pid, runtime.path, runtime.version, memory);
    if (!found.ok() && found.error().code != ErrorCode::Unavailable)
      return {.shows = "native and kernel frames", .limits = found.error().message, .is_native_only = true};
    Outlook outlook{.shows = "Python functions, files and lines, among the native frames that they call and that call them"};
    if (found.ok() && found->layout.minor < 11)
      outlook.limits = "functions have their plain names: qualified ones are in the interpreter's memory since Python 3.11";
    return outlook;
  }

  Result<Attachment> attach(const AttachRequest& request) const override {
    auto memory = std::make_unique<linux::ProcessMemory>(request.pid);
    auto found = TRY(python::find_interpreter(request.pid, request.runtime->path, request.runtime->version, *memory));
    Attachment attachment;
    attachment.reader = std::make_unique<python::PythonReader>(request.pid, std::move(memory), std::move(found));
    return attachment;
  }
};

}  // namespace

std::unique_ptr<ProfilingKernel> create_python_kernel() { return std::make_unique<PythonKernel>(); }

}  // namespace atys::capture
