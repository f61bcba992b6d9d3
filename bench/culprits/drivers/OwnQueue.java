// SPDX-License-Identifier: Apache-2.0
// A search takes the next place from the front of an array list, and asks a list which places it knows.
import java.util.*;

public class OwnQueue {
    static boolean fixed;

    static boolean isKnown(Collection<Integer> known, int place) {
        return known.contains(place);
    }

    static int search(int size) {
        Collection<Integer> known = fixed ? new HashSet<>() : new ArrayList<>();
        Deque<Integer> open = new ArrayDeque<>(List.of(0));
        known.add(0);
        while (!open.isEmpty()) {
            int place = open.pop();
            for (int next : new int[] {place * 3 % size, (place + 7) % size, place / 2})
                if (!isKnown(known, next)) {
                    known.add(next);
                    open.add(next);
                }
        }
        return known.size();
    }

    static int words(int count) {
        Map<String, Integer> counts = new TreeMap<>();
        for (int i = 0; i < count; i++)
            counts.merge("word " + i * 31 % 9973, 1, Integer::sum);
        return counts.size();
    }

    public static void main(String[] arguments) {
        fixed = arguments.length > 0 && arguments[0].equals("fixed");
        System.out.println(words(1_000_000) + " " + search(22_000));
    }
}
