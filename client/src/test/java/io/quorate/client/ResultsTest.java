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
}
