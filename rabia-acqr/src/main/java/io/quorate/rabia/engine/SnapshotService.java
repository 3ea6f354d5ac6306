package io.quorate.rabia.engine;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.quorate.common.Failures;
import io.quorate.common.LogLimit;
import io.quorate.common.Pace;
import io.quorate.consensus.ReplicatedStateMachine;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.rabia.core.Replica;
import io.quorate.rabia.core.step.Effect;
import io.quorate.rabia.core.step.Input;
import io.quorate.rabia.protocol.Checkpoint;
import io.quorate.replication.snapshot.SnapshotFetcher;
import io.quorate.replication.snapshot.SnapshotSender;
import io.quorate.replication.transport.PeerSource;
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
 * Sends and fetches snapshots of one replica: the files of the state machine, and one file with the
 * core's checkpoint (S1).
 */
final class SnapshotService implements ReplicaLoop.LoopTask {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotService.class);
  private static final LogLimit FAILING = new LogLimit();
  private static final long IDLE_CHECK_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long CHECKPOINT_WAIT_SECONDS_MAX = 10;
  private static final int THREADS = 4;
  private static final int QUEUED_TASKS_MAX = 1024;

  /**
   * The directory of snapshots in transfer, and the executors that read and write them.
   *
   * @param sending runs exports and responses to snapshot requests
   * @param fetching runs tasks that wait for other nodes; with one executor for both, two nodes
   *     could wait for each other
   * @param pace of the snapshots that this node receives, of all groups together
   */
  record Files(Path directory, Executor sending, Executor fetching, Pace pace) {}

  private final GroupId group;
  private final ReplicatedStateMachine machine;
  private final Replica replica;
  private final ReplicaLoop loop;
  private final StateMachineFeed feed;
  private final DecisionServer decisions;
  private final BiFunction<NodeId, ByteBuffer, CompletionStage<ByteBuffer>> sendRequest;
  private final SnapshotSender sender;
  private final SnapshotFetcher fetcher;
  private final Executor fetching;
  private final Executor sending;

  private volatile CompletableFuture<Checkpoint> installation =
      CompletableFuture.completedFuture(null);

  // Accessed only by the replica's thread.
  private long nextCheckAt = ReplicaClock.nanos();
  private boolean inProgress;

  /**
   * @param sendRequest sends a request to the snapshot service of another replica
   * @throws IOException if the snapshot directory cannot be used
   */
  SnapshotService(
      GroupId group,
      NodeId self,
      OpenedReplica opened,
      ReplicaLoop loop,
      DecisionServer decisions,
      RabiaSettings settings,
      Files files,
      BiFunction<NodeId, ByteBuffer, CompletionStage<ByteBuffer>> sendRequest)
      throws IOException {
    this.group = group;
    this.machine = opened.machine();
    this.replica = opened.replica();
    this.loop = loop;
    this.feed = opened.feed();
    this.decisions = decisions;
    this.sendRequest = sendRequest;
    this.sender =
        new SnapshotSender(
            this::export,
            new Exports(),
            files.directory().resolve("outgoing"),
            settings.catchUp().chunkBytes(),
            settings.catchUp().idleTimeout(),
            files.sending());
    this.fetcher =
        new SnapshotFetcher(
            self.value(),
            files.directory().resolve("incoming"),
            settings.catchUp().chunkBytes(),
            files.fetching(),
            files.pace());
    this.fetching = files.fetching();
    this.sending = files.sending();
  }

  /** Creates threads for {@link Files}; idle ones end. */
  static ExecutorService newThreads(String name) {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(QUEUED_TASKS_MAX),
            new DefaultThreadFactory(name, true));
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  /** Serves a request of another replica. Any thread; does not block. */
  CompletionStage<ByteBuffer> respond(NodeId from, ByteBuffer request) {
    // Before the export begins, so that the log still continues it when it is installed.
    loop.execute(() -> decisions.retainFor(from));
    return sender.respond(request);
  }

  /** Fetches a snapshot, one at a time. On the replica's thread; does not block. */
  void fetch(Effect.FetchSnapshot wanted) {
    if (inProgress) {
      return;
    }
    inProgress = true;
    LOG.info(
        "Fetching a snapshot region={} from={} atLeast={}", group, wanted.from(), wanted.atLeast());
    try {
      fetcher
          .fetch(() -> new PeerSource(request -> sendRequest.apply(wanted.from(), request)))
          .whenComplete((fetched, failure) -> loop.execute(() -> fetchCompleted(fetched, failure)));
    } catch (RejectedExecutionException e) {
      inProgress = false;
    }
  }

  private void fetchCompleted(SnapshotFetcher.Fetched fetched, Throwable failure) {
    if (failure != null) {
      // The core requests a snapshot again while it needs one.
      FAILING.log(
          leftOut ->
              LOG.warn(
                  "Could not fetch a snapshot region={}: {}{}",
                  group,
                  reason(failure),
                  LogLimit.text(leftOut)));
      inProgress = false;
    } else if (feed.submitted().covers(fetched.position())) {
      inProgress = false;
    } else {
      feed.pause();
      installation = CompletableFuture.supplyAsync(() -> install(fetched), fetching);
      installation.whenComplete(
          (checkpoint, error) -> loop.execute(() -> installed(fetched, checkpoint, error)));
    }
  }

  private Checkpoint install(SnapshotFetcher.Fetched fetched) {
    try {
      Checkpoint checkpoint = CheckpointFile.take(fetched.directory(), fetched.position());
      machine.install(fetched.directory(), fetched.position());
      return checkpoint;
    } catch (IOException e) {
      throw new CompletionException(e);
    }
  }

  private void installed(
      SnapshotFetcher.Fetched fetched, Checkpoint checkpoint, Throwable failure) {
    inProgress = false;
    if (failure != null) {
      FAILING.log(
          leftOut ->
              LOG.warn(
                  "Could not install a snapshot region={}: {}{}",
                  group,
                  reason(failure),
                  LogLimit.text(leftOut)));
      feed.resume(feed.submitted());
      return;
    }
    LOG.info(
        "Installed a snapshot region={} position={} bytes={}",
        group,
        fetched.position(),
        fetched.bytes());
    feed.resume(fetched.position());
    // Immediately: otherwise a queued offer of another snapshot would start another fetch.
    loop.stepIfStarted(new Input.Installed(checkpoint, fetched.position()));
  }

  /**
   * The checkpoint is taken before the export as well, in case the core has dropped the position of
   * the state when the export is done: a checkpoint older than the state is sufficient. A newer one
   * is not: the receiver would not execute the slots in between. So it is that of the applied
   * position, and not of one that the state machine has only accepted.
   */
  private Position export(Path directory) throws IOException {
    Optional<Checkpoint> before = checkpointAt(machine.applied());
    Position position = machine.exportSnapshot(directory);
    Checkpoint checkpoint =
        checkpointAt(position)
            .or(() -> before)
            .orElseThrow(
                () -> new IOException("The log was truncated further; request a newer snapshot."));
    CheckpointFile.write(directory, checkpoint);
    return position;
  }

  private Optional<Checkpoint> checkpointAt(Position position) throws IOException {
    CompletableFuture<Optional<Checkpoint>> checkpoint = new CompletableFuture<>();
    loop.execute(() -> checkpoint.complete(replica.checkpointFor(position)));
    try {
      return checkpoint.get(CHECKPOINT_WAIT_SECONDS_MAX, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted while a snapshot was made", e);
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException("This replica did not return its checkpoint", e);
    }
  }

  @Override
  public void onIteration(long nowNanos) {
    if (nowNanos - nextCheckAt >= 0) {
      nextCheckAt = nowNanos + IDLE_CHECK_NANOS;
      dropIdle();
    }
  }

  private void dropIdle() {
    try {
      sending.execute(sender::dropIdle);
    } catch (RejectedExecutionException e) {
      // The executor is busy; the next check follows soon.
      return;
    }
  }

  @Override
  public long dueAt(long nowNanos) {
    return nextCheckAt;
  }

  /** Blocks until no installation runs. After the last iteration of the replica's thread. */
  void close() {
    sender.close();
    // The state machine finds out whether it succeeded when it is opened again.
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
