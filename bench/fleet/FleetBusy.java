// SPDX-License-Identifier: Apache-2.0
import java.io.RandomAccessFile;
import java.lang.management.ManagementFactory;
import java.util.TreeMap;

/** A busy target: rounds of work, and how much CPU time they took, in a file. */
public class FleetBusy {
    static int checkout(int seed) {
        TreeMap<String, Integer> basket = new TreeMap<>();
        for (int i = 0; i < 300; i++) basket.put("item" + (seed * 31 + i * 7919) % 1009, i);
        return basket.size();
    }

    static double price(int seed) {
        double sum = 0;
        for (int i = 1; i < 20000; i++) sum += Math.sqrt(seed + i) / i;
        return sum;
    }

    public static void main(String[] arguments) throws Exception {
        double all = 0;
        try (RandomAccessFile file = new RandomAccessFile(arguments[0], "rw")) {
            for (int rounds = 1;; rounds++) {
                all += price(rounds) + checkout(rounds);
                if (rounds % 20 != 0) continue;
                long used = ManagementFactory.getThreadMXBean().getThreadCpuTime(Thread.currentThread().getId());
                file.seek(0);
                file.writeBytes(rounds + " " + used + "\n");
                if (all < 0) return;
            }
        }
    }
}
