<?php
// SPDX-License-Identifier: Apache-2.0
// Truth: six of ten pieces of work are of sixty(), three of thirty(), one of Worker::ten(), measured by the CPU time of the process, which
// has one thread.
//
//   split.php SECONDS     (SIGTERM ends it early where the extension pcntl is there)

function sixty(int $turns): int
{
    $x = 60;
    for ($i = 0; $i < $turns; $i++) { // hot sixty
        $x = ($x * 1103515245 + $i) & 0x7FFFFFFF; // hot sixty
    }
    return $x;
}

function thirty(int $turns): int
{
    $x = 30;
    for ($i = 0; $i < $turns; $i++) { // hot thirty
        $x = ($x * 1103515245 + $i) & 0x7FFFFFFF; // hot thirty
    }
    return $x;
}

class Worker
{
    public function ten(int $turns): int
    {
        $x = 10;
        for ($i = 0; $i < $turns; $i++) { // hot ten
            $x = ($x * 1103515245 + $i) & 0x7FFFFFFF; // hot ten
        }
        return $x;
    }
}

function cpu_ns(): int
{
    $used = getrusage();
    return ($used['ru_utime.tv_sec'] + $used['ru_stime.tv_sec']) * 1000000000
        + ($used['ru_utime.tv_usec'] + $used['ru_stime.tv_usec']) * 1000;
}

function piece(string $name, int $turns, Worker $worker): void
{
    if ($name === 'sixty') {
        sixty($turns);
    } elseif ($name === 'thirty') {
        thirty($turns);
    } else {
        $worker->ten($turns);
    }
}

function run(float $until, array &$ns, bool &$told): int
{
    $work = 0;
    $worker = new Worker();
    while (microtime(true) < $until && !$told) {
        $names = array_merge(array_fill(0, 6, 'sixty'), array_fill(0, 3, 'thirty'), ['ten']);
        shuffle($names);
        foreach ($names as $name) {
            $turns = 20000 + mt_rand(0, 40000);
            $begin = cpu_ns();
            piece($name, $turns, $worker);
            $ns[$name] += cpu_ns() - $begin;
            $work++;
        }
    }
    return $work;
}

function main(array $argv): void
{
    $told = false;
    if (function_exists('pcntl_async_signals')) {
        pcntl_async_signals(true);
        pcntl_signal(SIGTERM, function () use (&$told) { $told = true; });
    }
    mt_srand(42);
    $ns = ['sixty' => 0, 'thirty' => 0, 'ten' => 0];
    $begin = cpu_ns();
    $work = run(microtime(true) + (float)($argv[1] ?? 2), $ns, $told);
    $truth = json_encode(['total_ns' => cpu_ns() - $begin, 'work' => $work, 'ns' => $ns]);
    $path = getenv('WORKLOAD_TRUTH');
    file_put_contents($path !== false ? $path : 'php://stdout', $truth . "\n");
}

main($argv);
