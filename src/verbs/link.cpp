// SPDX-License-Identifier: Apache-2.0
#include "verbs/link.h"

#include <algorithm>
#include <cctype>

#include "base/hex.h"
#include "base/strings.h"
#include "reduce/label_text.h"
#include "verbs/view/follow_up.h"
#include "verbs/view/what_there_is.h"

namespace atys::verbs {

using reduce::Form;

namespace {

constexpr std::string_view kTrace = "trace_id";
constexpr std::string_view kSpan = "span_id";
constexpr size_t kTraceDigits = 32;
constexpr size_t kSpanDigits = 16;

Result<std::string> checked_id(const std::string& id, std::string_view what, size_t digits) {
  std::string lower;
  for (const char c : id) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (lower.size() == digits && is_lower_hex(lower)) return lower;
  return fail(ErrorCode::InvalidInput, "bad " + std::string(what) + " id '" + id + "'",
              "write its " + std::to_string(digits) + " hexadecimal digits");
}

bool has_label(const Profile& profile, std::string_view key) {
  for (size_t i = 0; i < profile.labels.size(); ++i)
    if (profile.text(profile.labels[static_cast<profile::LabelId>(i)].key) == key) return true;
  return false;
}

struct Asked {
  reduce::FilterOptions filter;
  std::string text;
  std::string by;  // what tells groups apart, where the user does not say
};

Result<Asked> understand(const LinkRequest& request) {
  Asked asked{.filter = request.view.filter};
  const auto add = [&](const std::string& text) { add_to_list(asked.text, text); };
  for (const reduce::LabelCondition& label : asked.filter.labels) add(label.key + "=" + label.pattern);
  asked.by = kSpan;
  if (!request.trace.empty()) {
    const std::string id = TRY(checked_id(request.trace, "trace", kTraceDigits));
    asked.filter.labels.push_back({std::string(kTrace), id});
    add(std::string(kTrace) + "=" + id);
  }
  if (!request.span.empty()) {
    const std::string id = TRY(checked_id(request.span, "span", kSpanDigits));
    asked.filter.labels.push_back({std::string(kSpan), id});
    add(std::string(kSpan) + "=" + id);
    asked.by = kTrace;
  }
  if (!request.behind.empty()) {
    asked.filter.focus = request.behind;
    add("behind " + request.behind);
  }
  if (asked.filter.from_ns || asked.filter.to_ns) add("in that time");
  if (asked.filter.keeps_all())
    return fail(ErrorCode::InvalidInput, "nothing to link",
                "say --trace ID, --span ID, --label KEY=PATTERN, --from TIME --until TIME, or --behind FUNCTION");
  return asked;
}

// A key that no sample has cannot be asked about.
Result<> check_keys(const Profile& profile, const Asked& asked) {
  for (const reduce::LabelCondition& label : asked.filter.labels)
    if (!has_label(profile, label.key))
      return fail(ErrorCode::NotFound,
                  "no sample carries the label " + as_data(label.key) + "; there are: " + listed_data(label_keys(profile)),
                  "the program has to publish it (docs/guide/link.md), and tier ebpf reads it: atys capture --tier ebpf");
  return {};
}

// The first that samples have of: what the user wants, what fits the question, other names of requests, the thread.
std::string group_key(const Profile& profile, const LinkRequest& request, const Asked& asked) {
  if (!request.by.empty()) return request.by;
  for (const std::string_view key : {std::string_view(asked.by), kSpan, kTrace, std::string_view("http.route")})
    if (has_label(profile, key)) return "label:" + std::string(key);
  return "thread";
}

std::vector<FollowUp> follow_ups(const LinkAnswer& answer, const LinkRequest& request) {
  std::vector<FollowUp> next;
  if (answer.reference == "-") return next;
  const auto& groups = reduce::table_of(answer.groups.rows);
  const auto named = std::find_if(groups.begin(), groups.end(), [](const auto& row) { return row.entity.name != "(none)"; });
  const bool tells_more = groups.size() > 1 || !request.behind.empty();
  if (named != groups.end() && answer.groups.by.starts_with("label:") && tells_more) {
    FollowUp& one = next.emplace_back(FollowUp{Question::Link, {answer.reference}});
    one.view.filter.labels = {{answer.groups.by.substr(6), escape_for_pattern(named->entity.name)}};
  }
  if (const reduce::CostRow* first = reduce::first_row(answer.spent.rows); first != nullptr && request.behind.empty())
    next.push_back({Question::Link, {answer.reference}, {}, {}, "^" + escape_for_pattern(first->entity.name) + "$"});
  return next;
}

}  // namespace

Result<> check(const LinkRequest& request) {
  TRY(understand(request));
  return {};
}

Result<LinkAnswer> link(const LinkRequest& request) {
  const Asked asked = TRY(understand(request));
  View whole = request.view;
  whole.filter = {};
  ViewedProfile viewed = TRY(open_view(request.profile, whole));
  const Profile& profile = viewed.loaded.profile;
  TRY(check_keys(profile, asked));
  LinkAnswer answer{.reference = request.profile, .profile = describe(viewed.loaded, viewed.column), .asked = asked.text};
  View view = request.view;
  View by_group = view;
  by_group.form = Form::Table;
  by_group.by = group_key(profile, request, asked);
  TRY(check_dimension(profile, TRY(reduce::parse_dimension(by_group.by))));
  if (view.form == Form::Table) TRY(check_dimension(profile, TRY(reduce::parse_dimension(view.by))));
  viewed.loaded.profile = TRY(filter_or_fail(std::move(viewed.loaded.profile), asked.filter));
  answer.spent = TRY(summarize(viewed, request.profile, view));
  answer.groups = TRY(summarize(viewed, request.profile, by_group));
  answer.value = answer.spent.profile.total;
  answer.samples = answer.spent.profile.samples;
  answer.percent = answer.profile.total > 0 ? 100 * answer.value / answer.profile.total : 0;
  answer.tokens = TRY(bounds_of(request.view));
  answer.next = follow_ups(answer, request);
  return answer;
}

}  // namespace atys::verbs
