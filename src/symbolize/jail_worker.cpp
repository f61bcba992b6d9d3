// SPDX-License-Identifier: Apache-2.0
#include "symbolize/jail_worker.h"

#include <malloc.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>

#include <cstdlib>
#include <tuple>
#include <unordered_map>

#include "base/breather.h"
#include "base/clock.h"
#include "linux/confinement.h"
#include "symbolize/frames_codec.h"
#include "symbolize/jail.h"
#include "symbolize/jail_questions.h"
#include "symbolize/module_resources.h"
#include "symbolize/symbol_search.h"

namespace atys::symbolize {

namespace {

constexpr uint64_t kRestEveryNs = 2'000'000;
constexpr size_t kMostOfAnswer = size_t{128} << 20;

// All that the worker has of the outside: it asks, over the socket.
class AskedSupplies final : public ModuleSupplies {
 public:
  explicit AskedSupplies(JailSocket& socket) : socket_(socket) {}

  Result<ElfFile> find_debug_file(const ElfFile& file, const DebugFileSearch&) override {
    JailLetter given = TRY(ask(JailMessage::NeedDebugFile, {}));
    if (!given.file.is_open()) return fail(ErrorCode::NotFound, file.name() + ": no debug file");
    return ElfFile::open(std::move(given.file), file.name());
  }

  Result<ElfFile> find_alternate_file(const DwarfInfo::AlternateLink& link, const DebugFileSearch&) override {
    JailPacker packer;
    packer.text(link.path).text(link.build_id);
    JailLetter given = TRY(ask(JailMessage::NeedAlternate, packer.take()));
    if (!given.file.is_open()) return fail(ErrorCode::NotFound, link.path + " is not there");
    return ElfFile::open(std::move(given.file), link.path);
  }

  std::optional<Bytes> load(std::string_view kind, std::string_view) override {
    JailPacker packer;
    packer.text(kind);
    auto given = ask(JailMessage::Load, packer.take());
    if (!given.ok() || given->bytes.empty()) return {};
    return std::move(given->bytes);
  }

  void store(std::string_view kind, std::string_view, std::span<const std::byte> content) override {
    JailPacker packer;
    packer.text(kind).block(content);
    (void)socket_.send(JailMessage::Store, packer.take());
  }

  Result<JailLetter> ask(JailMessage kind, std::span<const std::byte> bytes) {
    TRY(socket_.send(kind, bytes));
    JailLetter given = TRY(socket_.receive());
    if (given.kind != JailMessage::Given) return fail(ErrorCode::Internal, "not what was asked for");
    return given;
  }

 private:
  JailSocket& socket_;
};

class Worker {
 public:
  Worker(JailSocket& socket, const JailQuestions& questions, time_t most_seconds)
      : socket_(socket),
        questions_(questions),
        most_seconds_(most_seconds),
        supplies_(std::make_shared<AskedSupplies>(socket)) {}

  // Until the other side is gone.
  void run() {
    const Breather breather([this] { rest(); });
    while (true) {
      auto letter = socket_.receive();
      if (!letter.ok() || !handle(*letter)) return;
    }
  }

 private:
  using Limits = std::tuple<bool, uint64_t, uint64_t>;

  bool handle(JailLetter& letter) {
    Cursor cursor(letter.bytes);
    const auto number = cursor.fixed<uint64_t>();
    switch (letter.kind) {
      case JailMessage::Open: open(number, cursor, std::move(letter.file)); return true;
      case JailMessage::Close: modules_.erase(number); return true;
      case JailMessage::Ask: return answer(number, cursor);
      default: return false;
    }
  }

  void open(uint64_t number, Cursor& cursor, UniqueFd fd) {
    const auto description = take_block(cursor);
    Cursor facts(description);
    Module::Origin origin{.path = take_text(facts)};
    const bool wants_lines = facts.fixed<uint8_t>() != 0;
    origin.told_key = facts.fixed<uint8_t>() != 0 ? "0" : "";
    const auto most_debug_bytes = facts.fixed<uint64_t>();
    const auto largest_debug_file = facts.fixed<uint64_t>();
    auto file = ElfFile::open(std::move(fd), origin.path);
    if (!file.ok() || !cursor.ok() || !facts.ok()) return;
    auto& resources = resources_[{wants_lines, most_debug_bytes, largest_debug_file}];
    if (resources == nullptr)
      resources = std::make_shared<ModuleResources>(
          ModuleStoreOptions{
              .wants_lines = wants_lines, .most_debug_bytes = most_debug_bytes, .largest_debug_file = largest_debug_file},
          supplies_);
    modules_[number] = std::make_shared<Module>(std::move(origin), std::make_shared<const ElfFile>(file.take()), resources);
  }

  bool answer(uint64_t number, Cursor& cursor) {
    const std::string question = take_text(cursor);
    const auto details = take_block(cursor);
    Cursor of_details(details);
    const auto module = modules_.find(number);
    const auto handler = questions_.find(question);
    if (!cursor.ok() || module == modules_.end() || handler == questions_.end())
      return socket_.send(JailMessage::Failed, {}).ok();
    arm(most_seconds_);
    const auto made = handler->second(*module->second, of_details);
    arm(0);
    return socket_.send(made.ok() ? JailMessage::Answer : JailMessage::Failed, made.ok() ? *made : Bytes()).ok();
  }

  // Whoever does not come to an end is ended, also when nobody waits for the answer any more.
  static void arm(time_t seconds) {
    const itimerval timer{{0, 0}, {seconds, 0}};
    (void)::setitimer(ITIMER_PROF, &timer, nullptr);
  }

  void rest() {
    const uint64_t now = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    if (now - rested_ns_ < kRestEveryNs) return;
    rested_ns_ = now;
    (void)supplies_->ask(JailMessage::Rest, {});
  }

  JailSocket& socket_;
  const JailQuestions& questions_;
  const time_t most_seconds_;
  std::shared_ptr<AskedSupplies> supplies_;
  std::map<Limits, std::shared_ptr<ModuleResources>> resources_;
  std::unordered_map<uint64_t, std::shared_ptr<Module>> modules_;
  uint64_t rested_ns_ = 0;
};

Result<Bytes> answer_resolve(Module& module, Cursor& details) {
  const auto question = decode_question(details);
  if (!question) return fail(ErrorCode::InvalidInput, "not a question");
  JailPacker packer;
  for (const Module::Wanted& one : question->wanted) {
    if (packer.size() > kMostOfAnswer) break;
    ResolvedAddress answer{.address = one.address, .frames = module.resolve(one.address, one.effort), .ranges = {}};
    if (question->wants_ranges) answer.ranges = module.ranges_around(one.address, answer.frames);
    encode(answer, packer);
    breathe();
  }
  return packer.take();
}

// Before the walls stand: what needs a right, or a file.
void prepare_process() {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    (void)::setrlimit(RLIMIT_NOFILE, &files);
  }
  (void)::prctl(PR_SET_NAME, "atys-symbols");
  ::mallopt(M_ARENA_MAX, 1);
  (void)elf_version(EV_CURRENT);
}

}  // namespace

JailQuestions symbol_questions() {
  const auto search = [](Module& module, Cursor& details) -> Result<Bytes> {
    const auto file = module.elf();
    if (file == nullptr) return fail(ErrorCode::NotFound, "the file is gone");
    return answer_symbols(*file, details);
  };
  return {{std::string(kResolveQuestion), answer_resolve}, {std::string(kSymbolsQuestion), search}};
}

std::optional<int> run_if_jail_worker(int argc, char** argv, const JailQuestions& questions) {
  if (argc != 4 || argv[1] != kJailArgument) return {};
  prepare_process();
  JailSocket socket{UniqueFd(kJailSocket)};
  const auto walls = static_cast<std::byte>(linux::confine(std::strtoull(argv[2], nullptr, 10)).bits());
  if (!socket.send(JailMessage::Hello, {&walls, 1}).ok()) return 1;
  Worker(socket, questions, static_cast<time_t>(std::strtoul(argv[3], nullptr, 10))).run();
  return 0;
}

}  // namespace atys::symbolize
