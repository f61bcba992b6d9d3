// SPDX-License-Identifier: Apache-2.0

// Truth: what the Java machine itself accounts for its threads, again and again while it runs, so that whoever recorded any
// stretch of time can look it up. Two threads do the same work in different amounts. Written for Java 8 and later.
//
//   java Accounts SECONDS cpu|alloc|lock
//
// Each line of the file that WORKLOAD_TRUTH names: the time (milliseconds since 1970), then for each thread
// NAME:CPU_NS:ALLOCATED_BYTES:BLOCKED_MS. WORKLOAD_READY names a file that appears when there are lines.
// alloc: both allocate, one of them three times as much. lock: both want one monitor, which is held for two milliseconds.
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;

public final class Accounts {
    static final Object MONITOR = new Object();
    static volatile boolean isOver;
    static volatile long kept;
    static volatile Object keptObject;

    static long compute(long n) {
        long x = 60;
        for (long i = 0; i < n; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return x;
    }

    static void allocate(int bytes) {
        keptObject = new byte[bytes];
        kept += compute(2000);
    }

    // Short waits, for one that is under way when a recording begins or ends is in no recording.
    static void wantLock() throws InterruptedException {
        synchronized (MONITOR) {
            Thread.sleep(2);
        }
        Thread.sleep(1);
    }

    static void work(String mode, int times) {
        try {
            while (!isOver) {
                if (mode.equals("alloc")) {
                    allocate(times << 10);
                } else if (mode.equals("lock")) {
                    wantLock();
                } else {
                    kept += compute(10000L * times);
                }
            }
        } catch (InterruptedException ended) {
            isOver = true;
        }
    }

    static Thread start(String mode, int times) {
        Thread thread = new Thread(() -> work(mode, times), "worker-" + times);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    static String account(com.sun.management.ThreadMXBean bean, Thread thread) {
        return thread.getName() + ":" + bean.getThreadCpuTime(thread.getId()) + ":" + bean.getThreadAllocatedBytes(thread.getId()) + ":"
            + bean.getThreadInfo(thread.getId()).getBlockedTime();
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        long end = System.currentTimeMillis() + (long) (1000 * Double.parseDouble(arguments[0]));
        com.sun.management.ThreadMXBean bean = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        bean.setThreadContentionMonitoringEnabled(true);
        Thread[] threads = {start(arguments[1], 1), start(arguments[1], 3)};
        try (PrintWriter file = new PrintWriter(System.getenv("WORKLOAD_TRUTH"), "UTF-8")) {
            while (System.currentTimeMillis() < end) {
                StringBuilder line = new StringBuilder();
                line.append(System.currentTimeMillis());
                for (Thread thread : threads) {
                    line.append(' ').append(account(bean, thread));
                }
                file.println(line);
                file.flush();
                new java.io.FileOutputStream(System.getenv("WORKLOAD_READY")).close();
                Thread.sleep(10);
            }
        }
        isOver = true;
    }
}
