// SPDX-License-Identifier: Apache-2.0
#include "capture/python/interpreter.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "capture/process_files.h"

namespace atys::capture::python {

namespace {

constexpr size_t kMostInterpreters = 256;
constexpr size_t kMostThreads = 16384;
constexpr size_t kPthreadBytes = 2304;  // struct pthread, where the thread's number is

// "3.11.2" → 11.
std::optional<uint32_t> minor_of(std::string_view version) {
  if (!version.starts_with("3.")) return std::nullopt;
  uint32_t minor = 0;
  const auto [end, error] = std::from_chars(version.data() + 2, version.data() + version.size(), minor);
  if (error != std::errc()) return std::nullopt;
  return minor;
}

std::vector<AddressRange> code_of(const LoadedFile& file) {
  std::vector<AddressRange> ranges;
  for (const linux::MappedRange& range : file.executable) ranges.push_back({range.start, range.end});
  return ranges;
}

// The program is nothing but a way to start the interpreter.
void add_launcher(pid_t pid, Interpreter& interpreter, const std::string& runtime_path) {
  const std::string link = fmt::format("/proc/{}/exe", pid);
  std::array<char, 4096> name{};
  const ssize_t size = ::readlink(link.c_str(), name.data(), name.size());
  const std::string path(name.data(), size > 0 ? static_cast<size_t>(size) : 0);
  if (path.empty() || path == runtime_path) return;
  auto launcher = open_loaded_file(pid, path);
  if (!launcher.ok() || !launcher->imports({"Py_BytesMain", "Py_Main"})) return;
  for (const AddressRange& range : code_of(*launcher)) interpreter.own.push_back(range);
}

void find_code(const LoadedFile& file, const std::map<std::string, LoadedFile::Place>& symbols, Interpreter& interpreter) {
  interpreter.own = code_of(file);
  for (const auto& [name, place] : symbols) {
    const AddressRange range{place.address, place.address + place.size};
    if (name.starts_with("_PyEval_EvalFrameDefault")) interpreter.evaluator.push_back(range);
    if (name == "take_gil") interpreter.landmarks.emplace_back(range, "[waiting for the GIL]");
    if (name.starts_with("gc_collect_main") || name.starts_with("_PyGC_Collect"))
      interpreter.landmarks.emplace_back(range, "[garbage collection]");
  }
}

}  // namespace

Result<Interpreter> find_interpreter(pid_t pid, const std::string& path, const std::string& version,
                                     linux::MemoryReader& memory) {
  const auto file = TRY(open_loaded_file(pid, path));
  const auto symbols = file.symbols({"_PyRuntime", "Py_Version", "PyCode_Type", "_PyEval_EvalFrameDefault",
                                     "_PyEval_EvalFrameDefault.cold", "take_gil", "gc_collect_main", "_PyGC_Collect"});
  Interpreter found;
  const auto section = file.section(".PyRuntime");
  const auto symbol = symbols.find("_PyRuntime");
  if (symbol != symbols.end())
    found.runtime = symbol->second.address;
  else if (section)
    found.runtime = section->address;
  else
    return fail(ErrorCode::Unsupported, path + " does not say where its interpreter is", "its native frames are shown");
  const auto minor = minor_of(version);
  if (!minor) return fail(ErrorCode::Unsupported, "the version of " + path + " is not known", "its native frames are shown");
  found.layout = TRY(find_layout(*minor, memory, found.runtime));
  if (const auto type = symbols.find("PyCode_Type"); type != symbols.end()) found.code_type = type->second.address;
  find_code(file, symbols, found);
  add_launcher(pid, found, path);
  found.first = memory.value_at<uint64_t>(found.runtime + found.layout.interpreters_head).value_or(0);
  if (found.first == 0 || list_python_threads(memory, found).empty())
    return fail(ErrorCode::Unavailable, "the interpreter has not started yet");
  return found;
}

atys_walker Interpreter::walker() const {
  atys_walker walker{};
  if (layout.holder.count > 0) walker.holder = layout.is_holder_in_runtime ? runtime : first;
  walker.holder_path = layout.holder;
  walker.identity = ATYS_NATIVE_THREAD;
  walker.identity_at = layout.native_thread_id;
  walker.top = layout.top;
  walker.next = layout.frame_next;
  walker.code = layout.frame_code;
  walker.position = layout.frame_position;
  walker.position_bytes = layout.position_bytes;
  walker.marker = layout.frame_marker;
  walker.marker_bytes = layout.marker_bytes;
  walker.window = std::max({layout.frame_next + 8, layout.frame_code + 8, layout.frame_position + layout.position_bytes,
                            layout.frame_marker + layout.marker_bytes});
  return walker;
}

std::vector<PythonThread> list_python_threads(linux::MemoryReader& memory, const Interpreter& interpreter) {
  const Layout& layout = interpreter.layout;
  std::vector<PythonThread> threads;
  uint64_t state_of_interpreter = memory.value_at<uint64_t>(interpreter.runtime + layout.interpreters_head).value_or(0);
  for (size_t i = 0; i < kMostInterpreters && state_of_interpreter != 0; ++i) {
    uint64_t state = memory.value_at<uint64_t>(state_of_interpreter + layout.interpreter_threads).value_or(0);
    while (state != 0 && threads.size() < kMostThreads) {
      if (memory.value_at<uint64_t>(state + layout.thread_interpreter) != state_of_interpreter) break;
      PythonThread thread{.state = state};
      thread.pthread = memory.value_at<uint64_t>(state + layout.thread_id).value_or(0);
      if (layout.native_thread_id != 0)
        thread.native_id = memory.value_at<uint64_t>(state + layout.native_thread_id).value_or(0);
      threads.push_back(thread);
      state = memory.value_at<uint64_t>(state + layout.thread_next).value_or(0);
    }
    state_of_interpreter = memory.value_at<uint64_t>(state_of_interpreter + layout.interpreter_next).value_or(0);
  }
  return threads;
}

std::optional<uint32_t> find_tid_offset(linux::MemoryReader& memory, const std::vector<PythonThread>& threads,
                                        const std::vector<pid_t>& tids) {
  std::vector<std::vector<uint32_t>> images;
  for (const PythonThread& thread : threads) {
    std::vector<uint32_t> image(kPthreadBytes / sizeof(uint32_t));
    image.resize(memory.read(thread.pthread, std::as_writable_bytes(std::span(image))) / sizeof(uint32_t));
    if (!image.empty()) images.push_back(std::move(image));
    if (images.size() == 8) break;
  }
  if (images.empty()) return std::nullopt;
  for (size_t i = 0; i < kPthreadBytes / sizeof(uint32_t); ++i) {
    const bool fits = std::ranges::all_of(images, [&](const auto& image) {
      return i < image.size() && std::ranges::find(tids, static_cast<pid_t>(image[i])) != tids.end();
    });
    if (fits) return static_cast<uint32_t>(i * sizeof(uint32_t));
  }
  return std::nullopt;
}

}  // namespace atys::capture::python
