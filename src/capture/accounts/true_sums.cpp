// SPDX-License-Identifier: Apache-2.0
#include "capture/accounts/true_sums.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace atys::capture {

namespace {

// Fewer say too little of one alone. Long waits are seen for certain.
constexpr uint64_t kFewSamples = 50;
constexpr uint64_t kFewWaits = 8;

struct Sum {
  uint64_t samples = 0;
  double weight = 0;
};

double ratio(double counted, double sampled) { return sampled > 0 ? counted / sampled : 1; }

// Of processes, or of threads.
template <typename Key>
class Factors {
 public:
  explicit Factors(uint64_t few) : few_(few) {}

  void add(const Key& key, const SampledTime& row) {
    for (Sum* sum : {&sums_[key], &all_}) {
      sum->samples += row.samples;
      sum->weight += static_cast<double>(row.weight);
    }
  }

  // Those without a sample are counted with those that have few: what these say stands for them too.
  void find(const std::map<Key, uint64_t>& counted) {
    double few_counted = 0;
    double few_sampled = 0;
    for (const auto& [key, ns] : counted) {
      const auto sum = sums_.find(key);
      if (sum != sums_.end() && sum->second.samples >= few_) {
        factors_[key] = ratio(static_cast<double>(ns), sum->second.weight);
        continue;
      }
      few_counted += static_cast<double>(ns);
      few_sampled += sum == sums_.end() ? 0 : sum->second.weight;
    }
    for (const auto& [key, ns] : counted) factors_.try_emplace(key, ratio(few_counted, few_sampled));
  }
  // However far the samples are from it: the kernel guesses periods.
  void find_exactly(uint64_t counted_in_all) { others_ = ratio(static_cast<double>(counted_in_all), all_.weight); }
  // More samples than chance explains are of processes that nobody has waited for, which that count lacks.
  void find(uint64_t counted_in_all, bool is_weight_exact) {
    if (is_weight_exact) {
      others_ = std::max(1.0, ratio(static_cast<double>(counted_in_all), all_.weight));
      return;
    }
    const double chance = 4 * std::sqrt(1 / static_cast<double>(std::max<uint64_t>(1, all_.samples)));
    if (all_.weight <= static_cast<double>(counted_in_all) * (1.02 + chance))
      others_ = ratio(static_cast<double>(counted_in_all), all_.weight);
  }

  double of(const Key& key) const {
    const auto found = factors_.find(key);
    return found == factors_.end() ? others_ : found->second;
  }

 private:
  uint64_t few_;
  std::map<Key, Sum> sums_;
  Sum all_;
  std::map<Key, double> factors_;
  double others_ = 1;
};

using Thread = std::pair<pid_t, pid_t>;

// What a thread cannot have had.
void bound_threads(std::span<const SampledTime> sampled, uint64_t lasted_ns, std::vector<double>& factors) {
  std::map<Thread, double> sums;
  const auto is_time = [](const SampledTime& row) { return row.what == SampledWhat::Cpu || row.what == SampledWhat::Wait; };
  for (size_t i = 0; i < sampled.size(); ++i)
    if (is_time(sampled[i])) sums[{sampled[i].pid, sampled[i].tid}] += static_cast<double>(sampled[i].weight) * factors[i];
  for (size_t i = 0; i < sampled.size(); ++i) {
    if (!is_time(sampled[i])) continue;
    const double sum = sums[{sampled[i].pid, sampled[i].tid}];
    if (sum > static_cast<double>(lasted_ns)) factors[i] *= static_cast<double>(lasted_ns) / sum;
  }
}

}  // namespace

void complete(const std::set<pid_t>& still_run, CountedTime& counted) {
  constexpr uint64_t kTickNs = 10'000'000;
  uint64_t ended_ns = 0;
  uint64_t ended = 0;
  for (const auto& [pid, ns] : counted.cpu_ns) {
    if (still_run.contains(pid)) continue;
    ended_ns += ns;
    ++ended;
  }
  if (!counted.all_cpu_ns || ended_ns == 0 || *counted.all_cpu_ns < ended_ns) return;
  if (*counted.all_cpu_ns - ended_ns > ended * kTickNs) return;
  const double factor = static_cast<double>(*counted.all_cpu_ns) / static_cast<double>(ended_ns);
  for (auto& [pid, ns] : counted.cpu_ns)
    if (!still_run.contains(pid)) ns = static_cast<uint64_t>(static_cast<double>(ns) * factor);
}

std::vector<double> true_factors(std::span<const SampledTime> sampled, const CountedTime& counted) {
  Factors<pid_t> cpu(kFewSamples);
  Factors<Thread> waits(kFewWaits);
  Factors<int> events(kFewSamples);
  for (const SampledTime& row : sampled) switch (row.what) {
      case SampledWhat::Cpu: cpu.add(row.pid, row); break;
      case SampledWhat::Event: events.add(0, row); break;
      case SampledWhat::Wait: waits.add({row.pid, row.tid}, row); break;
      case SampledWhat::Waker: break;
    }
  if (!counted.cpu_ns.empty())
    cpu.find(counted.cpu_ns);
  else if (counted.all_cpu_ns)
    cpu.find(*counted.all_cpu_ns, counted.is_weight_exact);
  waits.find(counted.waited_ns);
  if (counted.events) events.find_exactly(*counted.events);
  std::vector<double> factors(sampled.size(), 1);
  for (size_t i = 0; i < sampled.size(); ++i) switch (sampled[i].what) {
      case SampledWhat::Cpu: factors[i] = cpu.of(sampled[i].pid); break;
      case SampledWhat::Event: factors[i] = events.of(0); break;
      case SampledWhat::Wait: factors[i] = waits.of({sampled[i].pid, sampled[i].tid}); break;
      case SampledWhat::Waker: break;  // as long as the waits that it ended, each of which may be another's
    }
  if (counted.lasted_ns > 0) bound_threads(sampled, counted.lasted_ns, factors);
  return factors;
}

}  // namespace atys::capture
