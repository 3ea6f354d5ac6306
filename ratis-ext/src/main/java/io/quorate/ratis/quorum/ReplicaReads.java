package io.quorate.ratis.quorum;

import io.quorate.consensus.Failures;
import io.quorate.consensus.GroupControl;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import io.quorate.consensus.quorum.QuorumBounds;
import io.quorate.consensus.quorum.ReplicaLoads;
import io.quorate.consensus.quorum.Share;
import io.quorate.consensus.quorum.ShareExchange;
import io.quorate.ratis.read.ConfirmedReads;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.raftlog.segmented.EntriesInMemory;

/**
 * Reads of one replica that need not go to its leader, put together. It exists before Ratis' own
 * member does, whose log may be truncated before {@link #start}; until then nothing is answered.
 * Any thread; nothing blocks but {@link #close}, for a moment.
 */
public final class ReplicaReads {

  /**
   * What the reads of all groups of a node share.
   *
   * @param workers for rounds; one task a group at a time
   * @param timer wakes, and runs nothing itself
   * @param files for what reads files
   */
  public record Node(
      NodeId self,
      PeerChannel channel,
      RequestsInFlight load,
      Executor workers,
      ScheduledExecutorService timer,
      Executor files) {}

  private record Started(ConfirmedReads confirmed, LeaderIndex leader, QuorumDesk desk) {}

  private final Node node;
  private final QuorumBounds bounds;
  private final ReadMetrics metrics;
  private final Supplier<Position> applied;
  private final LogIntents.Source log = new Log();
  private final LogIntents intents;
  private final CommitNews news = new CommitNews();
  private volatile RaftServer.Division division;
  private volatile Started started;

  /**
   * @param commands splits a log entry into commands
   * @param footprint which keys a command may write
   * @param applied up to where the state machine was handed the log
   */
  public ReplicaReads(
      Node node,
      QuorumBounds bounds,
      ReadMetrics metrics,
      Function<ByteBuffer, List<ByteBuffer>> commands,
      Function<ByteBuffer, KeyScope> footprint,
      Supplier<Position> applied) {
    this.node = node;
    this.bounds = bounds;
    this.metrics = metrics;
    this.applied = applied;
    this.intents = new LogIntents(log, commands, footprint);
  }

  /** Ratis' own member is there, with its log. */
  public void start(RaftServer.Division member, ConfirmedReads confirmed) {
    division = member;
    ReplicaLoads loads = new ReplicaLoads(() -> ThreadLocalRandom.current().nextDouble());
    Peers peers = new Peers(member, node.channel(), loads);
    LeaderIndex leader = new LeaderIndex(member, confirmed, peers, metrics);
    QuorumDesk desk =
        new QuorumDesk(
            member,
            new ReplicaShares(node.self(), member, intents, applied, node.files()),
            peers,
            leader,
            bounds,
            metrics,
            news,
            new Turns.Threads(node.workers(), node.timer()));
    started = new Started(confirmed, leader, desk);
  }

  /** Before other entries come in the place of those from {@code first} on. */
  public void truncated(long first) {
    intents.truncated(first);
  }

  /** The state machine was handed more of the log. */
  public void advanced() {
    Started mine = started;
    if (mine == null) {
      return;
    }
    mine.desk().advanced();
    if (news.isToBeTold(
        applied.get(), () -> log.lastIndex().orElse(Long.MAX_VALUE), System.nanoTime())) {
      mine.confirmed().announceCommit();
    }
  }

  /** Forgets what need not be remembered; to be called every now and then. */
  public void tidy() {
    intents.settle(applied.get());
  }

  /** Empty for a control that has nothing to do with reads. */
  public <T extends GroupControl> Optional<T> control(Class<T> type) {
    Started mine = started;
    if (mine == null) {
      return Optional.empty();
    }
    if (type.isInstance(mine.desk())) {
      return Optional.of(type.cast(mine.desk()));
    }
    return type.isInstance(mine.leader())
        ? Optional.of(type.cast(mine.leader()))
        : Optional.empty();
  }

  /** Whether a message of another node is a question about reads. */
  public static boolean isQuestion(ByteBuffer message) {
    return PeerMessage.isQuestion(message);
  }

  /** What a replica says that this node does not have. */
  public static ByteBuffer absent() {
    return PeerMessage.refusal(0, "This node has no such replica.");
  }

  /** Another replica's question. The answer never fails. */
  public CompletableFuture<ByteBuffer> answer(ByteBuffer bytes) {
    Started mine = started;
    if (mine == null) {
      return CompletableFuture.completedFuture(refusal("This replica is starting."));
    }
    try {
      PeerMessage.Question question = PeerMessage.readQuestion(bytes);
      if (question.kind() == PeerMessage.SHARES) {
        List<Share<Void>> shares =
            mine.desk().sharesFor(ShareExchange.readRequest(question.body()));
        return CompletableFuture.completedFuture(
            shares.isEmpty()
                ? refusal("This replica is catching up.")
                : PeerMessage.answer(node.load().count(), ShareExchange.answer(shares)));
      } else if (question.kind() == PeerMessage.READ_INDEX) {
        news.followerAsked(System.nanoTime());
        return mine.confirmed().readIndex(false).handle(this::index);
      }
      return CompletableFuture.completedFuture(
          refusal("This release knows no question of kind " + question.kind() + "."));
    } catch (IOException e) {
      return CompletableFuture.completedFuture(refusal(e.getMessage()));
    }
  }

  private ByteBuffer index(Position position, Throwable failure) {
    return failure == null
        ? PeerMessage.answer(
            node.load().count(),
            ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(position.epoch())
                .putLong(position.index())
                .flip())
        : refusal(Failures.unwrap(failure).getMessage());
  }

  private ByteBuffer refusal(String why) {
    return PeerMessage.refusal(node.load().count(), why);
  }

  /** Reads without an answer fail. */
  public void close() {
    Started mine = started;
    if (mine != null) {
      mine.desk().close();
    }
  }

  private final class Log implements LogIntents.Source {
    @Override
    public OptionalLong lastIndex() {
      try {
        return OptionalLong.of(division.getRaftLog().getNextIndex() - 1);
      } catch (IllegalStateException e) {
        // Ratis says so of a log that is closed.
        return OptionalLong.empty();
      }
    }

    @Override
    public Optional<LogEntryProto> inMemory(long index) {
      return EntriesInMemory.get(division.getRaftLog(), index);
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
