// SPDX-License-Identifier: Apache-2.0
#include "verbs/capture.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "base/descriptor_io.h"
#include "base/unique_fd.h"
#include "present/json/answers.h"
#include "present/mcp/tools/view_arguments.h"
#include "present/text/answers.h"
#include "profile/kinds.h"
#include "verbs/recording/target_pids.h"

namespace atys::present::mcp {

namespace {

using reduce::Form;

constexpr double kDefaultSeconds = 10;
constexpr uint64_t kNsPerSecond = 1'000'000'000;

// "cpu (default), off-cpu (waits), wall, event:NAME; Java: alloc, lock"
std::string kinds_in_short() {
  std::string text;
  std::string of_java;
  for (const profile::KindRow& kind : profile::kinds()) {
    std::string& list = kind.recorded_by == profile::KindRow::RecordedBy::Runtimes ? of_java : text;
    list += (list.empty() ? "" : ", ") + kind.shown();
    if (&kind == &profile::default_kind()) list += " (default)";
    if (!kind.gloss.empty()) list += " (" + std::string(kind.gloss) + ")";
  }
  return text + "; Java: " + of_java;
}

Json own_properties() {
  return {
      {"command",
       command_property("program and arguments, started and recorded until it ends; no shell: [\"python3\", \"slow.py\"]")},
      {"cwd", folder_property()},
      {"stdin", {{"type", "string"}, {"maxLength", 1000000}, {"description", "what the command reads (default: nothing)"}}},
      {"pids",
       {{"type", "array"},
        {"items", {{"type", "integer"}, {"minimum", 1}, {"maximum", 2147483647}}},
        {"minItems", 1},
        {"maxItems", 1000},
        {"description", "running processes to record instead"}}},
      {"children", {{"type", "boolean"}, {"description", "with pids: what they have started, too"}}},
      {"allow_pause", {{"type", "boolean"}, {"description", "with pids: their threads may be stopped for a moment"}}},
      {"allow_inspector",
       {{"type", "boolean"}, {"description", "open Node.js's inspector for function names; local users can connect to it"}}},
      {"service",
       {{"type", "string"}, {"maxLength", 1000}, {"description", "processes by rule: NAME, port=8080, command~REGEX"}}},
      {"host", {{"type", "boolean"}, {"description", "every process"}}},
      {"kind", {{"type", "string"}, {"maxLength", 100}, {"description", kinds_in_short()}}},
      {"seconds",
       {{"type", "number"},
        {"minimum", 0.01},
        {"maximum", 86400},
        {"description", "how long (default: 10; a command: until it ends; it is stopped after that)"}}},
      {"hz", {{"type", "number"}, {"minimum", 1}, {"maximum", 10000}, {"description", "samples a second (default 99)"}}},
      {"max_overhead_percent",
       {{"type", "number"},
        {"minimum", 0.01},
        {"maximum", 100},
        {"description", "of the target's CPU time; default 1, of a command 5"}}},
      {"labels", {{"type", "object"}, {"description", "texts to note in the profile, by name"}}},
  };
}

// Where not everything is allowed, those of this moment: each is looked at, like a pid that was named.
Result<> add_children(const verbs::Permission& permission, verbs::CaptureRequest& request) {
  if (permission.allows_everything()) {
    request.children = true;
    return {};
  }
  std::vector<int> allowed;
  for (const int pid : verbs::with_children(request.pids)) {
    const auto permitted = permission.may_record(pid);
    if (!permitted.ok() && permitted.error().code != ErrorCode::NotFound) return permitted.error();
    if (permitted.ok()) allowed.push_back(pid);  // the others have ended meanwhile
  }
  request.pids = std::move(allowed);
  return {};
}

// What the command finds at its standard input, which it has from us: we are a process of our own for this one call.
Result<> set_input(const Json& arguments) {
  if (!arguments.contains("stdin")) return {};
  if (!arguments.contains("command"))
    return fail(ErrorCode::InvalidInput, "stdin goes with command", "processes that run already have their own");
  const auto text = arguments["stdin"].get<std::string>();
  const UniqueFd file(::memfd_create("stdin", MFD_CLOEXEC));
  if (!file.is_open() || !write_all(file.get(), text) || ::lseek(file.get(), 0, SEEK_SET) != 0 ||
      ::dup2(file.get(), STDIN_FILENO) < 0)
    return fail_errno("hand over standard input");
  return {};
}

// Rules are looked up once, so that what comes to fit them later is not recorded without having been allowed.
Result<> set_target(const Json& arguments, const verbs::Permission& permission, verbs::CaptureRequest& request) {
  if (arguments.contains("command")) request.command = arguments["command"].get<std::vector<std::string>>();
  if (arguments.contains("pids")) request.pids = arguments["pids"].get<std::vector<int>>();
  request.service = arguments.value("service", std::string());
  request.host = arguments.value("host", false);
  const size_t targets = static_cast<size_t>(!request.command.empty()) + static_cast<size_t>(!request.pids.empty()) +
                         static_cast<size_t>(!request.service.empty()) + static_cast<size_t>(request.host);
  if (targets != 1)
    return fail(ErrorCode::InvalidInput, targets == 0 ? "nothing to record" : "more than one target",
                "give exactly one of command, pids, service, host");
  const bool with_children = arguments.value("children", false);
  request.allow_pause = arguments.value("allow_pause", false);
  request.allow_inspector = arguments.value("allow_inspector", false);
  if (with_children && request.pids.empty())
    return fail(ErrorCode::InvalidInput, "children goes with pids",
                "a command and the host have their children with them; a service has its rule");
  if (request.host) return permission.may_record_host();
  if (!request.service.empty() && !permission.allows_everything()) {
    request.pids = TRY(verbs::pids_of_service(request.service));
    request.service.clear();
  }
  for (const int pid : request.pids) TRY(permission.may_record(pid));
  return with_children ? add_children(permission, request) : Result<>();
}

Result<> set_length(const Json& arguments, const ToolContext& context, verbs::CaptureRequest& request) {
  const double most = static_cast<double>(context.most_duration_ns) / kNsPerSecond;
  const double asked = arguments.value("seconds", request.command.empty() ? std::min(kDefaultSeconds, most) : most);
  if (asked > most)
    return fail(ErrorCode::InvalidInput, "a capture may last " + std::to_string(std::lround(most)) + " s at most",
                "ask for fewer seconds; the operator can allow more: atys mcp --max-duration TIME");
  request.duration_ns = static_cast<uint64_t>(asked * kNsPerSecond);
  return {};
}

std::string last_words(const verbs::CaptureAnswer& answer, const verbs::CaptureRequest& request) {
  std::string text;
  if (!request.command.empty() && answer.exit_status > 0)
    text += "the command ended with status " + std::to_string(answer.exit_status) + "\n";
  if (!request.command.empty() && answer.exit_status < 0)
    text += "the command had not ended after " + std::to_string(request.duration_ns / kNsPerSecond) +
            " s and was stopped: make its work smaller, or profile a running process by pids\n";
  for (const std::string& note : answer.notes) text += "note: " + note + "\n";
  return text;
}

class ProfileCapture final : public Tool {
 public:
  ToolDescription describe() const override {
    return {
        .name = "profile_capture",
        .title = "Record a profile",
        .text =
            "Record where a command or running processes spend their time, with low overhead. Gives the id of the profile "
            "and its hottest functions. A command's stdout and stderr are kept out of the answer but for their end.",
        .properties = with_view(own_properties(), {Form::Brief, Form::Table, Form::Paths, Form::Tree, Form::Lines}),
        .verb = "capture",
        .hints = {.only_reads = false, .runs_commands = true}};
  }

  Result<ToolAnswer> call(const Json& arguments, const ToolContext& context) const override {
    verbs::CaptureRequest request;
    verbs::View view = TRY(view_of(arguments, context, Form::Brief));
    TRY(set_target(arguments, *context.permission, request));
    TRY(set_length(arguments, context, request));
    TRY(set_input(arguments));
    request.kind = arguments.value("kind", request.kind);
    request.hz = arguments.value("hz", request.hz);
    if (arguments.contains("max_overhead_percent"))
      request.max_overhead = arguments["max_overhead_percent"].get<double>() / 100;
    const Json labels = arguments.value("labels", Json::object());
    for (const auto& [key, value] : labels.items()) {
      if (!value.is_string())
        return fail(ErrorCode::InvalidInput, "labels." + key + " is not text", "labels are texts by name");
      request.labels.emplace_back(key, value.get<std::string>());
    }
    TRY(verbs::check(request));
    if (!request.command.empty()) TRY(enter_folder(arguments, {request.command}, context));
    request.on_progress = [&](double seconds, double samples) {
      context.on_progress({seconds,
                           request.command.empty()
                               ? std::optional<double>(static_cast<double>(request.duration_ns) / kNsPerSecond)
                               : std::nullopt,
                           std::to_string(static_cast<int64_t>(samples)) + " samples"});
    };
    request.max_tokens = view.max_tokens;
    verbs::ChargedCall call = TRY(verbs::charge(context.ledger, request));
    view.max_tokens = request.max_tokens;
    verbs::CaptureAnswer answer = TRY(verbs::capture(request));
    answer.command = {};  // what still runs ends with the call
    verbs::note_cost(call, answer);
    answer.summary = TRY(verbs::summary({answer.written.id.substr(0, 12), view}));
    ToolAnswer said = TRY(answer_of(answer, call, last_words(answer, request)));
    said.made.push_back(answer.written.id);
    return said;
  }
};

}  // namespace

std::unique_ptr<Tool> create_profile_capture() { return std::make_unique<ProfileCapture>(); }

}  // namespace atys::present::mcp
