package io.quorate.consensus.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.Key;
import io.quorate.consensus.KeyRange;
import io.quorate.consensus.KeyScope;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class PendingWritesTest {
  private static final KeyScope A = KeyScope.key(Key.utf8("a"));
  private static final KeyScope B = KeyScope.key(Key.utf8("b"));
  private static final KeyScope A_AND_B = new KeyScope.Keys(List.of(Key.utf8("a"), Key.utf8("b")));
  private static final KeyScope ALL = KeyScope.range(KeyRange.ALL);

  private final PendingWrites intents = new PendingWrites();

  @Test
  void nothingIsPendingAtFirst() {
    assertThat(intents.highest(A)).isEqualTo(PendingWrites.NONE);
    assertThat(intents.highest(ALL)).isEqualTo(PendingWrites.NONE);
  }

  @Test
  void theHighestPositionCountsInWhateverOrderTheyCome() {
    intents.note(7, A);
    intents.note(5, A_AND_B);
    assertThat(intents.highest(A)).isEqualTo(7);
    assertThat(intents.highest(B)).isEqualTo(5);
    assertThat(intents.highest(A_AND_B)).isEqualTo(7);
  }

  @Test
  void aWriteOfARangeConcernsEveryKeyInIt() {
    intents.note(3, A);
    intents.note(9, KeyScope.range(KeyRange.of(Key.utf8("a"), Key.utf8("b"))));
    assertThat(intents.highest(A)).isEqualTo(9);
    assertThat(intents.highest(B)).isEqualTo(PendingWrites.NONE);
    assertThat(intents.highest(ALL)).isEqualTo(9);
  }

  @Test
  void whatIsCutOffIsForgottenAndWhatIsBelowIsNot() {
    intents.note(3, A);
    intents.note(5, A_AND_B);
    intents.note(7, A);
    intents.cut(5);
    assertThat(intents.highest(A)).isEqualTo(3);
    assertThat(intents.highest(B)).isEqualTo(PendingWrites.NONE);
    intents.note(5, B);
    assertThat(intents.highest(B)).isEqualTo(5);
  }

  /** The same, kept without any cleverness. */
  @Test
  void agreesWithAListOfEverythingNoted() {
    long seed = 20261121;
    Random random = new Random(seed);
    TreeMap<Long, KeyScope> model = new TreeMap<>();
    List<KeyScope> scopes = List.of(A, B, A_AND_B, ALL);
    long settled = -1;
    for (int i = 0; i < 10_000; i++) {
      long index = settled + 1 + random.nextInt(20);
      if (random.nextInt(10) == 0) {
        model.tailMap(index, true).clear();
        intents.cut(index);
      } else if (random.nextInt(3) > 0) {
        if (!model.containsKey(index)) {
          KeyScope scope = scopes.get(random.nextInt(scopes.size()));
          model.put(index, scope);
          intents.note(index, scope);
        }
      } else {
        settled = Math.max(settled, index - 10);
        model.headMap(settled, true).clear();
        intents.settle(settled);
      }
      for (KeyScope key : List.of(A, B)) {
        long expected = -1;
        for (var noted : model.entrySet()) {
          boolean other = noted.getValue() == A || noted.getValue() == B;
          if (!other || noted.getValue() == key) {
            expected = noted.getKey();
          }
        }
        assertThat(intents.highest(key)).as("seed %d, step %d", seed, i).isEqualTo(expected);
      }
    }
  }
}
