package io.quorate.rabia.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.common.Failpoint;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.Member;
import io.quorate.model.Key;
import io.quorate.model.Position;
import io.quorate.rabia.core.Replica;
import io.quorate.rabia.core.Settings;
import io.quorate.rabia.core.step.Effect;
import io.quorate.rabia.core.step.Input;
import io.quorate.rabia.core.step.Lsn;
import io.quorate.rabia.protocol.Batch;
import io.quorate.rabia.protocol.BatchId;
import io.quorate.rabia.protocol.Checkpoint;
import io.quorate.rabia.protocol.Configuration;
import io.quorate.rabia.protocol.LogRecord;
import io.quorate.replication.log.LogPoints;
import io.quorate.replication.log.SharedLog;
import io.quorate.replication.log.SharedLogSettings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A group of one replica with a real log loses power repeatedly. */
class RestartTest {
  private static final int RUNS = 5;
  private static final int COMMANDS = 250;

  /** The number of waits until all records are durable; each takes at least one sync. */
  private static final int SETTLED = 50;

  private static final SharedLogSettings SETTINGS =
      LogFixture.settings(8 << 10, Duration.ofMillis(1));

  @TempDir private Path directory;

  @AfterEach
  void disableFailpoints() {
    Failpoint.known().forEach(Failpoint::off);
  }

  /** The disk at one moment, and the slots that had been executed by then. */
  private record Disk(Path log, Position state, NavigableMap<Long, Optional<BatchId>> executed) {}

  /** Drives a replica as the package description of the core requires. */
  private final class Node implements ReplicaLog.Events {
    private final BlockingQueue<Lsn> durable = new LinkedBlockingQueue<>();
    private final ConcurrentSkipListMap<Long, Optional<BatchId>> executed =
        new ConcurrentSkipListMap<>();
    private final ExecutorService executor = Executors.newSingleThreadExecutor();
    private final SharedLog node;
    private final ReplicaLog log;
    private final Replica replica;
    private volatile Position stateDurable;
    private volatile IOException failure;
    private Position last;
    private Lsn appended = Lsn.START;
    private Lsn reported = Lsn.START;
    private int truncations;

    Node(Disk disk) throws IOException {
      node = LogFixture.open(disk.log(), SETTINGS);
      log = ReplicaLog.open(node, LogFixture.GROUP, executor, this);
      stateDurable = disk.state();
      last = disk.state();
      executed.putAll(disk.executed().headMap(disk.state().index(), true));
      Member self = new Member(LogFixture.OWNER.node(), InetSocketAddress.createUnresolved("h", 1));
      Checkpoint start =
          log.newestCheckpointAtOrBefore(stateDurable)
              .map(LogRecord.Checkpointed::checkpoint)
              .orElse(Checkpoint.initial(Configuration.first(List.of(self))));
      replica =
          new Replica(
              self.node(),
              0,
              Settings.DEFAULT,
              start,
              stateDurable,
              command -> KeyScope.key(Key.utf8("k")));
      log.replay(record -> step(new Input.Replayed(record)));
      step(new Input.Started());
      log.flush();
    }

    void step(Input input) {
      for (Effect effect : replica.step(System.nanoTime(), input)) {
        if (effect instanceof Effect.Persist persist) {
          log.append(persist.lsn(), persist.record(), persist.lazily());
          appended = persist.lsn();
        } else if (effect instanceof Effect.Truncate truncate) {
          log.truncate(truncate.through());
          truncations++;
        } else if (effect instanceof Effect.Execute execute) {
          assertThat(execute.at().index()).isEqualTo(last.index() + 1);
          last = execute.at();
          executed.put(last.index(), execute.batch().map(Batch::id));
          step(new Input.Executed(last));
        }
      }
    }

    /** Waits until everything is durable. */
    void settle() throws InterruptedException {
      log.flush();
      while (appended.isAfter(reported)) {
        reportDurable(durable.take());
        log.flush();
      }
    }

    void reportAllDurable() {
      for (Lsn through = durable.poll(); through != null; through = durable.poll()) {
        reportDurable(through);
      }
      log.flush();
    }

    private void reportDurable(Lsn through) {
      assertThat(failure).isNull();
      reported = through;
      step(new Input.Durable(through));
    }

    void flushState() {
      stateDurable = last;
      step(new Input.StateDurable(stateDurable));
    }

    void close() throws IOException {
      node.close();
      executor.shutdown();
    }

    @Override
    public void durable(Lsn through) {
      durable.add(through);
    }

    @Override
    public void room() {
      // Nobody waits for it.
    }

    @Override
    public void failed(IOException cause) {
      failure = cause;
      durable.add(Lsn.START);
    }
  }

  @Test
  void executedSlotsAreExecutedAgainAfterAPowerLoss() throws Exception {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    Disk disk = new Disk(directory.resolve("run0"), Position.NONE, new TreeMap<>());
    int truncations = 0;
    for (int run = 1; run <= RUNS; run++) {
      Node node = new Node(disk);
      assertThat(node.executed)
          .as("seed %d, run %d", seed, run)
          .containsAllEntriesOf(disk.executed());
      Disk[] lost = new Disk[1];
      int[] syncs = {random.nextInt(SETTLED)};
      Path here = disk.log();
      Path copy = directory.resolve("run" + run);
      LogPoints.BEFORE_SYNC.on(
          (at, subject) -> {
            if (syncs[0]-- == 0) {
              // The driver runs concurrently, and executes only slots that were reported durable.
              NavigableMap<Long, Optional<BatchId>> executed = new TreeMap<>(node.executed);
              lost[0] = new Disk(copy, node.stateDurable, executed);
              copy(here.resolve("log"), copy.resolve("log"));
              copy(here.resolve("end"), copy.resolve("end"));
            }
          });
      work(node, random);
      node.close();
      truncations += node.truncations;
      disk = lost[0];
    }
    assertThat(truncations).as("seed %d", seed).isPositive();
    assertThat(disk.executed()).as("seed %d", seed).hasSizeGreaterThan(RUNS);
  }

  private void work(Node node, Random random) throws InterruptedException {
    for (int i = 0; i < COMMANDS; i++) {
      node.step(new Input.Propose(List.of(ByteBuffer.wrap(new byte[1 + random.nextInt(500)]))));
      node.reportAllDurable();
      if (i % (COMMANDS / SETTLED) == 0) {
        node.settle();
      }
      if (random.nextInt(50) == 0) {
        node.flushState();
      }
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    try (Stream<Path> files = Files.list(from)) {
      for (Path file : files.toList()) {
        try {
          Files.copy(file, to.resolve(file.getFileName()));
        } catch (NoSuchFileException e) {
          // Deleted meanwhile: that it may be was durable before.
        }
      }
    }
  }
}
