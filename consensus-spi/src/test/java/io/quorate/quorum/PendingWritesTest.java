package io.quorate.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.KeyScope;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class PendingWritesTest {
  private static final KeyScope A = KeyScope.key(Key.utf8("a"));
  private static final KeyScope B = KeyScope.key(Key.utf8("b"));
  private static final KeyScope A_AND_B = new KeyScope.Keys(List.of(Key.utf8("a"), Key.utf8("b")));
  private static final KeyScope ALL = KeyScope.range(KeyRange.ALL);

  private final PendingWrites pendingWrites = new PendingWrites();

  @Test
  void nothingIsPendingAtFirst() {
    assertThat(pendingWrites.highest(A)).isEqualTo(PendingWrites.NONE);
    assertThat(pendingWrites.highest(ALL)).isEqualTo(PendingWrites.NONE);
  }

  @Test
  void theHighestPositionCountsInAnyOrderOfWrites() {
    pendingWrites.note(7, A);
    pendingWrites.note(5, A_AND_B);
    assertThat(pendingWrites.highest(A)).isEqualTo(7);
    assertThat(pendingWrites.highest(B)).isEqualTo(5);
    assertThat(pendingWrites.highest(A_AND_B)).isEqualTo(7);
  }

  @Test
  void aWriteOfARangeIsPendingForEveryKeyInIt() {
    pendingWrites.note(3, A);
    pendingWrites.note(9, KeyScope.range(KeyRange.of(Key.utf8("a"), Key.utf8("b"))));
    assertThat(pendingWrites.highest(A)).isEqualTo(9);
    assertThat(pendingWrites.highest(B)).isEqualTo(PendingWrites.NONE);
    assertThat(pendingWrites.highest(ALL)).isEqualTo(9);
  }

  @Test
  void cutRemovesExactlyTheWritesFromAPositionOn() {
    pendingWrites.note(3, A);
    pendingWrites.note(5, A_AND_B);
    pendingWrites.note(7, A);
    pendingWrites.cut(5);
    assertThat(pendingWrites.highest(A)).isEqualTo(3);
    assertThat(pendingWrites.highest(B)).isEqualTo(PendingWrites.NONE);
    pendingWrites.note(5, B);
    assertThat(pendingWrites.highest(B)).isEqualTo(5);
  }

  /** Compares with a map of all writes, without any optimization. */
  @Test
  void agreesWithAMapOfAllWrites() {
    long seed = 20261121;
    Random random = new Random(seed);
    TreeMap<Long, KeyScope> model = new TreeMap<>();
    List<KeyScope> scopes = List.of(A, B, A_AND_B, ALL);
    long settled = -1;
    for (int i = 0; i < 10_000; i++) {
      long index = settled + 1 + random.nextInt(20);
      if (random.nextInt(10) == 0) {
        model.tailMap(index, true).clear();
        pendingWrites.cut(index);
      } else if (random.nextInt(3) > 0) {
        if (!model.containsKey(index)) {
          KeyScope scope = scopes.get(random.nextInt(scopes.size()));
          model.put(index, scope);
          pendingWrites.note(index, scope);
        }
      } else {
        settled = Math.max(settled, index - 10);
        model.headMap(settled, true).clear();
        pendingWrites.settle(settled);
      }
      for (KeyScope key : List.of(A, B)) {
        long expected = -1;
        for (var write : model.entrySet()) {
          boolean other = write.getValue() == A || write.getValue() == B;
          if (!other || write.getValue() == key) {
            expected = write.getKey();
          }
        }
        assertThat(pendingWrites.highest(key)).as("seed %d, step %d", seed, i).isEqualTo(expected);
      }
    }
  }
}
