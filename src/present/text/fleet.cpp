// SPDX-License-Identifier: Apache-2.0
#include "present/text/fleet.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "base/utc_time.h"
#include "present/fit.h"
#include "present/text/answers.h"
#include "present/text/numbers.h"
#include "present/text/table.h"

namespace atys::present::text {

namespace {

std::string listed(const std::vector<std::string>& words, size_t most) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i == most) return text + fmt::format(" and {} more", words.size() - most);
    if (!words[i].empty()) add_to_list(text, name(words[i], 40));
  }
  return text;
}

std::string whole(uint64_t number) { return quantity(static_cast<double>(number), "count"); }

// "3 (no_room)", "5 (2 no_room, 3 refused)"
std::string dropped(const verbs::NodeRow& row) {
  std::string reasons;
  for (const auto& [reason, count] : row.dropped_by)
    add_to_list(reasons, (row.dropped_by.size() > 1 ? whole(count) + " " : "") + name(reason, 20));
  return whole(row.dropped_windows) + (reasons.empty() ? "" : " (" + reasons + ")");
}

}  // namespace

namespace {

// What there was no room for, and what to ask next.
std::string what_follows(const verbs::ServicesAnswer& answer, FollowUpText as) {
  std::string text = answer.omitted > 0 ? fmt::format("… {} more services\n", answer.omitted) : "";
  return text + footing({}, answer.next, as) + budget_lines(answer.ledger);
}

std::string whole_text(const verbs::ServicesAnswer& answer, FollowUpText as) {
  std::string problems;
  for (const std::string& problem : answer.problems) problems += "not whole: " + name(problem) + "\n";
  const std::string below = what_follows(answer, as);
  if (answer.services.empty() && answer.omitted > 0) return problems + below;
  if (answer.services.empty())
    return problems + "no profiles have arrived yet; atys task apply FILE tells agents what to profile\n" + below;
  Table table({{"service", Align::Left},
               {"kinds", Align::Left},
               {"instances"},
               {"windows"},
               {"size"},
               {"first", Align::Left},
               {"last", Align::Left},
               {"versions", Align::Left}});
  for (const verbs::ServiceRow& row : answer.services)
    table.add({name(row.service, 60), listed(row.kinds, 4), whole(row.instances), whole(row.windows),
               quantity(static_cast<double>(row.bytes), "bytes"), time_text(row.first_ns), time_text(row.last_ns),
               listed(row.versions, 3)});
  return problems + table.render() + below;
}

}  // namespace

std::string render(const verbs::ServicesAnswer& answer, FollowUpText as) {
  const auto whole = [as](const verbs::ServicesAnswer& less, size_t) { return whole_text(less, as); };
  if (!answer.tokens.cap) return whole_text(answer, as);
  const verbs::Detail detail{.next = questions_that_fit(answer.next, as, answer.tokens)};
  Fit fit = most_rows(answer, detail, answer.services.size(), whole);
  if (fit.rows > 0 || answer.services.empty()) return fit.text.text;
  return rendered(answer, {.rows = 0, .next = 0}, whole).text;
}

std::string render(const verbs::NodesAnswer& answer) {
  if (answer.nodes.empty()) return "no node has reported yet; start atys agent --controller HOST:PORT on each\n";
  Table table({{"node", Align::Left},
               {"state", Align::Left},
               {"seen", Align::Left},
               {"since", Align::Left},
               {"tasks"},
               {"instances"},
               {"memory"},
               {"spooled"},
               {"dropped"},
               {"version", Align::Left},
               {"trouble", Align::Left}});
  for (const verbs::NodeRow& row : answer.nodes) {
    uint64_t instances = 0;
    std::string trouble = one_line(row.trouble);
    for (const verbs::NodeTaskRow& task : row.tasks) {
      instances += task.instances;
      if (trouble.empty() && !task.trouble.empty()) trouble = name(task.task, 30) + ": " + name(task.trouble, 80);
    }
    table.add({name(row.node, 60),
               row.is_away         ? "away"
               : row.is_controller ? "controller"
                                   : "here",
               duration(std::max<int64_t>(answer.now_ns - row.last_ns, 0)) + " ago", time_text(row.first_ns),
               std::to_string(row.tasks.size()), whole(instances), quantity(static_cast<double>(row.memory_bytes), "bytes"),
               quantity(static_cast<double>(row.spooled_bytes), "bytes"), dropped(row), name(row.version, 20), trouble});
  }
  return table.render();
}

namespace {

std::string detail(const verbs::TaskRow& row) {
  std::string text = fmt::format("# {}, applied {}", row.phase, time_text(row.applied_ns));
  if (row.ends_ns != 0) text += ", ends " + time_text(row.ends_ns);
  if (row.is_from_above) text += ", from the controller above";
  text += fmt::format("\n# runs on {} nodes, {} instances, {} windows\n", whole(row.runs_on), whole(row.instances),
                      whole(row.windows));
  for (const std::string& trouble : row.troubles) text += "# trouble: " + one_line(trouble) + "\n";
  std::string line;
  for (const char c : row.text + (row.text.ends_with('\n') ? "" : "\n")) {
    if (c != '\n') {
      line += c;
      continue;
    }
    text += one_line(line) + "\n";
    line.clear();
  }
  return text;
}

}  // namespace

std::string render(const verbs::TasksAnswer& answer) {
  if (!answer.done.empty()) {
    std::string text;
    for (const verbs::TaskRow& row : answer.tasks) text += fmt::format("{} {}\n", answer.done, name(row.name));
    return text;
  }
  if (answer.is_detailed && !answer.tasks.empty()) return detail(answer.tasks.front());
  if (answer.tasks.empty()) return "there are no tasks; atys task apply FILE makes one\n";
  Table table({{"task", Align::Left},
               {"phase", Align::Left},
               {"service", Align::Left},
               {"nodes"},
               {"instances"},
               {"windows"},
               {"applied", Align::Left},
               {"trouble", Align::Left}});
  for (const verbs::TaskRow& row : answer.tasks)
    table.add({name(row.name, 60), row.phase, name(row.service, 60), whole(row.runs_on), whole(row.instances),
               whole(row.windows), time_text(row.applied_ns), row.troubles.empty() ? "" : name(row.troubles.front(), 80)});
  return table.render();
}

}  // namespace atys::present::text
