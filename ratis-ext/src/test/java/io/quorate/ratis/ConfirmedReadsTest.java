package io.quorate.ratis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.consensus.ConsensusException;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.ratis.bare.RaftTrio;
import io.quorate.ratis.guards.GuardedRpcType;
import io.quorate.ratis.log.LogFixture;
import io.quorate.ratis.read.ConfirmationReceiver;
import io.quorate.ratis.read.ConfirmationSender;
import io.quorate.ratis.read.ReadIndex;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.ratis.protocol.RaftPeerId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads at a leader that is partitioned, while its followers have elected another leader. */
class ConfirmedReadsTest {
  private enum Mode {
    RATIS_OWN,
    /** By heartbeats of the group. */
    CONFIRMED,
    /** By requests between nodes, which still arrive where Raft's own messages do not. */
    CONFIRMED_BY_NODE
  }

  /** Whether replicas confirm the leader of each group by requests between nodes. */
  private boolean isByNode;

  private RaftTrio confirming;
  private final AtomicInteger confirmed = new AtomicInteger();

  /** The node that does not respond to requests, and how many it has received. */
  private Optional<NodeId> hanging = Optional.empty();

  private final AtomicInteger hung = new AtomicInteger();
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

  @AfterEach
  void close() {
    timer.shutdownNow();
  }

  @TempDir Path directory;

  private final Map<RaftPeerId, ReadIndex> reads = new ConcurrentHashMap<>();

  @ParameterizedTest
  @EnumSource(Mode.class)
  void aReplacedLeaderServesNoReads(Mode mode) throws IOException {
    isByNode = mode == Mode.CONFIRMED_BY_NODE;
    RaftTrio.Options options =
        RaftTrio.Options.guarded(true).withAppenders(appenders(Duration.ofSeconds(1), false));
    try (RaftTrio trio = new RaftTrio(options, directory).start()) {
      confirming = trio;
      RaftPeerId oldLeader = trio.ids().get(0);
      trio.write(oldLeader, "old").join();
      assertThat(read(trio, oldLeader, mode)).contains("old");
      assertThat(confirmed.get() > 0).isEqualTo(isByNode);

      trio.isolate(oldLeader);
      RaftPeerId newLeader = trio.awaitLeaderExcept(oldLeader);
      assertThat(trio.write(newLeader, "new").join().isSuccess()).isTrue();

      assertThat(trio.division(oldLeader).getInfo().isLeader()).isTrue();
      Optional<String> stale = mode == Mode.RATIS_OWN ? Optional.of("old") : Optional.empty();
      assertThat(read(trio, oldLeader, mode)).isEqualTo(stale);
      assertThat(read(trio, newLeader, mode)).contains("new");
    }
  }

  /**
   * The reads of a leader that requests one of two followers first: the first read waits for less
   * than the heartbeats that would follow, and no later one waits for this follower.
   */
  @Test
  void aFollowerThatHangsCostsOneRound() throws IOException {
    isByNode = true;
    RaftTrio.Options options =
        RaftTrio.Options.guarded(true).withAppenders(appenders(Duration.ofSeconds(1), false));
    try (RaftTrio trio = new RaftTrio(options, directory).start()) {
      confirming = trio;
      RaftPeerId leader = trio.ids().get(0);
      long written = trio.write(leader, "value").join().getLogIndex();
      hanging = Optional.of(new NodeId(trio.ids().get(1).toString()));

      // Nothing calls giveUpOverdue, so no heartbeat is requested.
      for (int i = 0; i < 40; i++) {
        CompletableFuture<Position> read = reads.get(leader).readIndex(false);
        await().atMost(RaftTrio.PATIENCE).until(read::isDone);
        assertThat(read.join().index()).isGreaterThanOrEqualTo(written);
      }
      // A round that is late, for lack of a processor, requests everybody.
      assertThat(hung.get()).isBetween(1, 10);
    }
  }

  /**
   * The candidate does not wait for its own election timeout, like the target of a leadership
   * transfer. With lease grants, the other follower does not vote for it while the lease may be in
   * use; without them, the lease does not prevent a stale read.
   */
  @ParameterizedTest(name = "with lease grants: {0}")
  @ValueSource(booleans = {false, true})
  void aLeaseEndsBeforeAnotherLeaderIsElected(boolean withGrants) throws IOException {
    Duration grant = withGrants ? Duration.ofSeconds(2) : Duration.ofMinutes(1);
    RaftTrio.Options options =
        RaftTrio.Options.guarded(withGrants)
            .withElectionTimeoutMin(Duration.ofSeconds(2))
            .withAppenders(appenders(grant, true));
    try (RaftTrio trio = new RaftTrio(options, directory).start()) {
      RaftPeerId oldLeader = trio.ids().get(0);
      trio.write(oldLeader, "old").join();
      // The first read establishes the lease; from then on reads complete without a request.
      reads.get(oldLeader).readIndex(true).join();
      await().atMost(RaftTrio.PATIENCE).until(() -> reads.get(oldLeader).readIndex(true).isDone());

      trio.isolate(oldLeader);
      trio.makeCandidate(
          trio.ids().get(1),
          oldLeader,
          trio.division(oldLeader).getRaftLog().getLastEntryTermIndex());
      RaftPeerId newLeader = trio.awaitLeaderExcept(oldLeader);
      long written = trio.write(newLeader, "new").join().getLogIndex();

      assertThat(trio.division(oldLeader).getInfo().isLeader()).isTrue();
      CompletableFuture<Position> read = reads.get(oldLeader).readIndex(true);
      if (withGrants) {
        awaitEnd(oldLeader, read);
        assertThatThrownBy(read::join).hasCauseInstanceOf(ConsensusException.Unavailable.class);
      } else {
        assertThat(read).isCompletedWithValueMatching(position -> position.index() < written);
      }
    }
  }

  /** The removed member granted it, and no member that did not may be needed to elect another. */
  @Test
  void aLeaseOfFormerMembersIsNotUsed() throws IOException {
    RaftTrio.Options options =
        RaftTrio.Options.guarded(true).withAppenders(appenders(Duration.ofMinutes(1), true));
    try (RaftTrio trio = new RaftTrio(options, directory).start()) {
      RaftPeerId leader = trio.ids().get(0);
      trio.write(leader, "old").join();
      reads.get(leader).readIndex(true).join();
      await().atMost(RaftTrio.PATIENCE).until(() -> reads.get(leader).readIndex(true).isDone());

      trio.remove(leader, trio.ids().get(2));
      trio.isolate(leader);

      assertThat(reads.get(leader).readIndex(true)).isNotDone();
    }
  }

  private GuardedRpcType.AppenderFactory appenders(Duration grant, boolean leases) {
    return (division, state, follower) ->
        reads
            .computeIfAbsent(
                division.getId(),
                id ->
                    new ReadIndex(
                        division,
                        Duration.ofMillis(500),
                        grant,
                        leases ? Optional.of(grant.dividedBy(5)) : Optional.empty(),
                        () -> true,
                        isByNode ? Optional.of(confirmations()) : Optional.empty(),
                        LogFixture.LOOPS))
            .newLogAppender(state, follower);
  }

  private ConfirmationSender confirmations() {
    return new ConfirmationSender(
        new ConfirmationSender.Transport() {
          @Override
          public CompletableFuture<ByteBuffer> send(NodeId to, ByteBuffer request) {
            if (hanging.equals(Optional.of(to))) {
              hung.incrementAndGet();
              return new CompletableFuture<>();
            }
            confirmed.incrementAndGet();
            return new ConfirmationReceiver(group -> term(to))
                .respond(to, request)
                .toCompletableFuture();
          }

          @Override
          public void execute(NodeId to, Runnable task) {
            task.run();
          }
        },
        timer,
        System::nanoTime);
  }

  private long term(NodeId node) {
    return confirming.division(RaftPeerId.valueOf(node.value())).getInfo().getCurrentTerm();
  }

  /** The value that was read; empty if the read was rejected. */
  private Optional<String> read(RaftTrio trio, RaftPeerId at, Mode mode) throws IOException {
    if (mode != Mode.RATIS_OWN) {
      CompletableFuture<Position> position = reads.get(at).readIndex(false);
      awaitEnd(at, position);
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

  private void awaitEnd(RaftPeerId at, CompletableFuture<Position> position) {
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
