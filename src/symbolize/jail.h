// SPDX-License-Identifier: Apache-2.0
// The worker that reads binaries for us. Whoever may run a program on this machine writes the files that we read names from,
// and the libraries that read them were not written for hostile bytes: so they run in a process of their own, with bounded
// memory, without rights, behind a system-call filter (linux/confinement.h). It opens nothing: it gets descriptors and gives
// bytes. When it ends, by whatever a file did to it, that costs this file's names and nothing else.
//
// The worker is this same program, started when it is first needed. One serves all threads, a question at a time.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "linux/confinement.h"
#include "symbolize/dwarf.h"
#include "symbolize/jail_wire.h"

namespace atys::symbolize {

// A file that questions are about, and what the worker may have for it.
class JailSubject {
 public:
  virtual ~JailSubject() = default;
  virtual UniqueFd file() = 0;  // closed: it cannot be had any more
  virtual Bytes description() = 0;
  virtual UniqueFd debug_file() { return {}; }
  virtual UniqueFd alternate_file(const DwarfInfo::AlternateLink&) { return {}; }
  virtual std::optional<Bytes> load(std::string_view) { return {}; }
  virtual void store(std::string_view, std::span<const std::byte>) {}
};

class Jail {
 public:
  struct Plan {
    std::string program;  // that calls run_jail_worker() if its first argument is kJailArgument
    uint64_t most_bytes = uint64_t{3} << 30;
    unsigned most_seconds = 60;  // of CPU time, for one question; the largest debug files take some
  };
  // Before there are threads. Without it, and without a program, every file is read in this process.
  static void set_up(Plan plan);
  // Null: there is none, or it cannot be started here.
  static Jail* get();

  explicit Jail(Plan plan);
  ~Jail();
  Jail(const Jail&) = delete;
  Jail& operator=(const Jail&) = delete;

  static uint64_t next_number();
  // Nothing: the worker cannot be started at all. An error of the code Unavailable: it ended over this question.
  std::optional<Result<Bytes>> ask(uint64_t number, JailSubject& subject, std::string_view question,
                                   std::span<const std::byte> details);
  void forget(uint64_t number);
  void limit_memory(uint64_t most_bytes);  // of workers that start from now on

  struct Account {
    uint64_t started = 0;
    uint64_t ended = 0;     // by what they read
    linux::Walls walls;     // of the last one
    std::string no_worker;  // why there is none
  };
  Account account();

 private:
  struct Worker;
  bool has_worker();  // starts one
  Result<> start();
  void end(bool is_its_fault);
  Result<> open(uint64_t number, JailSubject& subject);
  Result<JailLetter> converse(JailSubject& subject);
  Result<> serve(const JailLetter& letter, JailSubject& subject);
  bool may_start() const;
  void count_cpu();

  Plan plan_;
  std::atomic<int> waiting_ = 0;
  std::mutex mutex_;  // of all below
  std::unique_ptr<Worker> worker_;
  Account account_;
  uint64_t first_start_ns_ = 0;
};

inline constexpr std::string_view kJailArgument = "--read-binaries-for-another";
inline constexpr int kJailSocket = 3;

}  // namespace atys::symbolize
