// SPDX-License-Identifier: Apache-2.0

// Truth: the 60/30/10 split of split.c in Java, by two threads: six of ten pieces of work are of Split.sixty, three of
// Split.thirty, one of Split.ten. The loops are the same, so their iterations are the truth. Written for Java 8 and later.
//
//   java Split.java SECONDS [cpu|alloc|lock]
//
// alloc: three of four bytes are allocated by Split.allocateMuch, the rest by Split.allocateLittle.
// lock: both threads want one monitor and hold it in Split.holdLock, so each waits for it in Split.wantLock.
// SIGTERM is a wish to come to the end. WORKLOAD_READY names a file that appears when the loops have been compiled.
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.LinkedHashMap;
import java.util.Map;

public final class Split {
    static final Object MONITOR = new Object();
    static volatile boolean isOver;
    static volatile long kept;
    static volatile Object keptObject;

    // Methods of more than 325 bytes stay by themselves: in code that was compiled before anybody looked, the machine does not know
    // exactly which of the inlined methods an instruction is of (unless it was started with -XX:+DebugNonSafepoints).
    static long sixty(long n) {
        long x = 60;
        for (long i = 0; i < n; i += 16) {
            x ^= x << 13; x ^= x >>> 7; x ^= x << 17;
            x ^= x << 13; x ^= x >>> 7; x ^= x << 17;
            x ^= x << 13; x ^= x >>> 7; x ^= x << 17;
            x ^= x << 13; x ^= x >>> 7; x ^= x << 17;
            x ^= x << 13; x ^= x >>> 7; x ^= x << 17;
            x ^= x << 13; x ^= x >>> 7; x ^= x << 17;
            x ^= x << 13; x ^= x >>> 7; x ^= x << 17;
            x ^= x << 13; x ^= x >>> 7; x ^= x << 17;
            x ^= x << 13; x ^= x >>> 7; x ^= x << 17;
            x ^= x << 13; x ^= x >>> 7; x ^= x << 17;
            x ^= x << 13; x ^= x >>> 7; x ^= x << 17;
            x ^= x << 13; x ^= x >>> 7; x ^= x << 17;
            x ^= x << 13; x ^= x >>> 7; x ^= x << 17;
            x ^= x << 13; x ^= x >>> 7; x ^= x << 17;
            x ^= x << 13; x ^= x >>> 7; x ^= x << 17;
            x ^= x << 13; x ^= x >>> 7; x ^= x << 17;
        }
        return x;
    }

    static long thirty(long n) {
        long x = 30;
        for (long i = 0; i < n; i += 16) {
            x ^= x << 13; x ^= x >>> 7; x ^= x << 17;
            x ^= x << 13; x ^= x >>> 7; x ^= x << 17;
            x ^= x << 13; x ^= x >>> 7; x ^= x << 17;
            x ^= x << 13; x ^= x >>> 7; x ^= x << 17;
            x ^= x << 13; x ^= x >>> 7; x ^= x << 17;
            x ^= x << 13; x ^= x >>> 7; x ^= x << 17;
            x ^= x << 13; x ^= x >>> 7; x ^= x << 17;
            x ^= x << 13; x ^= x >>> 7; x ^= x << 17;
            x ^= x << 13; x ^= x >>> 7; x ^= x << 17;
            x ^= x << 13; x ^= x >>> 7; x ^= x << 17;
            x ^= x << 13; x ^= x >>> 7; x ^= x << 17;
            x ^= x << 13; x ^= x >>> 7; x ^= x << 17;
            x ^= x << 13; x ^= x >>> 7; x ^= x << 17;
            x ^= x << 13; x ^= x >>> 7; x ^= x << 17;
            x ^= x << 13; x ^= x >>> 7; x ^= x << 17;
            x ^= x << 13; x ^= x >>> 7; x ^= x << 17;
        }
        return x;
    }

    static long ten(long n) {
        long x = 10;
        for (long i = 0; i < n; i += 16) {
            x ^= x << 13; x ^= x >>> 7; x ^= x << 17;
            x ^= x << 13; x ^= x >>> 7; x ^= x << 17;
            x ^= x << 13; x ^= x >>> 7; x ^= x << 17;
            x ^= x << 13; x ^= x >>> 7; x ^= x << 17;
            x ^= x << 13; x ^= x >>> 7; x ^= x << 17;
            x ^= x << 13; x ^= x >>> 7; x ^= x << 17;
            x ^= x << 13; x ^= x >>> 7; x ^= x << 17;
            x ^= x << 13; x ^= x >>> 7; x ^= x << 17;
            x ^= x << 13; x ^= x >>> 7; x ^= x << 17;
            x ^= x << 13; x ^= x >>> 7; x ^= x << 17;
            x ^= x << 13; x ^= x >>> 7; x ^= x << 17;
            x ^= x << 13; x ^= x >>> 7; x ^= x << 17;
            x ^= x << 13; x ^= x >>> 7; x ^= x << 17;
            x ^= x << 13; x ^= x >>> 7; x ^= x << 17;
            x ^= x << 13; x ^= x >>> 7; x ^= x << 17;
            x ^= x << 13; x ^= x >>> 7; x ^= x << 17;
        }
        return x;
    }

    static long allocateMuch() {
        keptObject = new byte[3 << 10];
        return 3 << 10;
    }

    static long allocateLittle() {
        keptObject = new byte[1 << 10];
        return 1 << 10;
    }

    static long holdLock(long n) {
        return sixty(n);
    }

    static void wantLock(long n) {
        synchronized (MONITOR) {
            kept += holdLock(n);
        }
    }

    static final class Worker implements Runnable {
        final Map<String, Long> units = new LinkedHashMap<>();
        final String mode;
        long dice;
        long pieces;

        Worker(String mode, long seed) {
            this.mode = mode;
            this.dice = seed;
        }

        long roll(long below) {
            dice = dice * 6364136223846793005L + 1442695040888963407L;
            return (dice >>> 33) % below;
        }

        void add(String name, long amount) {
            units.merge("Split." + name, amount, Long::sum);
            pieces++;
        }

        void work() {
            long which = roll(10);
            long n = 10000 + roll(20000);
            if (which < 6) {
                kept += sixty(n);
                add("sixty", n);
            } else if (which < 9) {
                kept += thirty(n);
                add("thirty", n);
            } else {
                kept += ten(n);
                add("ten", n);
            }
        }

        void step() {
            if (mode.equals("alloc")) {
                add("allocateMuch", allocateMuch());
                add("allocateLittle", allocateLittle());
            } else if (mode.equals("lock")) {
                wantLock(200000);
                add("wantLock", 1);
            } else {
                work();
            }
        }

        @Override
        public void run() {
            while (!isOver) {
                step();
            }
        }
    }

    static void write(OutputStream to, String text) throws IOException {
        to.write(text.getBytes("UTF-8"));
        to.flush();
    }

    static void writeTruth(Worker[] workers) throws IOException {
        Map<String, Long> sums = new LinkedHashMap<>();
        long pieces = 0;
        for (Worker worker : workers) {
            pieces += worker.pieces;
            worker.units.forEach((name, amount) -> sums.merge(name, amount, Long::sum));
        }
        StringBuilder text = new StringBuilder("{\"work\": " + pieces + ", \"units\": {");
        String separator = "";
        for (Map.Entry<String, Long> one : sums.entrySet()) {
            text.append(separator).append('"').append(one.getKey()).append("\": ").append(one.getValue());
            separator = ", ";
        }
        String path = System.getenv("WORKLOAD_TRUTH");
        try (OutputStream file = path == null ? System.out : new FileOutputStream(path)) {
            write(file, text + "}}\n");
        }
    }

    static Thread[] start(Worker[] workers) {
        Thread[] threads = new Thread[workers.length];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(workers[i], "split-worker-" + i);
            threads[i].start();
        }
        return threads;
    }

    public static void main(String[] arguments) throws Exception {
        double seconds = arguments.length > 0 ? Double.parseDouble(arguments[0]) : 2;
        String mode = arguments.length > 1 ? arguments[1] : "cpu";
        Worker warm = new Worker(mode.equals("lock") ? "cpu" : mode, 7);
        long warmUntil = System.nanoTime() + 300_000_000L;
        while (System.nanoTime() < warmUntil) {
            warm.step();
        }
        Worker[] workers = {new Worker(mode, 1), new Worker(mode, 2)};
        Thread[] threads = start(workers);
        Thread here = Thread.currentThread();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            here.interrupt();
            try {
                here.join();
            } catch (InterruptedException ignored) {
                return;
            }
        }));
        String ready = System.getenv("WORKLOAD_READY");
        if (ready != null) {
            new FileOutputStream(ready).close();
        }
        try {
            Thread.sleep((long) (seconds * 1000));
        } catch (InterruptedException ignored) {
            seconds = 0;
        }
        isOver = true;
        for (Thread thread : threads) {
            thread.join();
        }
        writeTruth(workers);
    }
}
