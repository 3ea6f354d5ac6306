package io.quorate.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.model.Key;
import io.quorate.model.Position;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ResultsTest {
  private static byte[] value(int first) {
    return new byte[] {(byte) first, 2};
  }

  @Test
  void resultsAreEqualIfTheirContentsAre() {
    assertThat(new CompareAndSetResult<>(false, Optional.of(value(1))))
        .isEqualTo(new CompareAndSetResult<>(false, Optional.of(value(1))))
        .hasSameHashCodeAs(new CompareAndSetResult<>(false, Optional.of(value(1))))
        .isNotEqualTo(new CompareAndSetResult<>(false, Optional.of(value(3))))
        .isNotEqualTo(new CompareAndSetResult<>(false, Optional.empty()));
    assertThat(page(1, 2)).isEqualTo(page(1, 2)).hasSameHashCodeAs(page(1, 2));
    assertThat(page(1, 2)).isNotEqualTo(page(3, 2)).isNotEqualTo(page(1, 3));
  }

  private static ScanResult page(int key, int next) {
    return new ScanResult(
        List.of(new KeyValue(value(key), value(9))),
        Optional.of(Key.wrap(value(next))),
        new Position(1, 7));
  }

  @Test
  void changesOfABatchAreEqualIfTheirContentsAre() {
    assertThat(batch(1, 2).changes())
        .isEqualTo(batch(1, 2).changes())
        .hasSameHashCodeAs(batch(1, 2).changes());
    for (int i = 0; i < 4; i++) {
      assertThat(batch(1, 2).changes().get(i)).isNotEqualTo(batch(3, 2).changes().get(i));
    }
    assertThat(batch(1, 2).changes().get(0)).isNotEqualTo(batch(1, 3).changes().get(0));
    assertThat(new Batch().put("a", "1").delete("b").append("c", "2").increment("d", 3).changes())
        .hasToString("[Put[a=1], Delete[b], Append[c+=2], Increment[d by 3]]");
  }

  private static Batch batch(int key, int value) {
    return new Batch()
        .put(value(key), value(value))
        .append(value(key), value(value))
        .delete(value(key))
        .increment(value(key), value);
  }
}
