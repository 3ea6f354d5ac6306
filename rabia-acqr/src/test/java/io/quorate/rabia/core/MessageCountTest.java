package io.quorate.rabia.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.rabia.core.Settings.Policy;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The messages, delays and fsyncs of a batch, as counts and as transcripts that illustrate the
 * description of the protocol (owned slots, O1 to O6).
 */
class MessageCountTest {

  @Test
  void anOwnedSlotTakesTwoDelaysOneOverlappedFsyncAndTenMessages() throws IOException {
    LockStep group = new LockStep(3, LockStep.withoutResends(Policy.OWNED));

    group.propose("n2", "x");
    group.run(20 * LockStep.DELAY);

    // CONTENT 2, PROPOSAL 6, and SKIP 2 of slot 0, which waits for no fsync of n1.
    assertThat(group.messages()).isEqualTo(10);
    assertThat(group.urgentRecords()).isEqualTo(3);
    assertThat(group.executed().values()).allMatch(List.of("1:1@2d+1f")::equals);
    assertThat(group.replica("n1").counters().unanimousProposals()).isEqualTo(1);
    assertTranscript("owned-fast-path.txt", group);
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 4, 5, 6, 7})
  void everyGroupSizeTakesTwoDelaysAndOneBodyPerReplica(int n) {
    LockStep group = new LockStep(n, LockStep.withoutResends(Policy.OWNED));

    group.propose("n1", "x");
    group.run(20 * LockStep.DELAY);

    assertThat(group.messages()).isEqualTo((n - 1) + n * (n - 1));
    assertThat(group.executed().values()).allMatch(List.of("1:0@2d+1f")::equals);
  }

  @Test
  void manyOwnedSlotsRunConcurrently() {
    LockStep group = new LockStep(3, LockStep.withoutResends(Policy.OWNED));

    for (int i = 0; i < 10; i++) {
      group.propose("n1", "x" + i);
      group.propose("n2", "y" + i);
      group.propose("n3", "z" + i);
    }
    group.run(20 * LockStep.DELAY);

    assertThat(group.messages()).isEqualTo(30 * 8);
    assertThat(group.executed().values())
        .allSatisfy(
            slots -> assertThat(slots).hasSize(30).allMatch(slot -> slot.endsWith("@2d+1f")));
    assertThat(group.replica("n1").counters().nulls()).isZero();
  }

  @Test
  void withOneReplicaDownAnOwnedSlotTakesFourDelaysAndThreeFsyncs() throws IOException {
    LockStep group = new LockStep(3, LockStep.withoutResends(Policy.OWNED));
    group.crash("n3");
    // The first batch after a slot of n3 causes the suspicion of n3.
    group.propose("n1", "first");
    group.run(LockStep.DELAY);
    group.propose("n1", "second");
    group.run(30 * LockStep.DELAY);
    group.tick();
    group.run(30 * LockStep.DELAY);
    assertThat(group.replica("n1").executed().index()).isEqualTo(3);
    group.reset();

    group.propose("n1", "x");
    group.run(30 * LockStep.DELAY);

    assertThat(group.replica("n1").executed().index()).isEqualTo(6);
    assertThat(group.executed().get(group.replicaId("n1"))).last().isEqualTo("1:6@4d+3f");
    assertTranscript("owned-one-down.txt", group);
  }

  @Test
  void thePublishedChooserTakesTwentyMessagesThreeDelaysAndThreeFsyncsInSequence()
      throws IOException {
    LockStep group = new LockStep(3, LockStep.withoutResends(Policy.PUBLISHED));

    group.propose("n2", "x");
    group.run(20 * LockStep.DELAY);

    assertThat(group.urgentRecords()).isEqualTo(9);
    // REQUEST 2, PROPOSAL 6, STATE 6, VOTE 6; and three responses to late votes (C9).
    assertThat(group.messages()).isEqualTo(20 + 3);
    assertThat(group.executed().values()).allMatch(List.of("1:0@3d+3f")::equals);
    assertTranscript("published.txt", group);
  }

  private static void assertTranscript(String name, LockStep group) throws IOException {
    try (InputStream golden = MessageCountTest.class.getResourceAsStream("/transcripts/" + name)) {
      String actual = group.transcript().stream().collect(Collectors.joining("\n", "", "\n"));
      String expected =
          golden == null ? "" : new String(golden.readAllBytes(), StandardCharsets.UTF_8);
      assertThat(actual).as("transcript %s", name).isEqualTo(expected);
    }
  }
}
