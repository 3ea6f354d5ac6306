package io.quorate.ratis.quorum;

import io.quorate.common.Failures;
import io.quorate.consensus.GroupControl;
import io.quorate.consensus.KeyScope;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.quorum.LatencyAwareSelector;
import io.quorate.quorum.ReadReply;
import io.quorate.ratis.read.ReadIndex;
import io.quorate.replication.quorum.QuorumBounds;
import io.quorate.replication.quorum.QuorumReadCodec;
import io.quorate.replication.requests.RequestKind;
import io.quorate.replication.threads.SharedLoops;
import io.quorate.replication.transport.GroupRequests;
import io.quorate.replication.transport.RequestTimeout;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.raftlog.segmented.SegmentedRaftLog;

/**
 * The reads of one replica that do not need its leader, put together. It is created before Ratis'
 * division, whose log may be truncated before {@link #start}; until then every request is refused.
 * Any thread; nothing blocks except {@link #close}, for a moment.
 */
public final class FollowerReadService {

  /**
   * What the reads of all groups of a node share.
   *
   * @param loops execute rounds
   * @param files executes what reads files
   */
  public record Node(NodeId self, RequestsInFlight load, SharedLoops loops, Executor files) {}

  private record Started(
      ReadIndex confirmed, FollowerReadIndex followerReads, QuorumReadService quorumReads) {}

  private final Node node;
  private final QuorumBounds bounds;
  private final ReadMetrics metrics;
  private final Supplier<Position> applied;
  private final BooleanSupplier isMember;
  private final UnappliedWrites.Source log = new Log();
  private final UnappliedWrites unappliedWrites;
  private final CommitNotifier commitNotifier = new CommitNotifier();
  private volatile RaftServer.Division division;
  private volatile Started started;

  /**
   * @param commands splits a log entry into commands
   * @param writeSet the keys that a command may write
   * @param applied the last position that was delivered to the state machine
   * @param isMember whether the configurations in this replica's log can mean this replica, and not
   *     a former one of its node
   */
  public FollowerReadService(
      Node node,
      QuorumBounds bounds,
      ReadMetrics metrics,
      Function<ByteBuffer, List<ByteBuffer>> commands,
      Function<ByteBuffer, KeyScope> writeSet,
      Supplier<Position> applied,
      BooleanSupplier isMember) {
    this.node = node;
    this.bounds = bounds;
    this.metrics = metrics;
    this.applied = applied;
    this.isMember = isMember;
    this.unappliedWrites = new UnappliedWrites(log, commands, writeSet);
  }

  /**
   * Starts the reads when Ratis' division exists, with its log.
   *
   * @param requests sends requests to the other replicas, which {@link #handlers} serve there
   */
  public void start(RaftServer.Division member, ReadIndex confirmed, GroupRequests requests) {
    division = member;
    LatencyAwareSelector selector =
        new LatencyAwareSelector(() -> ThreadLocalRandom.current().nextDouble());
    Peers peers =
        new Peers(
            member,
            requests,
            new RequestTimeout(bounds.timeout(), bounds.section() + ".read-timeout"),
            selector);
    FollowerReadIndex followerReads = new FollowerReadIndex(member, confirmed, peers, metrics);
    QuorumReadService quorumReads =
        new QuorumReadService(
            member,
            new ReplicaReadReplies(
                node.self(), member, unappliedWrites, applied, isMember, node.files()),
            peers,
            followerReads,
            bounds,
            metrics,
            commitNotifier,
            node.loops());
    started = new Started(confirmed, followerReads, quorumReads);
  }

  /** To be called before other entries replace those from {@code first} on. */
  public void truncated(long first) {
    unappliedWrites.truncated(first);
  }

  /** To be called when more of the log was delivered to the state machine. */
  public void advanced() {
    Started current = started;
    if (current == null) {
      return;
    }
    current.quorumReads().advanced();
    if (commitNotifier.mustAnnounce(
        applied.get(), () -> log.lastIndex().orElse(Long.MAX_VALUE), System.nanoTime())) {
      current.confirmed().announceCommit();
    }
  }

  /** Drops the records of applied writes; to be called periodically. */
  public void tidy() {
    unappliedWrites.dropApplied(applied.get());
  }

  /** Empty before {@link #start}. */
  public List<GroupControl> controls() {
    Started current = started;
    return current == null ? List.of() : List.of(current.quorumReads(), current.followerReads());
  }

  /** The handlers of the read requests of other replicas, by kind. */
  public Map<Byte, GroupRequests.Handler> handlers() {
    return Map.of(
        RequestKind.READ_REPLIES.code(), (from, request) -> readReplies(request),
        RequestKind.READ_INDEX.code(), (from, request) -> readIndex());
  }

  private CompletableFuture<ByteBuffer> readReplies(ByteBuffer request) {
    Started current = started;
    if (current == null) {
      return starting();
    }
    try {
      List<ReadReply<Void>> replies =
          current.quorumReads().repliesFor(QuorumReadCodec.readRequest(request));
      return CompletableFuture.completedFuture(
          replies.isEmpty()
              ? refusal("This replica is catching up.")
              : ReadResponse.granted(node.load().count(), QuorumReadCodec.response(replies)));
    } catch (IOException e) {
      return CompletableFuture.completedFuture(refusal(e.getMessage()));
    }
  }

  private CompletableFuture<ByteBuffer> readIndex() {
    Started current = started;
    if (current == null) {
      return starting();
    }
    commitNotifier.requestReceived(System.nanoTime());
    return current.confirmed().readIndex(false).handle(this::index);
  }

  private CompletableFuture<ByteBuffer> starting() {
    return CompletableFuture.completedFuture(refusal("This replica is starting."));
  }

  private ByteBuffer index(Position position, Throwable failure) {
    return failure == null
        ? ReadResponse.granted(
            node.load().count(), position.write(ByteBuffer.allocate(Position.BYTES)).flip())
        : refusal(Failures.unwrap(failure).getMessage());
  }

  private ByteBuffer refusal(String reason) {
    return ReadResponse.refused(node.load().count(), reason);
  }

  /** Fails all reads that have not completed. */
  public void close() {
    Started current = started;
    if (current != null) {
      current.quorumReads().close();
    }
  }

  private final class Log implements UnappliedWrites.Source {
    @Override
    public OptionalLong lastIndex() {
      try {
        return OptionalLong.of(division.getRaftLog().getNextIndex() - 1);
      } catch (IllegalStateException e) {
        // Ratis throws this for a closed log.
        return OptionalLong.empty();
      }
    }

    @Override
    public Optional<LogEntryProto> inMemory(long index) {
      return ((SegmentedRaftLog) division.getRaftLog()).inMemory(index);
    }

    @Override
    public Optional<LogEntryProto> entry(long index) throws IOException {
      try {
        return Optional.ofNullable(division.getRaftLog().get(index));
      } catch (IllegalStateException e) {
        throw new IOException("The log is closed.", e);
      }
    }
  }
}
