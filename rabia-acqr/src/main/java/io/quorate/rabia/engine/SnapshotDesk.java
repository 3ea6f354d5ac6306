package io.quorate.rabia.engine;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.quorate.consensus.Failures;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import io.quorate.consensus.ReplicatedStateMachine;
import io.quorate.consensus.snapshot.SnapshotFetcher;
import io.quorate.consensus.snapshot.SnapshotSender;
import io.quorate.rabia.core.Effect;
import io.quorate.rabia.core.Input;
import io.quorate.rabia.core.Replica;
import io.quorate.rabia.protocol.Checkpoint;
import io.quorate.rabia.transport.PeerSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Snapshots of one replica, for others and from others: the state machine's files, and one with the
 * core's checkpoint (S1).
 */
final class SnapshotDesk implements ReplicaLoop.Guest {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotDesk.class);
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long ANSWER_SECONDS_MOST = 10;
  private static final int THREADS = 4;
  private static final int CHORES_MAX = 1024;

  /**
   * Where snapshots on their way are kept, and who reads and writes them.
   *
   * @param sending runs what hands snapshots out
   * @param fetching runs what waits for other nodes; were it the same, two nodes could wait for
   *     each other
   */
  record Files(Path directory, Executor sending, Executor fetching) {}

  private final GroupId group;
  private final ReplicatedStateMachine machine;
  private final Replica replica;
  private final ReplicaLoop loop;
  private final HandOver handOver;
  private final DecisionServer decisions;
  private final BiFunction<NodeId, ByteBuffer, CompletionStage<ByteBuffer>> ask;
  private final SnapshotSender sender;
  private final SnapshotFetcher fetcher;
  private final Executor fetching;
  private final Executor sending;

  private volatile CompletableFuture<Checkpoint> installation =
      CompletableFuture.completedFuture(null);

  // The replica's thread alone.
  private long nextLookAt = ReplicaClock.nanos();
  private boolean underWay;

  /**
   * @param ask puts a question to another replica's desk
   * @throws IOException if its directory cannot be used
   */
  SnapshotDesk(
      GroupId group,
      NodeId self,
      OpenedReplica opened,
      ReplicaLoop loop,
      DecisionServer decisions,
      RabiaSettings settings,
      Files files,
      BiFunction<NodeId, ByteBuffer, CompletionStage<ByteBuffer>> ask)
      throws IOException {
    this.group = group;
    this.machine = opened.machine();
    this.replica = opened.replica();
    this.loop = loop;
    this.handOver = opened.handOver();
    this.decisions = decisions;
    this.ask = ask;
    this.sender =
        new SnapshotSender(
            this::export,
            new Exports(),
            files.directory().resolve("outgoing"),
            settings.snapshotChunkBytes(),
            settings.snapshotIdleTimeout(),
            files.sending());
    this.fetcher =
        new SnapshotFetcher(
            self.value(),
            files.directory().resolve("incoming"),
            settings.snapshotChunkBytes(),
            files.fetching());
    this.fetching = files.fetching();
    this.sending = files.sending();
  }

  /** Threads for {@link Files}; they go when they have nothing to do. */
  static ExecutorService newThreads(String name) {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(CHORES_MAX),
            new DefaultThreadFactory(name, true));
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  /** A request of another replica. Any thread; does not block. */
  CompletionStage<ByteBuffer> answer(NodeId from, ByteBuffer request) {
    // Before the export begins, so that the log still leads on from it when it is installed.
    loop.execute(() -> decisions.keepFor(from));
    return sender.answer(request);
  }

  /** Gets a snapshot, one at a time. On the replica's thread; does not block. */
  void fetch(Effect.FetchSnapshot wanted) {
    if (underWay) {
      return;
    }
    underWay = true;
    LOG.info(
        "Fetching a snapshot region={} from={} atLeast={}", group, wanted.from(), wanted.atLeast());
    try {
      fetcher
          .fetch(() -> new PeerSource(request -> ask.apply(wanted.from(), request)))
          .whenComplete((fetched, failure) -> loop.execute(() -> arrived(fetched, failure)));
    } catch (RejectedExecutionException e) {
      underWay = false;
    }
  }

  private void arrived(SnapshotFetcher.Fetched fetched, Throwable failure) {
    if (failure != null) {
      // The core asks again while it needs one.
      LOG.warn("No snapshot was fetched region={}: {}", group, reason(failure));
      underWay = false;
    } else if (handOver.taken().covers(fetched.position())) {
      underWay = false;
    } else {
      handOver.pause();
      installation = CompletableFuture.supplyAsync(() -> install(fetched), fetching);
      installation.whenComplete(
          (checkpoint, why) -> loop.execute(() -> installed(fetched, checkpoint, why)));
    }
  }

  private Checkpoint install(SnapshotFetcher.Fetched fetched) {
    try {
      Checkpoint checkpoint = CheckpointFile.take(fetched.directory());
      machine.install(fetched.directory(), fetched.position());
      return checkpoint;
    } catch (IOException e) {
      throw new CompletionException(e);
    }
  }

  private void installed(
      SnapshotFetcher.Fetched fetched, Checkpoint checkpoint, Throwable failure) {
    underWay = false;
    if (failure != null) {
      LOG.warn("A snapshot was not installed region={}: {}", group, reason(failure));
      handOver.resume(handOver.taken());
      return;
    }
    LOG.info(
        "Installed a snapshot region={} position={} bytes={}",
        group,
        fetched.position(),
        fetched.bytes());
    handOver.resume(fetched.position());
    // At once, or an offer of another snapshot that waits already would seem to be needed.
    loop.take(new Input.Installed(checkpoint, fetched.position()));
  }

  /**
   * The checkpoint is taken before the state, too, for the case that the core has let go of that
   * position when the export is done: one that is older than the state will do.
   */
  private Position export(Path directory) throws IOException {
    Optional<Checkpoint> before = onLoop(handOver.taken());
    Position position = machine.exportSnapshot(directory);
    Checkpoint checkpoint =
        onLoop(position)
            .or(() -> before)
            .orElseThrow(
                () -> new IOException("The log has gone on too far; ask for a newer snapshot."));
    CheckpointFile.write(directory, checkpoint);
    return position;
  }

  private Optional<Checkpoint> onLoop(Position position) throws IOException {
    CompletableFuture<Optional<Checkpoint>> answer = new CompletableFuture<>();
    loop.execute(() -> answer.complete(replica.checkpointFor(position)));
    try {
      return answer.get(ANSWER_SECONDS_MOST, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted while a snapshot was made", e);
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException("This replica does not say where it is", e);
    }
  }

  @Override
  public void turn(long nowNanos) {
    if (nowNanos - nextLookAt >= 0) {
      nextLookAt = nowNanos + LOOK_NANOS;
      dropIdle();
    }
  }

  private void dropIdle() {
    try {
      sending.execute(sender::dropIdle);
    } catch (RejectedExecutionException e) {
      // There is more urgent work; the next look is soon.
      return;
    }
  }

  @Override
  public long dueAt(long nowNanos) {
    return nextLookAt;
  }

  /** Blocks until the state is left alone. After the replica's thread has done its last turn. */
  void close() {
    sender.close();
    // Whether it succeeded, the state machine knows when it is opened again.
    installation.handle((done, failure) -> done).join();
  }

  private static String reason(Throwable failure) {
    return Failures.unwrap(failure).getMessage();
  }

  private final class Exports implements SnapshotSender.Events {
    @Override
    public void exported(UUID snapshot, String to, Position position, int files) {
      LOG.info(
          "Exported a snapshot region={} snapshot={} replica={} position={} files={}",
          group,
          snapshot,
          to,
          position,
          files);
    }

    @Override
    public void notDeleted(Path directory, IOException why) {
      LOG.warn("Could not delete a snapshot region={} directory={}", group, directory, why);
    }
  }
}
