package io.quorate.benchmarks.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.EnumMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class MixTest {
  private static final int DRAWS = 100_000;

  @Test
  void kindsAreDrawnByTheirShares() {
    Mix mix = new Mix(Map.of(CallKind.GET, 0.6, CallKind.SCAN, 0.3, CallKind.DELETE, 0.1));
    SplittableRandom random = new SplittableRandom(1);
    Map<CallKind, Integer> drawn = new EnumMap<>(CallKind.class);
    for (int i = 0; i < DRAWS; i++) {
      drawn.merge(mix.any(random), 1, Integer::sum);
    }

    assertThat(drawn.keySet()).containsExactly(CallKind.GET, CallKind.DELETE, CallKind.SCAN);
    drawn.forEach(
        (kind, times) ->
            assertThat((double) times / DRAWS).isCloseTo(mix.share(kind), within(0.01)));
    assertThat(mix).hasToString("60 % get, 10 % delete, 30 % scan");
  }

  @Test
  void aKindWithoutAShareIsOmitted() {
    assertThat(Mix.of(CallKind.GET, 1, CallKind.PUT)).isEqualTo(Mix.of(CallKind.GET));
    assertThat(Mix.of(CallKind.GET, 0, CallKind.PUT)).isEqualTo(Mix.of(CallKind.PUT));
    assertThat(Mix.of(CallKind.PUT).share(CallKind.GET)).isZero();
  }

  @Test
  void sharesThatDoNotSumToOneAreRefused() {
    assertThatThrownBy(() -> new Mix(Map.of(CallKind.GET, 0.5)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("together 1");
    assertThatThrownBy(() -> Mix.of(CallKind.GET, 1.5, CallKind.PUT))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Mix(Map.of())).isInstanceOf(IllegalArgumentException.class);
  }
}
