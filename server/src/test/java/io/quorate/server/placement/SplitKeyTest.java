package io.quorate.server.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SplitKeyTest {
  private static Optional<Key> near(String middle, KeyRange range, String prefixEnd) {
    return SplitKey.near(Key.utf8(middle), range, Key.utf8(prefixEnd));
  }

  private static Optional<Key> key(String text) {
    return Optional.of(Key.utf8(text));
  }

  @Test
  void withoutPrefixesARegionIsSplitInTheMiddle() {
    assertThat(near("users/ann/3", KeyRange.ALL, "")).isEqualTo(key("users/ann/3"));
    assertThat(near("m", KeyRange.from(Key.utf8("m")), "")).as("its first key").isEmpty();
  }

  @Test
  void keysWithTheSamePrefixStayTogether() {
    assertThat(near("users/ann/3", KeyRange.ALL, "/")).isEqualTo(key("users/"));
    assertThat(near("ann::3", KeyRange.ALL, "::")).isEqualTo(key("ann::"));
    assertThat(near("ann:3", KeyRange.ALL, "::")).as("no prefix").isEqualTo(key("ann:3"));
  }

  private static Optional<Key> dividing(Stream<String> requested, String prefixEnd) {
    return SplitKey.dividing(requested.map(Key::utf8).toList(), KeyRange.ALL, Key.utf8(prefixEnd));
  }

  @Test
  void aBusyRegionIsSplitWhereItsRequestsDivide() {
    assertThat(dividing(IntStream.range(0, 40).mapToObj("k%02d"::formatted), ""))
        .isEqualTo(key("k20"));
    assertThat(dividing(IntStream.range(0, 10).mapToObj("k%02d"::formatted), ""))
        .as("too few to tell")
        .isEmpty();
    assertThat(
            dividing(
                IntStream.range(0, 40).mapToObj(i -> i < 35 ? "hot" : "k%02d".formatted(i)), ""))
        .as("most requests are for one key")
        .isEmpty();
    assertThat(dividing(IntStream.range(0, 40).mapToObj(i -> i % 4 + "/" + i), "/"))
        .isEqualTo(key("2/"));
  }

  @Test
  void aRegionThatBeginsWithThePrefixIsSplitBehindIt() {
    KeyRange range = KeyRange.of(Key.utf8("b/"), Key.utf8("d/"));
    assertThat(near("b/7", range, "/")).isEqualTo(key("b0"));
    assertThat(near("b/7", KeyRange.of(Key.utf8("b/"), Key.utf8("b0")), "/"))
        .as("all keys have the prefix")
        .isEmpty();
  }
}
