package io.quorate.ratis.read;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which followers confirm a round of reads. */
class ConfirmersTest {
  private static final List<String> THREE = List.of("a", "b", "c");

  private static Confirmers<String> at(String self) {
    return new Confirmers<>(self, Comparator.naturalOrder());
  }

  @Test
  void asManyAreRequestedAsAMajorityNeeds() {
    assertThat(at("a").first(List.of("a"))).isEmpty();
    assertThat(at("a").first(List.of("a", "b"))).containsExactly("b");
    assertThat(at("a").first(THREE)).containsExactly("b");
    assertThat(at("a").first(List.of("a", "b", "c", "d"))).containsExactly("b", "c");
    assertThat(at("a").first(List.of("a", "b", "c", "d", "e"))).containsExactly("b", "c");
  }

  /** Their groups share requests, and no node confirms for all. */
  @Test
  void eachLeaderRequestsTheNextNode() {
    assertThat(at("a").first(THREE)).containsExactly("b");
    assertThat(at("b").first(THREE)).containsExactly("c");
    assertThat(at("c").first(THREE)).containsExactly("a");
  }

  @Test
  void aFollowerThatWasLateIsRequestedLastUntilItIsInTime() {
    Confirmers<String> confirmers = at("a");
    confirmers.late("b");
    assertThat(confirmers.first(THREE)).containsExactly("c");
    confirmers.late("c");
    assertThat(confirmers.first(THREE)).as("all were late").containsExactly("b");
    confirmers.inTime("c");
    assertThat(confirmers.first(THREE)).containsExactly("c");
  }

  /** Where all rounds take long, as over a slow network, the others would be requested always. */
  @Test
  void thePatienceFollowsTheDurationOfRoundsWithinBounds() {
    Confirmers<String> confirmers = at("a");
    assertThat(confirmers.patienceNanos()).isEqualTo(Duration.ofMillis(2).toNanos());
    for (int i = 0; i < 100; i++) {
      confirmers.confirmed(Duration.ofMillis(1).toNanos());
    }
    assertThat(confirmers.patienceNanos())
        .isBetween(Duration.ofMillis(3).toNanos(), Duration.ofMillis(4).toNanos());
    for (int i = 0; i < 100; i++) {
      confirmers.confirmed(Duration.ofSeconds(1).toNanos());
    }
    assertThat(confirmers.patienceNanos()).isEqualTo(Duration.ofMillis(10).toNanos());
  }
}
