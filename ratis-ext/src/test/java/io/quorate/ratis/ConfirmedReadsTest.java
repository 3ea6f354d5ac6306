package io.quorate.ratis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.Position;
import io.quorate.ratis.bare.RaftTrio;
import io.quorate.ratis.guards.GuardedRpcType;
import io.quorate.ratis.read.ReadIndex;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.ratis.protocol.RaftPeerId;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a leader answers that is cut off, while another one has been elected. */
class ConfirmedReadsTest {
  private enum Way {
    RATIS_OWN,
    CONFIRMED
  }

  @TempDir Path directory;

  private final Map<RaftPeerId, ReadIndex> reads = new ConcurrentHashMap<>();

  @ParameterizedTest
  @EnumSource(Way.class)
  void aLeaderThatWasReplacedDoesNotServeReads(Way way) throws IOException {
    RaftTrio.Choices choices =
        RaftTrio.Choices.fenced(true).withAppenders(senders(Duration.ofSeconds(1), false));
    try (RaftTrio trio = new RaftTrio(choices, directory).start()) {
      RaftPeerId oldLeader = trio.ids().get(0);
      trio.write(oldLeader, "old").join();
      assertThat(read(trio, oldLeader, way)).contains("old");

      trio.isolate(oldLeader);
      RaftPeerId newLeader = trio.awaitLeaderBesides(oldLeader);
      assertThat(trio.write(newLeader, "new").join().isSuccess()).isTrue();

      assertThat(trio.division(oldLeader).getInfo().isLeader()).isTrue();
      Optional<String> stale = way == Way.RATIS_OWN ? Optional.of("old") : Optional.empty();
      assertThat(read(trio, oldLeader, way)).isEqualTo(stale);
      assertThat(read(trio, newLeader, way)).contains("new");
    }
  }

  /**
   * The candidate does not wait for its own election timeout, as one that was asked to take over
   * does not. With the promises, the other follower does not vote for it while the lease may be in
   * use; without them the lease is worth nothing.
   */
  @ParameterizedTest(name = "with promises: {0}")
  @ValueSource(booleans = {false, true})
  void aLeaseEndsBeforeAnotherLeaderIsElected(boolean promises) throws IOException {
    Duration promise = promises ? Duration.ofSeconds(2) : Duration.ofMinutes(1);
    RaftTrio.Choices choices =
        RaftTrio.Choices.fenced(promises)
            .withElectionTimeoutMin(Duration.ofSeconds(2))
            .withAppenders(senders(promise, true));
    try (RaftTrio trio = new RaftTrio(choices, directory).start()) {
      RaftPeerId oldLeader = trio.ids().get(0);
      trio.write(oldLeader, "old").join();
      // The first one grants the lease; from then on there is an answer without asking.
      reads.get(oldLeader).readIndex(true).join();
      await().atMost(RaftTrio.PATIENCE).until(() -> reads.get(oldLeader).readIndex(true).isDone());

      trio.isolate(oldLeader);
      trio.makeCandidate(
          trio.ids().get(1),
          oldLeader,
          trio.division(oldLeader).getRaftLog().getLastEntryTermIndex());
      RaftPeerId newLeader = trio.awaitLeaderBesides(oldLeader);
      long written = trio.write(newLeader, "new").join().getLogIndex();

      assertThat(trio.division(oldLeader).getInfo().isLeader()).isTrue();
      CompletableFuture<Position> read = reads.get(oldLeader).readIndex(true);
      if (promises) {
        awaitGivenUp(oldLeader, read);
        assertThatThrownBy(read::join).hasCauseInstanceOf(ConsensusException.Unavailable.class);
      } else {
        assertThat(read).isCompletedWithValueMatching(position -> position.index() < written);
      }
    }
  }

  private GuardedRpcType.AppenderFactory senders(Duration promise, boolean leases) {
    return (division, state, follower) ->
        reads
            .computeIfAbsent(
                division.getId(),
                id ->
                    new ReadIndex(
                        division,
                        Duration.ofMillis(500),
                        promise,
                        leases ? Optional.of(promise.dividedBy(5)) : Optional.empty(),
                        () -> true))
            .newLogAppender(state, follower);
  }

  /** The value read, or nothing if the read was refused. */
  private Optional<String> read(RaftTrio trio, RaftPeerId at, Way way) throws IOException {
    if (way == Way.CONFIRMED) {
      CompletableFuture<Position> position = reads.get(at).readIndex(false);
      awaitGivenUp(at, position);
      if (position.isCompletedExceptionally()) {
        return Optional.empty();
      }
      await()
          .atMost(RaftTrio.PATIENCE)
          .until(
              () ->
                  trio.machine(at).getLastAppliedTermIndex().getIndex() >= position.join().index());
      return Optional.of(trio.machine(at).query(null).join().getContent().toStringUtf8());
    }
    return Optional.of(trio.read(at).join().getMessage().getContent().toStringUtf8());
  }

  private void awaitGivenUp(RaftPeerId at, CompletableFuture<Position> position) {
    await()
        .atMost(RaftTrio.PATIENCE)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(10))
        .until(
            () -> {
              reads.get(at).giveUpOverdue();
              return position.isDone();
            });
  }
}
