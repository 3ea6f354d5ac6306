package io.quorate.ratis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.consensus.Command;
import io.quorate.consensus.CommittedBatch;
import io.quorate.consensus.ConsensusEngine;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.ConsensusGroup;
import io.quorate.consensus.EngineContext;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.GroupSpec;
import io.quorate.consensus.KeyRange;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.Member;
import io.quorate.consensus.MetricsSink;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import io.quorate.consensus.ProposeResult;
import io.quorate.consensus.ReplicatedStateMachine;
import io.quorate.consensus.quorum.QuorumReads;
import io.quorate.consensus.quorum.ReadReply;
import io.quorate.loopback.LoopbackPorts;
import io.quorate.ratis.log.DamagedLogException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
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
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.raftlog.RaftLogBase;
import org.apache.ratis.server.raftlog.segmented.EntriesInMemory;
import org.apache.ratis.util.AutoCloseableLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One node and its groups. */
class RatisEngineTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final UUID CLUSTER = UUID.randomUUID();

  @TempDir Path directory;

  private final List<ConsensusException.Fatal> fatal = new CopyOnWriteArrayList<>();

  @Test
  void aGroupThatIsOpenIsNotOpenedAgainAndGoesOn() throws IOException {
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
  void aGroupThatWasClosedOpensAgainWhileOthersGoOn() throws IOException {
    int port = LoopbackPorts.next();
    try (ConsensusEngine engine = start(port)) {
      ConsensusGroup other = engine.open(spec(1, port), new Machine());
      ConsensusGroup group = engine.open(spec(2, port), new Machine());
      propose(group);
      group.close();
      assertThat(propose(other)).isNotNull();
      Machine again = new Machine();
      assertThat(propose(engine.open(spec(2, port), again))).isNotNull();
      assertThat(again.commands.get()).isEqualTo(2);
    }
    assertThat(fatal).isEmpty();
  }

  @Test
  void aClosedEngineOpensNothing() throws IOException {
    int port = LoopbackPorts.next();
    ConsensusEngine engine = start(port);
    engine.close();
    engine.close();
    assertThatThrownBy(() -> engine.open(spec(1, port), new Machine()))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aPortThatIsTakenIsNamedInOneSentence() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertThatThrownBy(() -> start(taken.getLocalPort()))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("cannot listen on 127.0.0.1:" + taken.getLocalPort());
    }
  }

  @Test
  void aGroupWhoseStateDoesNotOpenCanBeOpenedLater() throws IOException {
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

  /** The chores of all groups run one after the other; they must not end with one of them. */
  @Test
  void aChoreThatFailsIsTriedAgain() throws IOException {
    int port = LoopbackPorts.next();
    try (ConsensusEngine engine = start(port)) {
      Machine machine = new Machine();
      engine.open(spec(1, port), machine);
      machine.failingChores.set(2);
      await().atMost(PATIENCE).until(() -> machine.chores.get() > 4);
      assertThat(machine.failingChores.get()).isNotPositive();
    }
  }

  @Test
  void aStateMachineThatFailsIsFatalAndAnswersNothingWrong() throws IOException {
    int port = LoopbackPorts.next();
    try (ConsensusEngine engine = start(port)) {
      Machine machine = new Machine();
      ConsensusGroup group = engine.open(spec(1, port), machine);
      propose(group);
      machine.room = CompletableFuture.failedFuture(new IOException("disk gone"));
      CompletableFuture<ProposeResult> doomed = group.propose(command()).toCompletableFuture();
      await().atMost(PATIENCE).until(() -> !fatal.isEmpty());
      await().atMost(PATIENCE).until(doomed::isDone);
      assertThat(fatal).hasSize(1);
      CompletableFuture<ProposeResult> late = group.propose(command()).toCompletableFuture();
      await().atMost(PATIENCE).until(late::isDone);
      assertThat(late.handle((done, failure) -> failure).join())
          .isInstanceOf(ConsensusException.class);
    }
  }

  /** Ratis takes an entry that is cut off for one that was never acknowledged, and drops it. */
  @Test
  void aLogThatLostTheEndOfAnAcknowledgedEntryIsRefused() throws IOException {
    int port = LoopbackPorts.next();
    try (ConsensusEngine engine = start(port)) {
      ConsensusGroup group = engine.open(spec(1, port), new Machine());
      propose(group);
      propose(group);
    }
    Path log = openLog();
    byte[] whole = Files.readAllBytes(log);
    Files.write(log, Arrays.copyOf(whole, whole.length - 3));
    try (ConsensusEngine engine = start(port)) {
      assertThatThrownBy(() -> engine.open(spec(1, port), new Machine()))
          .isInstanceOf(DamagedLogException.class)
          .hasMessageContaining("is damaged at byte");
      Files.write(log, whole);
      Machine restored = new Machine();
      propose(engine.open(spec(1, port), restored));
      assertThat(restored.commands.get()).isEqualTo(3);
    }
  }

  private Path openLog() throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files
          .filter(file -> file.getFileName().toString().startsWith("log_inprogress_"))
          .findFirst()
          .orElseThrow();
    }
  }

  private ConsensusEngine start(int port) throws IOException {
    return new RatisEngineProvider()
        .start(
            new EngineContext(
                CLUSTER,
                new NodeId("n1"),
                InetSocketAddress.createUnresolved("127.0.0.1", port),
                Files.createDirectories(directory.resolve("engine")),
                new EngineSettings("raft", FastSettings.with(Map.of())),
                MetricsSink.NONE,
                fatal::add));
  }

  private static GroupSpec spec(int group, int port) {
    Member self =
        new Member(new NodeId("n1"), InetSocketAddress.createUnresolved("127.0.0.1", port));
    return new GroupSpec(CLUSTER, new GroupId(group), List.of(self), Optional.empty());
  }

  /**
   * Ratis closes a log under its lock and waits there for the thread that may be waiting for that
   * lock. Here the lock keeps Ratis from closing the log; the thread has to be gone by then.
   */
  @Test
  void theThreadThatFreesSegmentsEndsBeforeRatisClosesTheLog() throws IOException {
    int port = LoopbackPorts.next();
    ConsensusEngine engine = start(port);
    GroupSpec spec = spec(1, port);
    propose(engine.open(spec, new Machine()));
    RaftServer.Division division = ((RatisEngine) engine).division(spec);
    assertThat(evictionThreads(division)).hasSize(1);
    RaftLogBase log = (RaftLogBase) division.getRaftLog();
    CompletableFuture<Void> closed;
    try (AutoCloseableLock held = log.writeLock()) {
      closed = CompletableFuture.runAsync(engine::close);
      await().atMost(PATIENCE).until(() -> evictionThreads(division).isEmpty());
      assertThat(closed).as("closed under %s", held).isNotDone();
    }
    closed.join();
  }

  /** Its writer holds it while it waits for the disk, and event loops give shares. */
  @Test
  void aShareDoesNotWaitForTheLocksOfTheLog() throws IOException {
    int port = LoopbackPorts.next();
    try (ConsensusEngine engine = start(port)) {
      GroupSpec spec = spec(1, port);
      ConsensusGroup group = engine.open(spec, new Machine());
      propose(group);
      QuorumReads reads = group.control(QuorumReads.class).orElseThrow();
      RaftServer.Division division = ((RatisEngine) engine).division(spec);
      try (AutoCloseableLock held = ((RaftLogBase) division.getRaftLog()).writeLock()) {
        CompletableFuture<ReadReply<Void>> share =
            CompletableFuture.supplyAsync(
                () ->
                    reads
                        .reply(KeyScope.range(KeyRange.ALL), Position.NONE)
                        .toCompletableFuture()
                        .join());
        await().atMost(PATIENCE).until(share::isDone);
        assertThat(share.join().applied().index()).as("under %s", held).isNotNegative();
      }
    }
  }

  /** A share that would need such an entry is left to a thread that may read files. */
  @Test
  void anEntryWhoseMemoryWasFreedIsNotInMemory() throws IOException {
    int port = LoopbackPorts.next();
    GroupSpec spec = spec(1, port);
    try (ConsensusEngine engine = start(port)) {
      ConsensusGroup group = engine.open(spec, new Machine());
      await().atMost(PATIENCE).until(() -> group.view().serving());
      for (int i = 0; i < 10; i++) {
        group.propose(new Command(ByteBuffer.allocate(40 << 10))).toCompletableFuture().join();
      }
    }
    try (ConsensusEngine engine = start(port)) {
      Machine stopped = new Machine();
      stopped.room = new CompletableFuture<>();
      engine.open(spec, stopped);
      RaftLog log = ((RatisEngine) engine).division(spec).getRaftLog();
      assertThat(EntriesInMemory.get(log, 5)).isEmpty();
      assertThat(EntriesInMemory.get(log, 100)).isEmpty();
      assertThat(log.get(5)).isNotNull();
      assertThat(EntriesInMemory.get(log, log.getNextIndex() - 1)).isPresent();
    }
  }

  private static List<String> evictionThreads(RaftServer.Division division) {
    String member = division.getMemberId().toString();
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith(member) && name.contains("cacheEviction"))
        .toList();
  }

  private static ProposeResult propose(ConsensusGroup group) {
    await().atMost(PATIENCE).until(() -> group.view().serving());
    return group.propose(command()).toCompletableFuture().join();
  }

  private static Command command() {
    return new Command(ByteBuffer.wrap(new byte[] {1, 2, 3}));
  }

  /** Counts commands; nothing of it is ever durable. */
  private static final class Machine implements ReplicatedStateMachine {
    private final AtomicInteger commands = new AtomicInteger();
    private final AtomicInteger chores = new AtomicInteger();
    private final AtomicInteger failingChores = new AtomicInteger();
    private volatile CompletableFuture<Void> room = CompletableFuture.completedFuture(null);
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
        if (!room.isCompletedExceptionally()) {
          batch.results().complete(i, ByteBuffer.allocate(0));
        }
      }
      applied = batch.position();
      return room;
    }

    @Override
    public Position applied() {
      return applied;
    }

    @Override
    public Position durable() {
      if (Thread.currentThread().getName().startsWith("raft-housekeeping")) {
        chores.incrementAndGet();
        if (failingChores.getAndDecrement() > 0) {
          throw new IllegalStateException("The test makes this chore fail.");
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
