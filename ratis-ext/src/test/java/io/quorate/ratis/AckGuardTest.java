package io.quorate.ratis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.ratis.bare.RaftTrio;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.protocol.TermIndex;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is not on disk is not acknowledged, also without the guards: the log itself does not. */
class AckGuardTest {
  /** The length of a tail: more entries than the next leader puts in its place. */
  private static final int TAIL = 10;

  @TempDir Path directory;

  /**
   * The connection breaks while the follower's disk stalls, so the leader sends the entry again.
   * The follower has it in its log, but not on its disk.
   */
  @ParameterizedTest(name = "guarded: {0}")
  @ValueSource(booleans = {false, true})
  void aResentEntryIsAcknowledgedOnlyWhenItIsOnDisk(boolean guarded) throws IOException {
    try (RaftTrio trio = new RaftTrio(RaftTrio.Options.guarded(guarded), directory).start()) {
      RaftPeerId leader = trio.ids().get(0);
      RaftPeerId stalled = trio.ids().get(1);
      long index = trio.write(leader, "base").join().getLogIndex() + 1;
      long term = trio.division(leader).getInfo().getCurrentTerm();
      await()
          .atMost(RaftTrio.PATIENCE)
          .untilAsserted(() -> assertThat(trio.machine(stalled).history()).containsExactly("base"));

      CompletableFuture<Void> disk = trio.machine(stalled).stallFlushes(0);
      trio.links().cutBoth(leader, trio.ids().get(2));
      trio.links().breakAfterNextEntries(stalled);
      CompletableFuture<RaftClientReply> write = trio.write(leader, "not on two disks");

      awaitAccepted(trio, stalled, term, index, 2);
      awaitHeartbeats(trio, stalled);
      assertThat(write).as("acknowledged before it is on two disks").isNotDone();
      disk.complete(null);
      assertThat(write.join().isSuccess()).isTrue();
    }
  }

  /** A replica with a tail on its disk that another leader has replaced, in memory only. */
  private record Replaced(
      RaftPeerId replica,
      RaftPeerId leader,
      RaftPeerId third,
      long term,
      long index,
      CompletableFuture<Void> disk) {}

  /**
   * The first leader is partitioned and syncs entries that no other replica has. Then its disk
   * stalls, and the next leader, which reaches no other replica, replaces these entries: the
   * truncation of the files waits for the disk.
   */
  private static Replaced replaceTail(RaftTrio trio) throws IOException {
    RaftPeerId replica = trio.ids().get(0);
    final long base = trio.write(replica, "base").join().getLogIndex();
    trio.isolate(replica);
    for (int i = 0; i < TAIL; i++) {
      trio.write(replica, "nowhere else " + i);
    }
    await()
        .atMost(RaftTrio.PATIENCE)
        .until(() -> trio.division(replica).getRaftLog().getFlushIndex() == base + TAIL);
    RaftPeerId leader = trio.awaitLeaderExcept(replica);
    final RaftPeerId third =
        trio.ids().stream()
            .filter(id -> !id.equals(replica) && !id.equals(leader))
            .findFirst()
            .orElseThrow();
    final long index = trio.write(leader, "replicated").join().getLogIndex() + 1;
    // The term of the next leader gets to the disk.
    final CompletableFuture<Void> disk = trio.machine(replica).stallFlushes(1);

    trio.links().heal();
    trio.links().cutBoth(leader, third);
    trio.links().cutBoth(replica, third);
    trio.write(leader, "on one disk");
    long term = trio.division(leader).getInfo().getCurrentTerm();
    await()
        .atMost(RaftTrio.PATIENCE)
        .until(() -> trio.division(replica).getRaftLog().contains(TermIndex.valueOf(term, index)));
    assertThat(index).as("within the tail that was replaced").isLessThan(base + TAIL);
    return new Replaced(replica, leader, third, term, index, disk);
  }

  /** The replaced entries were on disk; the entries in their place are not. */
  @ParameterizedTest(name = "guarded: {0}")
  @ValueSource(booleans = {false, true})
  void aResentEntryWaitsForATruncationOfTheLog(boolean guarded) throws IOException {
    try (RaftTrio trio = new RaftTrio(RaftTrio.Options.guarded(guarded), directory).start()) {
      final Replaced replaced = replaceTail(trio);
      trio.links().breakAfterNextEntries(replaced.replica());
      CompletableFuture<RaftClientReply> write = trio.write(replaced.leader(), "twice on its way");
      awaitAccepted(trio, replaced.replica(), replaced.term(), replaced.index() + 1, 2);
      awaitHeartbeats(trio, replaced.replica());
      assertThat(write).as("acknowledged before it is on two disks").isNotDone();
      replaced.disk().complete(null);
      assertThat(succeeds(write)).isTrue();
    }
  }

  /** A leader counts itself towards the majority that has an entry on disk. */
  @ParameterizedTest(name = "guarded: {0}")
  @ValueSource(booleans = {false, true})
  void aReplicaDoesNotLeadWhileATruncationWaitsForTheDisk(boolean guarded) throws IOException {
    try (RaftTrio trio = new RaftTrio(RaftTrio.Options.guarded(guarded), directory).start()) {
      final Replaced replaced = replaceTail(trio);
      RaftPeerId replica = replaced.replica();
      trio.links().heal();
      trio.isolate(replaced.leader());
      CompletableFuture<Void> election =
          CompletableFuture.runAsync(
              () -> {
                try {
                  trio.makeCandidate(
                      replica,
                      replaced.leader(),
                      TermIndex.valueOf(replaced.term(), replaced.index()));
                } catch (IOException e) {
                  throw new IllegalStateException(e);
                }
              });
      await()
          .atMost(RaftTrio.PATIENCE)
          .until(() -> trio.division(replica).getInfo().getCurrentTerm() > replaced.term());
      assertThat(trio.division(replica).getInfo().isLeader()).isFalse();
      assertThat(election).as("its vote waits for the disk").isNotDone();
      replaced.disk().complete(null);
      election.join();
      trio.links().heal();
      awaitEqualHistories(trio);
    }
  }

  private static boolean succeeds(CompletableFuture<RaftClientReply> write) {
    await().atMost(RaftTrio.PATIENCE).until(write::isDone);
    return write.join().isSuccess();
  }

  private static void awaitEqualHistories(RaftTrio trio) {
    await()
        .atMost(RaftTrio.PATIENCE)
        .untilAsserted(
            () -> {
              List<String> history = trio.machine(trio.ids().get(0)).history();
              assertThat(history).contains("base", "replicated", "on one disk");
              for (RaftPeerId id : trio.ids()) {
                assertThat(trio.machine(id).history()).isEqualTo(history);
              }
            });
  }

  /** Waits until the replies to earlier requests of a server would have arrived. */
  private static void awaitHeartbeats(RaftTrio trio, RaftPeerId server) {
    int before = trio.links().heartbeatsAccepted(server);
    await()
        .atMost(RaftTrio.PATIENCE)
        .until(() -> trio.links().heartbeatsAccepted(server) >= before + 3);
  }

  private static void awaitAccepted(
      RaftTrio trio, RaftPeerId server, long term, long index, int times) {
    await()
        .atMost(RaftTrio.PATIENCE)
        .pollInterval(Duration.ofMillis(10))
        .until(() -> trio.links().timesAccepted(server, term, index) >= times);
  }
}
