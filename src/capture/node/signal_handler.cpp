// SPDX-License-Identifier: Apache-2.0
#include "capture/node/signal_handler.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/guarded.h"
#include "capture/target/process_files.h"
#include "linux/memory_reader.h"
#include "linux/proc_file.h"
#include "linux/proc_text.h"

namespace atys::capture::node {

namespace {

// libuv keeps the signals that a program listens for in one red-black tree of uv_signal_t, the same in every libuv 1.x on
// 64-bit machines. Node.js's own handler of SIGUSR1 is not in it.
struct SignalHandle {
  uint64_t data, loop;
  int32_t type, padding;
  uint64_t close_callback, queue[2], platform[4], next_closing;
  uint32_t flags, padding2;
  uint64_t callback;
  int32_t signal_number, padding3;
  uint64_t left, right, parent;
};
static_assert(offsetof(SignalHandle, signal_number) == 104 && offsetof(SignalHandle, left) == 112);

constexpr int32_t kSignalType = 16;  // UV_SIGNAL
constexpr size_t kMostHandles = 1000;
constexpr size_t kMostBytesOfData = size_t{4} << 20;

bool is_handle(const SignalHandle& handle) {
  return handle.type == kSignalType && handle.signal_number > 0 && handle.signal_number < 65 && handle.loop != 0;
}

// Whether the program listens for SIGUSR1; nothing where the tree makes no sense.
std::optional<bool> has_listener(pid_t pid, uint64_t root) {
  std::vector<uint64_t> open{root};
  for (size_t seen = 0; !open.empty(); ++seen) {
    const uint64_t address = open.back();
    open.pop_back();
    if (address == 0) continue;
    const auto handle = linux::ProcessMemory(pid).value_at<SignalHandle>(address);
    if (seen > kMostHandles || !handle || !is_handle(*handle)) return {};
    if (handle->signal_number == SIGUSR1) return true;
    open.push_back(handle->left);
    open.push_back(handle->right);
  }
  return false;
}

// A stripped libuv: the root of the tree is that word among its variables which points to a signal handle without parent.
std::optional<bool> search_listener(pid_t pid, const LoadedFile& file) {
  const auto place = file.section(".bss");
  if (!place || place->size > kMostBytesOfData) return {};
  std::vector<uint64_t> words(place->size / sizeof(uint64_t));
  linux::ProcessMemory memory(pid);
  if (!memory.read_all(place->address, std::as_writable_bytes(std::span(words)))) return {};
  std::ranges::sort(words);
  words.erase(std::unique(words.begin(), words.end()), words.end());
  for (const uint64_t word : words) {
    if (word % 8 != 0 || word < 4096 || word >> 56 != 0) continue;
    const auto handle = memory.value_at<SignalHandle>(word);
    if (!handle || !is_handle(*handle) || handle->parent != 0) continue;
    if (const auto found = has_listener(pid, word)) return found;
  }
  return false;
}

constexpr std::string_view kTree = "uv__signal_tree";
constexpr std::string_view kNode = "node_module_register";  // what add-ons call: every Node.js exports it

// What the symbols of a file say; addresses are the file's own.
struct FileFacts {
  bool is_node = false;
  std::optional<uint64_t> tree;
};

// Looking at all symbols of Node.js takes a tenth of a second, and all its processes have the same.
FileFacts facts_of(const LoadedFile& file) {
  static Guarded<std::map<std::string, FileFacts>> known;
  const std::string key = file.elf.build_id().empty() ? std::string() : file.elf.build_id() + file.path;
  if (!key.empty()) {
    const auto locked = known.lock();
    if (const auto found = locked->find(key); found != locked->end()) return found->second;
  }
  const auto symbols = file.symbols({kTree, kNode});
  FileFacts facts{.is_node = symbols.contains(std::string(kNode))};
  if (const auto tree = symbols.find(std::string(kTree)); tree != symbols.end())
    facts.tree = tree->second.address - file.bias;
  constexpr size_t kMostFiles = 100;
  const auto locked = known.lock();
  if (!key.empty() && locked->size() < kMostFiles) locked->emplace(key, facts);
  return facts;
}

std::optional<bool> program_listens(pid_t pid, const LoadedFile& file) {
  const FileFacts facts = facts_of(file);
  if (!facts.tree) return search_listener(pid, file);
  const auto root = linux::ProcessMemory(pid).value_at<uint64_t>(*facts.tree + file.bias);
  if (!root) return {};
  return has_listener(pid, *root);
}

// Where libuv is a library of its own.
std::string file_of_libuv(pid_t pid) {
  const auto maps = linux::read_maps(pid);
  if (!maps.ok()) return {};
  const auto is_libuv = [](const linux::MappedRange& range) { return range.path.find("/libuv.so") != std::string::npos; };
  const auto found = std::ranges::find_if(*maps, is_libuv);
  return found == maps->end() ? std::string() : found->path;
}

}  // namespace

SignalUse parse_signal_use(std::string_view status) {
  const auto has_bit = [&](std::string_view key) {
    const auto mask = linux::parse_number<uint64_t>(linux::value_of(status, key), 16);
    return mask && (*mask >> (SIGUSR1 - 1) & 1) != 0;
  };
  if (has_bit("SigIgn") || has_bit("SigBlk")) return SignalUse::Blocked;
  return has_bit("SigCgt") ? SignalUse::OpensInspector : SignalUse::None;
}

Result<SignalUse> read_signal_use(pid_t pid, const std::string& runtime_file) {
  const std::string status = TRY(linux::read_proc_file(fmt::format("/proc/{}/status", pid)));
  const SignalUse use = parse_signal_use(status);
  if (use != SignalUse::OpensInspector) return use;
  const auto runtime = open_loaded_file(pid, runtime_file);
  if (!runtime.ok()) return SignalUse::Unknown;
  if (!facts_of(*runtime).is_node) return SignalUse::NotNode;
  std::optional<bool> listens;
  if (const std::string path = file_of_libuv(pid); path.empty()) {
    listens = program_listens(pid, *runtime);
  } else if (const auto libuv = open_loaded_file(pid, path); libuv.ok()) {
    listens = program_listens(pid, *libuv);
  }
  if (!listens) return SignalUse::Unknown;
  return *listens ? SignalUse::OfProgram : SignalUse::OpensInspector;
}

}  // namespace atys::capture::node
