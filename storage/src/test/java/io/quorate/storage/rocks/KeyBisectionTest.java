package io.quorate.storage.rocks;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.model.Key;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class KeyBisectionTest {
  private static Key middle(TreeMap<Key, Integer> rows) {
    return KeyBisection.middle(
        rows.firstKey(),
        rows.lastKey(),
        key -> rows.headMap(key).values().stream().mapToLong(Integer::longValue).sum());
  }

  private static TreeMap<Key, Integer> rows(List<String> keys) {
    TreeMap<Key, Integer> rows = new TreeMap<>();
    keys.forEach(key -> rows.put(Key.utf8(key), 1));
    return rows;
  }

  /** The part of the whole that is below the middle. */
  private static double share(TreeMap<Key, Integer> rows) {
    double whole = rows.values().stream().mapToLong(Integer::longValue).sum();
    return rows.headMap(middle(rows)).values().stream().mapToLong(Integer::longValue).sum() / whole;
  }

  @Test
  void keysWithALongCommonPrefixAreDividedEvenly() {
    assertThat(share(rows(IntStream.range(0, 1000).mapToObj("user:%012d"::formatted).toList())))
        .isBetween(0.45, 0.55);
  }

  @Test
  void partsHaveEqualSizesAndNotEqualNumbersOfRows() {
    TreeMap<Key, Integer> rows =
        rows(IntStream.range(0, 1000).mapToObj("%04d"::formatted).toList());
    rows.replaceAll((key, size) -> key.compareTo(Key.utf8("0100")) < 0 ? 100 : 1);
    assertThat(share(rows)).isBetween(0.45, 0.55);
    assertThat(middle(rows)).isLessThan(Key.utf8("0100"));
  }

  @Test
  void randomKeysAreDividedEvenly() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    TreeMap<Key, Integer> rows = new TreeMap<>();
    while (rows.size() < 2000) {
      byte[] key = new byte[1 + random.nextInt(12)];
      random.nextBytes(key);
      rows.put(Key.wrap(key), 1 + random.nextInt(50));
    }
    assertThat(share(rows)).as("seed %d", seed).isBetween(0.4, 0.6);
  }

  @Test
  void twoKeysAreDividedBetweenThem() {
    assertThat(middle(rows(List.of("a", "b"))))
        .isGreaterThan(Key.utf8("a"))
        .isLessThanOrEqualTo(Key.utf8("b"));
    assertThat(middle(rows(List.of("a", "abc")))).isBetween(Key.utf8("a"), Key.utf8("abc"));
    Key zero = Key.utf8("a").next();
    TreeMap<Key, Integer> rows = rows(List.of("a"));
    rows.put(zero, 1);
    assertThat(middle(rows)).isBetween(Key.utf8("a"), zero);
  }

  @Test
  void oneLargeRowDoesNotPreventADivision() {
    TreeMap<Key, Integer> rows = rows(List.of("a", "b", "c", "d"));
    rows.put(Key.utf8("c"), 1_000_000);
    assertThat(middle(rows)).isGreaterThan(Key.utf8("a")).isLessThanOrEqualTo(Key.utf8("d"));
  }
}
