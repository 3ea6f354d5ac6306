package io.quorate.ratis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.common.DamagedLogException;
import io.quorate.common.DurableEnd;
import io.quorate.common.DurableFiles;
import io.quorate.common.LoopbackPorts;
import io.quorate.consensus.Command;
import io.quorate.consensus.CommittedBatch;
import io.quorate.consensus.ConsensusEngine;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.ConsensusGroup;
import io.quorate.consensus.DamagedReplicaException;
import io.quorate.consensus.EngineContext;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.GroupSpec;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.KnownNodes;
import io.quorate.consensus.Member;
import io.quorate.consensus.MetricsSink;
import io.quorate.consensus.NodeDisks;
import io.quorate.consensus.ProposeResult;
import io.quorate.consensus.ReplicatedStateMachine;
import io.quorate.consensus.contract.RecordedReplicas;
import io.quorate.model.GroupId;
import io.quorate.model.KeyRange;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.quorum.QuorumReads;
import io.quorate.quorum.ReadReply;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.raftlog.RaftLogBase;
import org.apache.ratis.util.AutoCloseableLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The engine of one node, with several groups. */
class RatisEngineTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final UUID CLUSTER = UUID.randomUUID();

  @TempDir Path directory;

  private final RecordedReplicas begun = new RecordedReplicas();
  private final List<ConsensusException.Fatal> fatal = new CopyOnWriteArrayList<>();

  @Test
  void anOpenGroupIsNotOpenedAgainAndContinues() throws IOException {
    int port = LoopbackPorts.next();
    try (ConsensusEngine engine = start(port)) {
      ConsensusGroup group = engine.open(spec(1, port), new Machine());
      assertThatThrownBy(() -> engine.open(spec(1, port), new Machine()))
          .isInstanceOf(IllegalStateException.class);
      assertThat(propose(group)).isNotNull();
    }
    assertThat(fatal).isEmpty();
  }

  @Test
  void aClosedGroupReopensWhileOthersContinue() throws IOException {
    int port = LoopbackPorts.next();
    try (ConsensusEngine engine = start(port)) {
      ConsensusGroup other = engine.open(spec(1, port), new Machine());
      ConsensusGroup group = engine.open(spec(2, port), new Machine());
      propose(group);
      group.close();
      assertThat(propose(other)).isNotNull();
      Machine reopened = new Machine();
      assertThat(propose(engine.open(spec(2, port), reopened))).isNotNull();
      assertThat(reopened.commands.get()).isEqualTo(2);
    }
    assertThat(fatal).isEmpty();
  }

  @Test
  void aClosedEngineOpensNoGroup() throws IOException {
    int port = LoopbackPorts.next();
    ConsensusEngine engine = start(port);
    engine.close();
    engine.close();
    assertThatThrownBy(() -> engine.open(spec(1, port), new Machine()))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void anErrorNamesThePortThatIsInUse() throws IOException {
    try (ServerSocket occupied = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertThatThrownBy(() -> start(occupied.getLocalPort()))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("cannot listen on 127.0.0.1:" + occupied.getLocalPort());
    }
  }

  @Test
  void aGroupWhoseStateFailedToOpenCanBeOpenedLater() throws IOException {
    int port = LoopbackPorts.next();
    try (ConsensusEngine engine = start(port)) {
      Machine broken = new Machine();
      broken.openFailure = new IOException("the state is damaged");
      assertThatThrownBy(() -> engine.open(spec(1, port), broken))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("the state is damaged");
      assertThat(propose(engine.open(spec(1, port), new Machine()))).isNotNull();
    }
  }

  /** Its first bodies have epochs up to 41, and ids that no body of its own has. */
  @Test
  void theEpochsOfAGroupAreGreaterThanThoseItHasInherited() throws IOException {
    int port = LoopbackPorts.next();
    GroupSpec one = spec(1, port);
    GroupSpec child =
        new GroupSpec(
            one.cluster(),
            one.group(),
            one.members(),
            one.preferredLeader(),
            one.activation(),
            one.joinedBy(),
            41);
    for (long epoch = 42; epoch < 44; epoch++) {
      try (ConsensusEngine engine = start(port)) {
        Machine machine = new Machine();
        propose(engine.open(child, machine));
        assertThat(machine.applied().epoch())
            .as("a restart keeps the term that the replica has by then")
            .isEqualTo(epoch);
      }
    }
  }

  /** The housekeeping of all groups is scheduled together; a failure in one must not end it. */
  @Test
  void aFailedHousekeepingRunIsRepeated() throws IOException {
    int port = LoopbackPorts.next();
    try (ConsensusEngine engine = start(port)) {
      Machine machine = new Machine();
      engine.open(spec(1, port), machine);
      machine.failingRuns.set(2);
      await().atMost(PATIENCE).until(() -> machine.housekeepingRuns.get() > 4);
      assertThat(machine.failingRuns.get()).isNotPositive();
    }
  }

  @Test
  void aStateMachineFailureIsFatalAndFailsLaterProposals() throws IOException {
    int port = LoopbackPorts.next();
    try (ConsensusEngine engine = start(port)) {
      Machine machine = new Machine();
      ConsensusGroup group = engine.open(spec(1, port), machine);
      propose(group);
      machine.capacity = CompletableFuture.failedFuture(new IOException("disk gone"));
      CompletableFuture<ProposeResult> doomed = group.propose(command()).toCompletableFuture();
      await().atMost(PATIENCE).until(() -> !fatal.isEmpty());
      await().atMost(PATIENCE).until(doomed::isDone);
      assertThat(fatal).hasSize(1);
      CompletableFuture<ProposeResult> later = group.propose(command()).toCompletableFuture();
      await().atMost(PATIENCE).until(later::isDone);
      assertThat(later.handle((done, failure) -> failure).join())
          .isInstanceOf(ConsensusException.class);
    }
  }

  /** What is durable is known outside of the log. */
  @Test
  void aLogWithATruncatedAcknowledgedEntryIsRejected() throws IOException {
    int port = LoopbackPorts.next();
    try (ConsensusEngine engine = start(port)) {
      ConsensusGroup group = engine.open(spec(1, port), new Machine());
      propose(group);
      propose(group);
    }
    Path log = newestSegment();
    Files.write(log, Arrays.copyOf(Files.readAllBytes(log), (int) Files.size(log) - 3));
    for (int start = 0; start < 2; start++) {
      try (ConsensusEngine engine = start(port)) {
        assertThatThrownBy(() -> engine.open(spec(1, port), new Machine()))
            .isInstanceOf(DamagedReplicaException.class)
            .hasMessageContaining(log.getFileName().toString());
      }
    }
  }

  /** A log that is gone with the file beside it is a new one. */
  @Test
  void aReplicaWhoseRecordsAreMissingIsReported() throws IOException {
    int port = LoopbackPorts.next();
    try (ConsensusEngine engine = start(port)) {
      propose(engine.open(spec(1, port), new Machine()));
    }
    DurableFiles.deleteTree(newestSegment().getParent());
    assertThatThrownBy(() -> start(port)).isInstanceOf(DamagedLogException.class);
    Files.delete(DurableEnd.file(directory.resolve("engine")));
    try (ConsensusEngine engine = start(port)) {
      assertThatThrownBy(() -> engine.open(spec(1, port), new Machine()))
          .isInstanceOf(DamagedReplicaException.class)
          .hasMessageContaining("has no records of region 1");
      propose(engine.open(spec(2, port), new Machine()));
    }
  }

  private Path newestSegment() throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve("engine/log"))) {
      return files.max(Comparator.naturalOrder()).orElseThrow();
    }
  }

  private ConsensusEngine start(int port) throws IOException {
    return new RatisEngineProvider()
        .start(
            new EngineContext(
                CLUSTER,
                new NodeId("n1"),
                InetSocketAddress.createUnresolved("127.0.0.1", port),
                new KnownNodes(node -> List.of(), NodeDisks.unregistered()),
                Files.createDirectories(directory.resolve("engine")),
                new EngineSettings("raft", FastSettings.with(Map.of())),
                MetricsSink.NONE,
                Optional.empty(),
                begun,
                fatal::add));
  }

  private static GroupSpec spec(int group, int port) {
    Member self =
        new Member(new NodeId("n1"), InetSocketAddress.createUnresolved("127.0.0.1", port));
    return new GroupSpec(CLUSTER, new GroupId(group), List.of(self), Optional.empty());
  }

  /** Event loops create read replies, and the lock is held by who waits for the disk. */
  @Test
  void aReadReplyDoesNotWaitForTheLockOfTheLog() throws IOException {
    int port = LoopbackPorts.next();
    try (ConsensusEngine engine = start(port)) {
      GroupSpec spec = spec(1, port);
      ConsensusGroup group = engine.open(spec, new Machine());
      propose(group);
      QuorumReads reads = group.control(QuorumReads.class).orElseThrow();
      RaftServer.Division division = ((RatisEngine) engine).division(spec);
      try (AutoCloseableLock held = ((RaftLogBase) division.getRaftLog()).writeLock()) {
        CompletableFuture<ReadReply<Void>> readReply =
            CompletableFuture.supplyAsync(
                () ->
                    reads
                        .reply(KeyScope.range(KeyRange.ALL), Position.NONE)
                        .toCompletableFuture()
                        .join());
        await().atMost(PATIENCE).until(readReply::isDone);
        assertThat(readReply.join().applied().index()).as("under %s", held).isNotNegative();
      }
    }
  }

  private static ProposeResult propose(ConsensusGroup group) {
    await().atMost(PATIENCE).until(() -> group.view().serving());
    return group.propose(command()).toCompletableFuture().join();
  }

  private static Command command() {
    return new Command(ByteBuffer.wrap(new byte[] {1, 2, 3}));
  }

  /** Counts commands; its state is never durable. */
  private static final class Machine implements ReplicatedStateMachine {
    private final AtomicInteger commands = new AtomicInteger();
    private final AtomicInteger housekeepingRuns = new AtomicInteger();
    private final AtomicInteger failingRuns = new AtomicInteger();
    private volatile CompletableFuture<Void> capacity = CompletableFuture.completedFuture(null);
    private volatile Position applied = Position.NONE;
    private IOException openFailure;

    @Override
    public Position open() throws IOException {
      if (openFailure != null) {
        throw openFailure;
      }
      return Position.NONE;
    }

    @Override
    public KeyScope writeSet(ByteBuffer command) {
      return KeyScope.range(KeyRange.ALL);
    }

    @Override
    public CompletionStage<Void> committed(CommittedBatch batch) {
      for (int i = 0; i < batch.commands().size(); i++) {
        commands.incrementAndGet();
        if (!capacity.isCompletedExceptionally()) {
          batch.results().complete(i, ByteBuffer.allocate(0));
        }
      }
      applied = batch.position();
      return capacity;
    }

    @Override
    public Position applied() {
      return applied;
    }

    @Override
    public Position durable() {
      if (Thread.currentThread().getName().startsWith("raft-housekeeping")) {
        housekeepingRuns.incrementAndGet();
        if (failingRuns.getAndDecrement() > 0) {
          throw new IllegalStateException("The test makes this housekeeping run fail.");
        }
      }
      return Position.NONE;
    }

    @Override
    public CompletionStage<Position> flush() {
      return CompletableFuture.completedFuture(Position.NONE);
    }

    @Override
    public Position exportSnapshot(Path into) {
      return Position.NONE;
    }

    @Override
    public void install(Path from, Position position) {}
  }
}
