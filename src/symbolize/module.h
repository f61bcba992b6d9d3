// SPDX-License-Identifier: Apache-2.0
// One binary, wherever it is mapped: resolves addresses to functions, files and lines. Tables are read on first use. Safe
// for use by several threads.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "symbolize/debug_files.h"
#include "symbolize/dwarf.h"
#include "symbolize/elf_file.h"
#include "symbolize/file_identity.h"
#include "symbolize/function_ranges.h"
#include "symbolize/go_binary.h"
#include "symbolize/symbol_table.h"

namespace atys::symbolize {

struct SourceFrame {
  std::string function;     // for people
  std::string system_name;  // as the linker or the debug information has it
  std::string file;         // may be empty
  int64_t line = 0;         // 0: not known
  int64_t start_line = 0;
};

// What is the same for every address from `start` up to `end`.
struct ResolvedRange {
  uint64_t start = 0;
  uint64_t end = 0;
  std::vector<SourceFrame> frames;
};

class JailedModule;
class ModuleResources;

class Module : public std::enable_shared_from_this<Module> {
 public:
  // What a store knows of the binary when it meets it.
  struct Origin {
    std::string path;  // as the process sees it
    pid_t pid = 0;     // whose root may have its debug files; 0: ours alone
    FileState state;   // what tells the file from every other
    bool can_be_found_again = false;
    std::optional<std::string> told_key = {};  // in a worker: what stands for the key on disk, which its master has
    bool is_of_its_tree_alone = false;  // its debug files are of a tree of files that is not ours: kept for nobody else
  };
  // `file` may be null: then nothing is resolved.
  Module(Origin origin, std::shared_ptr<const ElfFile> file, std::shared_ptr<ModuleResources> resources);
  ~Module();

  const std::string& path() const { return origin_.path; }
  const std::string& build_id() const { return build_id_; }  // lower-case hexadecimal; empty: none
  // Null when the file could not be opened, or could not be opened again after its descriptor was given up. Calls on one
  // ElfFile must not be made by two threads at once; whoever holds the pointer holds the descriptor.
  std::shared_ptr<const ElfFile> elf();
  bool is_open() const { return has_file_; }
  // Under which what was learnt from it is kept on disk; empty: it is not to be kept. Not the build id, which is what a file
  // says of itself.
  std::string cache_key() const;
  std::optional<uint64_t> file_address(uint64_t file_offset) const;
  const std::vector<ElfFile::Segment>& segments() const { return segments_; }
  // Innermost first; empty: not known, to be shown as module+offset. Names alone do not need a debug file, which takes
  // longer to open than all the rest: they come with lines where lines are at hand.
  enum class Effort : uint8_t { Whole, Names };
  std::vector<SourceFrame> resolve(uint64_t file_address, Effort effort = Effort::Whole);
  // Says what will be asked, ranges too if `wants_ranges`: a worker is then asked once for all of it.
  struct Wanted {
    uint64_t address = 0;
    Effort effort = Effort::Whole;
  };
  void prepare(const std::vector<Wanted>& wanted, bool wants_ranges);
  // What the worker that reads files for us (see jail.h) answers to another kind of question about this file. Nothing: there
  // is no worker, and the file is to be read here.
  std::optional<Result<Bytes>> ask_worker(std::string_view question, std::span<const std::byte> details = {});
  // How far what was said of an address holds, as long as its debug information is open; empty where it is not. If that is
  // in a file of its own, which costs far more to open than to ask, also the rest of the function: what will be asked next
  // time is known then. As much of it as opening was worth.
  std::vector<ResolvedRange> ranges_around(uint64_t file_address, const std::vector<SourceFrame>& frames);
  // Of the whole file, in hexadecimal.
  Result<std::string> sha256();

  // Why names of it are missing although it is there: reading it ended the worker. Empty: they are not.
  std::string trouble() const;

  uint64_t last_use() const { return last_use_; }
  bool holds_descriptor() const { return holds_descriptor_; }
  bool can_be_found_again() const { return origin_.can_be_found_again; }
  // Give up what can be had again. Called by those who keep the limits.
  void close_file();
  void drop_debug_info();
  // Gives up what was read of the file, which may be as large as the file, where names are known without it. The descriptor
  // stays: nothing is lost that the file still has.
  void forget_sections();

 private:
  friend class JailedModule;
  std::vector<SourceFrame> resolve_here(uint64_t file_address, Effort effort);
  std::shared_ptr<const ElfFile> open_again();
  std::string cache_key_of(const ElfFile& file) const;  // as the file is now
  DebugFileSearch search() const;
  // The separate debug file; null if there is none.
  std::shared_ptr<const ElfFile> debug_file(const ElfFile& file);
  void load_symbols();
  void load_debug_info(Effort effort);
  void load_go_table();
  void load_ranges();
  std::optional<Symbol> symbol_at(uint64_t file_address);
  // "[perl+0x45a10]": what stands for a function that nothing names.
  std::vector<SourceFrame> nameless_frames(uint64_t file_address);
  std::vector<SourceFrame> go_frames(uint64_t file_address);
  void place_by_go_table(uint64_t file_address, std::vector<SourceFrame>& frames);
  Result<std::unique_ptr<DwarfInfo>> open_debug_info(const std::shared_ptr<const ElfFile>& file);
  int debug_tables() const { return (dwarf_ != nullptr ? 1 : 0) + (go_ ? 1 : 0); }
  std::vector<SourceFrame> dwarf_frames(uint64_t file_address, const std::optional<Symbol>& symbol);
  std::vector<SourceFrame> resolve_locked(uint64_t file_address, Effort effort);
  uint64_t same_until(uint64_t file_address);
  SourceFrame outermost_frame(DwarfFrame frame, const std::optional<Symbol>& symbol);
  const std::string& demangled(const Symbol& symbol);

  const Origin origin_;
  const bool has_file_;
  std::string build_id_;
  std::vector<ElfFile::Segment> segments_;
  uint64_t file_size_ = 0;
  std::shared_ptr<ModuleResources> resources_;  // shared with the store and its other modules
  std::atomic<uint64_t> last_use_ = 0;
  std::atomic<bool> holds_descriptor_ = false;

  std::unique_ptr<JailedModule> jailed_;  // null: read by ourselves

  std::mutex mutex_;  // of all below
  std::shared_ptr<const ElfFile> file_;
  uint64_t forgotten_at_ = 0;  // last_use_ when sections were forgotten
  std::optional<SymbolTable> symbols_;
  std::optional<FunctionRanges> ranges_;
  std::unordered_map<uint64_t, std::string> demangled_;  // by the symbol's address; bounded
  std::shared_ptr<const ElfFile> debug_file_;
  bool was_debug_file_sought_ = false;
  std::unique_ptr<DwarfInfo> dwarf_;
  bool was_dwarf_tried_ = false;
  bool is_dwarf_separate_ = false;
  size_t ranges_given_ = 0;
  std::optional<GoBinary> go_;
  bool was_go_tried_ = false;
};

}  // namespace atys::symbolize
