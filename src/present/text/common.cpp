// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "present/text/answers.h"
#include "present/text/numbers.h"
#include "profile/loss.h"

namespace atys::present::text {

namespace {

// "4,812 samples"; those of very different weight are worth fewer, and intervals rest on that.
std::string samples_text(const verbs::ProfileInfo& profile) {
  static constexpr double kMuchFewer = 0.8;
  if (!profile.is_count_known) return "how many samples is not known";
  std::string text = quantity(profile.samples, "count") + " samples";
  if (profile.effective_samples < kMuchFewer * profile.samples)
    text += " (worth " + quantity(profile.effective_samples, "count") + " of equal weight)";
  return text;
}

std::string reason_text(const std::string& reason) { return profile::is_known_reason(reason) ? reason : name(reason); }

// What was lost is not in the profile; what was cut is, shortened.
std::string loss_lines(const verbs::ProfileInfo& profile) {
  std::string text;
  for (const bool is_in : {false, true})
    for (const verbs::LossInfo& loss : profile.loss)
      if (loss.is_in_samples == is_in)
        text += fmt::format("{}: {} ({})\n", is_in ? "not whole" : "lost",
                            quantity(static_cast<double>(loss.count), "count"), reason_text(loss.reason));
  return text;
}

}  // namespace

static std::string first_line(const verbs::ProfileInfo& profile, size_t others) {
  const bool counts_samples = profile.kind == "samples" && profile.total == profile.samples;
  const std::string samples = samples_text(profile);
  std::string text = name(profile.name) + (others > 0 ? fmt::format(" and {} more", others) : "") + ": " +
                     (counts_samples ? samples : name(profile.kind) + " " + quantity(profile.total, profile.unit));
  if (profile.duration_ns > 0) text += " in " + duration(profile.duration_ns);
  if (!counts_samples) text += ", " + samples;
  if (!profile.targets.empty()) text += " of " + name(profile.targets.front());
  if (profile.targets.size() > 1) text += fmt::format(" and {} more", profile.targets.size() - 1);
  return text;
}

std::string heading(const verbs::ProfileInfo& profile, size_t others) {
  return first_line(profile, others) + "\n" + loss_lines(profile);
}

std::string heading(const verbs::SummaryAnswer& answer) {
  static constexpr size_t kRoomForWords = 200;  // where there is less, the first row says it
  const bool has_room = !answer.tokens.cap || *answer.tokens.cap >= kRoomForWords;
  std::string text = first_line(answer.profile, 0);
  if (answer.costliest && has_room)
    text += fmt::format("; most in {}, {:.3g}%", name(answer.costliest->entity.name, 60), answer.costliest->percent);
  return text + "\n" + loss_lines(answer.profile);
}

namespace {

std::string groups_of(const verbs::Omitted& omitted) {
  std::string text;
  for (const verbs::OmittedGroup& group : omitted.groups)
    text += fmt::format("{} {:.1f}% in {}", text.empty() ? ":" : ",", group.percent, name(group.name, 60));
  return text;
}

}  // namespace

std::string footing(const verbs::Omitted& omitted) {
  if (omitted.rows == 0) return "";
  return fmt::format("… {} more rows, {} in all{}\n", quantity(static_cast<double>(omitted.rows), "count"),
                     percent(omitted.percent), groups_of(omitted));
}

std::string footing(const verbs::Omitted& omitted, const std::vector<verbs::FollowUp>& next, FollowUpText as) {
  std::string text = footing(omitted);
  if (!next.empty()) text += "next:\n";
  for (const verbs::FollowUp& question : next) text += "  " + as(question) + "\n";
  return text;
}

std::string place(const reduce::Entity& entity) {
  if (entity.file.empty() || entity.file == entity.name) {
    const std::string line = entity.line > 0 ? "line " + std::to_string(entity.line) : "";
    if (entity.module.empty()) return line;
    return name(entity.module, 60) + (line.empty() ? "" : " " + line);
  }
  return name(entity.file, 60) + (entity.line > 0 ? ":" + std::to_string(entity.line) : "");
}

}  // namespace atys::present::text
