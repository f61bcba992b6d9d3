// SPDX-License-Identifier: Apache-2.0
#include "present/text/up_watch.h"

#include <fmt/format.h>

#include "present/json/answers.h"
#include "present/text/answers.h"
#include "present/text/numbers.h"

namespace atys::present::text {

namespace {

constexpr uint64_t kQuietNs = 60'000'000'000;  // then a line says that it still goes on

// The first `columns` characters of a line; a character of several bytes counts once.
std::string_view cut(std::string_view line, size_t columns) {
  size_t at = 0;
  for (size_t used = 0; at < line.size(); ++at) {
    if ((static_cast<unsigned char>(line[at]) & 0xc0) == 0x80) continue;
    if (used++ == columns) break;
  }
  return line.substr(0, at);
}

// What has to change for a table to be worth printing again: who is there, whether it is busy, and what costs it the most.
std::string gist_of(const verbs::UpAnswer& answer) {
  std::map<std::string, std::string> services;
  for (const verbs::UpService& service : answer.services) {
    const bool has_rows = service.top && reduce::count_rows(service.top->rows) > 0;
    services[service.service] = !has_rows ? service.trouble
                                : service.cores >= answer.least_cores
                                    ? "busy " + reduce::first_row(service.top->rows)->entity.name
                                    : "idle";
  }
  std::string gist;
  for (const auto& [name, state] : services) gist += name + '\0' + state + '\0';
  return gist;
}

std::string one_line_of(const verbs::UpAnswer& answer) {
  double cores = 0;
  for (const verbs::UpService& service : answer.services) cores += service.cores;
  return fmt::format("as before: {} service{} on {:.2f} cores; atys itself: {} of a core\n", answer.services.size(),
                     answer.services.size() == 1 ? "" : "s", cores, percent(100 * answer.agent_cpu_share));
}

}  // namespace

std::string UpWatch::next(const verbs::UpAnswer& answer, const WatchedScreen& screen, uint64_t now_ns,
                          const std::string& time) {
  if (as_json_) return json::render(answer) + "\n";
  if (screen.rows > 0) return draw(time + "  " + render(answer), screen);
  std::string gist = gist_of(answer);
  const bool is_first = told_ns_ == 0;
  const bool is_new = is_first || gist != told_;
  if (!is_new && now_ns - told_ns_ < kQuietNs) return {};
  told_ = std::move(gist);
  told_ns_ = now_ns;
  if (!is_new) return time + "  " + one_line_of(answer);
  return (is_first ? "" : "\n") + time + "  " + render(answer);
}

// Over what was drawn before, and no more than the terminal holds: what had scrolled away could not be drawn over.
std::string UpWatch::draw(const std::string& text, const WatchedScreen& screen) {
  std::vector<std::string_view> lines;
  for (std::string_view rest = text; !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    lines.push_back(cut(rest.substr(0, end), screen.columns));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  const size_t most = std::max<size_t>(screen.rows, 3) - 1;  // the cursor has a line of its own
  std::string note;
  if (lines.size() > most) {
    note = fmt::format("… {} more lines: the page has it all", lines.size() - most + 1);
    lines.resize(most - 1);
    lines.push_back(cut(note, screen.columns));
  }
  std::string out = drawn_lines_ > 0 ? fmt::format("\033[{}A\r\033[J", std::min(drawn_lines_, most)) : std::string();
  for (const std::string_view line : lines) out.append(line).append("\n");
  drawn_lines_ = lines.size();
  return out;
}

}  // namespace atys::present::text
