// SPDX-License-Identifier: Apache-2.0
#include "capture/python/interpreter.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>
#include <unordered_set>

#include "capture/python/code_objects.h"
#include "capture/target/process_files.h"

namespace atys::capture::python {

namespace {

constexpr size_t kMostInterpreters = 256;
constexpr size_t kMostThreads = 16384;
constexpr size_t kPthreadBytes = 2304;  // struct pthread, where the thread's number is
#if defined(__x86_64__)
constexpr uint32_t kTidOfGlibc = 720;
#else
constexpr uint32_t kTidOfGlibc = 208;
#endif

// "3.11.2" → 11.
std::optional<uint32_t> minor_of(std::string_view version) {
  if (!version.starts_with("3.")) return std::nullopt;
  uint32_t minor = 0;
  const auto [end, error] = std::from_chars(version.data() + 2, version.data() + version.size(), minor);
  if (error != std::errc()) return std::nullopt;
  return minor;
}

std::vector<AddressRange> code_ranges_of(const LoadedFile& file) {
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
  for (const AddressRange& range : code_ranges_of(*launcher)) interpreter.own.push_back(range);
}

void find_code(const LoadedFile& file, const std::map<std::string, LoadedFile::Place>& symbols, Interpreter& interpreter) {
  interpreter.own = code_ranges_of(file);
  for (const auto& [name, place] : symbols) {
    const AddressRange range{place.address, place.address + place.size};
    if (name.starts_with("_PyEval_EvalFrameDefault")) interpreter.evaluator.push_back(range);
    if (name == "take_gil") interpreter.landmarks.emplace_back(range, kWaitingForLock);
    if (name.starts_with("gc_collect_main") || name.starts_with("_PyGC_Collect"))
      interpreter.landmarks.emplace_back(range, "[garbage collection]");
  }
}

// The list begins with the newest.
uint64_t oldest_interpreter(linux::MemoryReader& memory, const Interpreter& interpreter) {
  uint64_t oldest = 0;
  uint64_t next = memory.value_at<uint64_t>(interpreter.runtime + interpreter.layout.interpreters_head).value_or(0);
  for (size_t i = 0; i < kMostInterpreters && next != 0; ++i) {
    oldest = next;
    next = memory.value_at<uint64_t>(oldest + interpreter.layout.interpreter_next).value_or(0);
  }
  return oldest;
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
  found.first = oldest_interpreter(memory, found);
  if (found.first == 0 || list_python_threads(memory, found).empty())
    return fail(ErrorCode::Unavailable, "the interpreter has not started yet");
  return found;
}

// From the first line to the line table lie pointers and counts that last as long as the object, among them since 3.12 a
// number that no other has. Before, objects that are made and freed in turn come to lie, with all that they point to, where
// the last ones did: names tell them apart.
atys_cookie cookie_of(const Layout& layout) {
  constexpr uint32_t kFirstWithVersions = 12;
  const auto [first, last] =
      std::minmax({layout.code_first_line, layout.code_filename, layout.code_name, layout.code_line_table});
  atys_cookie cookie{.at = first & ~7u, .words = 0, .texts = {}, .short_kind = ATYS_NO_KIND};
  cookie.words = std::min<uint32_t>((last - cookie.at) / 8 + 1, ATYS_COOKIE_WORDS);
  if (layout.minor >= kFirstWithVersions) return cookie;
  cookie.texts[0] = {.pointer = layout.code_name, .length_at = layout.text_length, .text_at = layout.text_ascii_data};
  cookie.texts[1] = {.pointer = layout.code_filename, .length_at = layout.text_length, .text_at = layout.text_ascii_data};
  return cookie;
}

std::array<atys_piece, ATYS_PIECES> pieces_of(const Layout& layout) {
  const auto piece = [](uint32_t pointer, size_t bytes) {
    return atys_piece{.of = 0,
                      .pointer = static_cast<uint16_t>(pointer),
                      .bytes = static_cast<uint16_t>(std::min<size_t>(bytes, ATYS_PIECE_BYTES)),
                      .reserved = 0};
  };
  return {piece(0, CodeObjects::bytes_of_object(layout)), piece(layout.code_name, ATYS_PIECE_BYTES),
          piece(layout.code_filename, ATYS_PIECE_BYTES), piece(layout.code_line_table, ATYS_PIECE_BYTES)};
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
  walker.is_stacked = layout.entry_mark == EntryMark::EveryFrame ? 0 : 1;  // else frames are objects of their own
  walker.cookie = cookie_of(layout);
  std::ranges::copy(pieces_of(layout), walker.pieces);
  return walker;
}

namespace {

PythonThread read_thread(linux::MemoryReader& memory, const Layout& layout, uint64_t state) {
  PythonThread thread{.state = state};
  thread.pthread = memory.value_at<uint64_t>(state + layout.thread_id).value_or(0);
  if (layout.native_thread_id != 0)
    thread.native_id = memory.value_at<uint64_t>(state + layout.native_thread_id).value_or(0);
  return thread;
}

using Pthread = std::vector<uint32_t>;

// Whether that word of each is the number of a thread, and of each another one.
bool has_tids_at(const std::vector<Pthread>& pthreads, size_t word, const std::vector<pid_t>& tids) {
  std::set<uint32_t> found;
  return std::ranges::all_of(pthreads, [&](const Pthread& pthread) {
    return word < pthread.size() && std::ranges::find(tids, static_cast<pid_t>(pthread[word])) != tids.end() &&
           found.insert(pthread[word]).second;
  });
}

}  // namespace

std::vector<PythonThread> list_python_threads(linux::MemoryReader& memory, const Interpreter& interpreter) {
  const Layout& layout = interpreter.layout;
  std::vector<PythonThread> threads;
  std::unordered_set<uint64_t> seen;  // lists that change while they are read may lead back
  uint64_t of = memory.value_at<uint64_t>(interpreter.runtime + layout.interpreters_head).value_or(0);
  for (size_t i = 0; i < kMostInterpreters && of != 0 && seen.insert(of).second; ++i) {
    uint64_t state = memory.value_at<uint64_t>(of + layout.interpreter_threads).value_or(0);
    while (state != 0 && threads.size() < kMostThreads && seen.insert(state).second) {
      if (memory.value_at<uint64_t>(state + layout.thread_interpreter) != of) break;
      threads.push_back(read_thread(memory, layout, state));
      state = memory.value_at<uint64_t>(state + layout.thread_next).value_or(0);
    }
    of = memory.value_at<uint64_t>(of + layout.interpreter_next).value_or(0);
  }
  return threads;
}

// The place in the common C library comes first: of a single thread with a small number, as in a container, others look
// like it.
std::optional<uint32_t> find_tid_offset(linux::MemoryReader& memory, const std::vector<PythonThread>& threads,
                                        const std::vector<pid_t>& tids) {
  constexpr size_t kEnough = 8;
  std::vector<Pthread> pthreads;
  for (const PythonThread& thread : threads) {
    Pthread pthread(kPthreadBytes / sizeof(uint32_t));
    pthread.resize(memory.read(thread.pthread, std::as_writable_bytes(std::span(pthread))) / sizeof(uint32_t));
    if (!pthread.empty()) pthreads.push_back(std::move(pthread));
    if (pthreads.size() == kEnough) break;
  }
  if (pthreads.empty()) return std::nullopt;
  if (has_tids_at(pthreads, kTidOfGlibc / sizeof(uint32_t), tids)) return kTidOfGlibc;
  for (size_t i = 0; i < kPthreadBytes / sizeof(uint32_t); ++i)
    if (has_tids_at(pthreads, i, tids)) return static_cast<uint32_t>(i * sizeof(uint32_t));
  return std::nullopt;
}

}  // namespace atys::capture::python
