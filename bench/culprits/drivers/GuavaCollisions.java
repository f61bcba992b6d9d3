// SPDX-License-Identifier: Apache-2.0
// Collections of guava are built and asked; the keys of one map all have the same hash.
import com.google.common.base.*;
import com.google.common.collect.*;
import com.google.common.hash.Hashing;
import java.util.*;

public class GuavaCollisions {
    static long ordinary(int turns) {
        long sum = 0;
        for (int turn = 0; turn < turns; turn++) {
            List<String> words = Splitter.on(' ').splitToList(Strings.repeat("some words of a text ", 200));
            Multiset<String> counts = HashMultiset.create(words);
            Multimap<Integer, String> lengths = Multimaps.index(words, String::length);
            sum += counts.size() + lengths.size() + Joiner.on(',').join(words).length() + Lists.partition(words, 7).size()
                + Hashing.murmur3_128().hashUnencodedChars(words.toString()).asInt() % 7 + ImmutableSortedSet.copyOf(words).size()
                + Sets.powerSet(ImmutableSet.of(1, 2, 3, 4)).size() + CharMatcher.inRange('a', 'f').countIn(words.toString())
                + ImmutableBiMap.of("a", 1, "b", 2).inverse().size() + Ordering.natural().greatestOf(words, 9).size();
        }
        return sum;
    }

    static String colliding(int number) {
        StringBuilder name = new StringBuilder();
        for (int bit = 0; bit < 15; bit++)
            name.append((number >> bit & 1) == 0 ? "Aa" : "BB");
        return name.toString();
    }

    public static void main(String[] arguments) {
        System.out.println(ordinary(1500));
        ImmutableMap.Builder<String, Integer> map = ImmutableMap.builder();
        for (int i = 0; i < 22_000; i++)
            map.put(colliding(i), i);
        System.out.println(map.build().size());
    }
}
