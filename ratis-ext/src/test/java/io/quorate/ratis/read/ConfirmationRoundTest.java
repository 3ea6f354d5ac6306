package io.quorate.ratis.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.replication.quorum.Majority;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConfirmationRoundTest {
  private static final Majority<String> THREE = new Majority<>(List.of("a", "b", "c"), List.of());

  private final ConfirmationRound<String, String> round = new ConfirmationRound<>("a");

  @Test
  void theLeaderAloneConfirmsARoundOnlyAsTheOnlyVoter() {
    assertThat(round.isConfirmedBy(new Majority<>(List.of("a"), List.of()))).isTrue();
    assertThat(round.isConfirmedBy(THREE)).isFalse();
  }

  @Test
  void aResponseToAMessageFromBeforeTheRoundDoesNotCount() {
    round.watch("to b", 7);
    assertThat(round.acknowledge("to b", "b", 6)).isFalse();
    assertThat(round.isConfirmedBy(THREE)).isFalse();
    assertThat(round.acknowledge("to b", "b", 7)).isTrue();
    assertThat(round.isConfirmedBy(THREE)).isTrue();
  }

  @Test
  void callIdsBelongToOneAppender() {
    round.watch("to b", 7);
    assertThat(round.acknowledge("an older stream to b", "b", 100)).isFalse();
    assertThat(round.isConfirmedBy(THREE)).isFalse();
  }

  @Test
  void anAppenderThatReplacesAnotherCountsFromItsFirstMessage() {
    round.watch("to b", 7);
    round.watch("a newer stream to b", 0);
    assertThat(round.acknowledge("a newer stream to b", "b", 0)).isTrue();
    assertThat(round.isConfirmedBy(THREE)).isTrue();
  }

  @Test
  void oneVoterCountsOnce() {
    Majority<String> five = new Majority<>(List.of("a", "b", "c", "d", "e"), List.of());
    round.watch("to b", 0);
    assertThat(round.acknowledge("to b", "b", 0)).isTrue();
    assertThat(round.acknowledge("to b", "b", 1)).isTrue();
    assertThat(round.isConfirmedBy(five)).isFalse();
  }
}
