package io.quorate.ratis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.ratis.bare.RaftTrio;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftPeerId;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whether a follower acknowledges entries to a leader whose term is over. */
class AckGuardTest {
  @TempDir Path directory;

  /**
   * The disk of one follower stalls while entries of the old leader are on their way into its log.
   * Meanwhile it votes for another leader, whose entries come in behind. When the disk goes on, the
   * old leader must not hear that its entries are there.
   */
  @ParameterizedTest(name = "with the fence: {0}")
  @ValueSource(booleans = {false, true})
  void anAcknowledgementThatComesAfterAVoteForAnotherLeader(boolean fenced) throws IOException {
    RaftTrio.Choices choices = RaftTrio.Choices.fenced(fenced).withComposedAppends();
    try (RaftTrio trio = new RaftTrio(choices, directory).start()) {
      RaftPeerId oldLeader = trio.ids().get(0);
      RaftPeerId stalled = trio.ids().get(1);
      RaftPeerId newLeader = trio.ids().get(2);
      trio.write(oldLeader, "base").join();
      await()
          .atMost(RaftTrio.PATIENCE)
          .untilAsserted(() -> assertThat(trio.machine(stalled).history()).containsExactly("base"));
      long oldTerm = trio.division(oldLeader).getInfo().getCurrentTerm();

      final CompletableFuture<Void> disk = trio.machine(stalled).stallFlushes();
      final long index = trio.write(oldLeader, "before").join().getLogIndex() + 1;
      trio.links().cutBoth(oldLeader, newLeader);
      CompletableFuture<RaftClientReply> inDoubt = trio.write(oldLeader, "in doubt");
      awaitTaken(trio, stalled, oldTerm, index, 1);
      trio.links().cut(oldLeader, stalled);
      await().atMost(RaftTrio.PATIENCE).until(() -> trio.division(newLeader).getInfo().isLeader());
      awaitTaken(trio, stalled, trio.division(newLeader).getInfo().getCurrentTerm(), index, 1);
      disk.complete(null);
      RaftClientReply answer = inDoubt.join();

      assertThat(answer.isSuccess()).as("acknowledged by the old leader").isEqualTo(!fenced);
      trio.links().heal();
      await()
          .atMost(RaftTrio.PATIENCE)
          .pollInterval(Duration.ofMillis(50))
          .until(() -> trio.write(newLeader, "after").join().isSuccess());
      assertThat(trio.machine(newLeader).history())
          .contains("before", "after")
          .doesNotContain("in doubt");
      if (fenced) {
        for (RaftPeerId id : trio.ids()) {
          await()
              .atMost(RaftTrio.PATIENCE)
              .untilAsserted(
                  () ->
                      assertThat(trio.machine(id).history())
                          .isEqualTo(trio.machine(newLeader).history()));
        }
      }
    }
  }

  /**
   * The connection breaks while the follower's disk stalls, so the leader sends the entry again,
   * and the follower finds it in its log, though not on its disk.
   */
  @ParameterizedTest(name = "with the fence: {0}")
  @ValueSource(booleans = {false, true})
  void anEntryThatComesAgainBeforeItIsOnDisk(boolean fenced) throws IOException {
    try (RaftTrio trio = new RaftTrio(RaftTrio.Choices.fenced(fenced), directory).start()) {
      RaftPeerId leader = trio.ids().get(0);
      RaftPeerId stalled = trio.ids().get(1);
      long index = trio.write(leader, "base").join().getLogIndex() + 1;
      long term = trio.division(leader).getInfo().getCurrentTerm();
      await()
          .atMost(RaftTrio.PATIENCE)
          .untilAsserted(() -> assertThat(trio.machine(stalled).history()).containsExactly("base"));

      CompletableFuture<Void> disk = trio.machine(stalled).stallFlushes();
      trio.links().cutBoth(leader, trio.ids().get(2));
      trio.links().breakAfterNextEntries(stalled);
      CompletableFuture<RaftClientReply> write = trio.write(leader, "not on two disks");

      if (fenced) {
        awaitTaken(trio, stalled, term, index, 3);
        assertThat(write).as("acknowledged before it is on two disks").isNotDone();
        disk.complete(null);
      }
      assertThat(write.join().isSuccess()).isTrue();
      assertThat(disk.isDone()).isEqualTo(fenced);
      disk.complete(null);
    }
  }

  private static void awaitTaken(RaftTrio trio, RaftPeerId by, long term, long index, int times) {
    await()
        .atMost(RaftTrio.PATIENCE)
        .pollInterval(Duration.ofMillis(10))
        .until(() -> trio.links().timesTaken(by, term, index) >= times);
  }
}
