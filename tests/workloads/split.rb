# SPDX-License-Identifier: Apache-2.0
# Truth: one thread; six of ten pieces of work are of sixty, three of thirty, one of ten, measured by the thread's own clock of CPU time.
#
#   split.rb SECONDS     (SIGTERM ends it early)
require "json"

def sixty(turns)
  x = 60
  i = 0
  while i < turns # hot sixty
    x = (x * 1103515245 + i) & 0x7FFFFFFF # hot sixty
    i += 1 # hot sixty
  end
  x
end

def thirty(turns)
  x = 30
  i = 0
  while i < turns # hot thirty
    x = (x * 1103515245 + i) & 0x7FFFFFFF # hot thirty
    i += 1 # hot thirty
  end
  x
end

def ten(turns)
  x = 10
  i = 0
  while i < turns # hot ten
    x = (x * 1103515245 + i) & 0x7FFFFFFF # hot ten
    i += 1 # hot ten
  end
  x
end

def clock(which)
  Process.clock_gettime(which, :nanosecond)
end

def call(name, turns)
  case name
  when :sixty then sixty(turns)
  when :thirty then thirty(turns)
  else ten(turns)
  end
end

def run(ns, until_, dice, told)
  work = 0
  while Process.clock_gettime(Process::CLOCK_MONOTONIC) < until_ && !told[0]
    ([:sixty] * 6 + [:thirty] * 3 + [:ten]).shuffle(random: dice).each do |name|
      turns = 2000 + dice.rand(4000)
      begin_ = clock(Process::CLOCK_THREAD_CPUTIME_ID)
      call(name, turns)
      ns[name] += clock(Process::CLOCK_THREAD_CPUTIME_ID) - begin_
      work += 1
    end
  end
  work
end

def main
  told = [false]
  Signal.trap("TERM") { told[0] = true }
  ns = { sixty: 0, thirty: 0, ten: 0 }
  begin_ = clock(Process::CLOCK_PROCESS_CPUTIME_ID)
  work = run(ns, Process.clock_gettime(Process::CLOCK_MONOTONIC) + (ARGV[0] || "2").to_f, Random.new(42), told)
  truth = JSON.generate("total_ns" => clock(Process::CLOCK_PROCESS_CPUTIME_ID) - begin_, "work" => work, "ns" => ns)
  ENV["WORKLOAD_TRUTH"] ? File.write(ENV["WORKLOAD_TRUTH"], truth) : puts(truth)
end

main
