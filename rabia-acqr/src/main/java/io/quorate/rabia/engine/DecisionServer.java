package io.quorate.rabia.engine;

import io.quorate.common.LogLimit;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.rabia.core.Replica;
import io.quorate.rabia.core.step.Effect;
import io.quorate.rabia.core.step.Input;
import io.quorate.rabia.log.DecisionReader;
import io.quorate.rabia.log.ReplicaLog;
import io.quorate.rabia.protocol.Decided;
import io.quorate.rabia.protocol.Message;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends decisions from the log to replicas that are behind (T3), and retains the part of the log
 * that they need: from the position of a snapshot that one of them fetches, or from the decisions
 * that it fetched last, until it stops fetching. Otherwise the log would be truncated beyond every
 * snapshot that such a replica installs under load, and it would never catch up.
 *
 * <p>On the replica's thread; another thread reads files.
 */
final class DecisionServer implements ReplicaLoop.LoopTask {
  private static final Logger LOG = LoggerFactory.getLogger(DecisionServer.class);
  private static final LogLimit UNREADABLE = new LogLimit();

  /** How long the log is retained for a replica that fetches nothing. */
  private static final long HOLD_NANOS = TimeUnit.SECONDS.toNanos(30);

  private static final class Hold {
    private final DecisionReader reader;
    private Position through;
    private long usedAt;
    private boolean reading;

    private Hold(DecisionReader reader, Position through) {
      this.reader = reader;
      this.through = through;
    }
  }

  private final GroupId group;
  private final Replica replica;
  private final ReplicaLog log;
  private final ReplicaLoop loop;
  private final ReplicaLoop.Network network;
  private final Executor files;
  private final RabiaSettings settings;
  private final Map<NodeId, Hold> holds = new HashMap<>();
  private Position requested = Position.NONE;
  private Position truncated = Position.NONE;

  /**
   * @param files runs reads of the log
   */
  DecisionServer(
      GroupId group,
      OpenedReplica opened,
      ReplicaLoop loop,
      ReplicaLoop.Network network,
      Executor files,
      RabiaSettings settings) {
    this.group = group;
    this.replica = opened.replica();
    this.log = opened.log();
    this.loop = loop;
    this.network = network;
    this.files = files;
    this.settings = settings;
  }

  /** Reads and sends decisions, one request of a replica at a time: it repeats the others. */
  void send(Effect.SendFromLog wanted) {
    Hold hold = hold(wanted.to());
    if (hold.reading) {
      return;
    }
    hold.through = new Position(0, wanted.from() - 1);
    hold.reading = true;
    try {
      files.execute(() -> read(wanted, hold));
    } catch (RejectedExecutionException e) {
      hold.reading = false;
    }
  }

  private void read(Effect.SendFromLog wanted, Hold hold) {
    List<Decided> decided = List.of();
    try {
      decided = hold.reader.read(wanted.from(), wanted.slotsMax(), wanted.bytesMax());
    } catch (IOException e) {
      UNREADABLE.log(
          leftOut ->
              LOG.warn(
                  "Cannot read decisions from the log region={} slot={}: {}{}",
                  group,
                  wanted.from(),
                  e,
                  LogLimit.text(leftOut)));
    }
    List<Decided> found = decided;
    loop.execute(() -> respond(wanted, hold, found));
  }

  private void respond(Effect.SendFromLog wanted, Hold hold, List<Decided> decided) {
    hold.reading = false;
    if (decided.isEmpty()) {
      loop.submit(new Input.NotInLog(wanted.to()));
    } else {
      network.send(List.of(wanted.to()), new Message.Decisions(wanted.from(), decided));
    }
  }

  private Hold hold(NodeId peer) {
    Hold hold = holds.computeIfAbsent(peer, p -> new Hold(log.decisions(), lowest()));
    hold.usedAt = ReplicaClock.nanos();
    return hold;
  }

  /** The lowest position in use: a snapshot in transfer may be sent to the next replica, too. */
  private Position lowest() {
    return holds.values().stream()
        .map(hold -> hold.through)
        .reduce(replica.executed(), (one, other) -> one.covers(other) ? other : one);
  }

  /** Retains the log from here on for a replica that begins or continues to fetch a snapshot. */
  void retainFor(NodeId peer) {
    hold(peer);
  }

  /** Truncates the log: the core needs no record up to this position. */
  void truncate(Position through) {
    requested = through;
    apply();
  }

  private void apply() {
    Position through = requested;
    for (Hold hold : holds.values()) {
      through = hold.through.index() < through.index() ? hold.through : through;
    }
    if (through.index() > truncated.index()) {
      truncated = through;
      log.truncate(through);
    }
  }

  @Override
  public void onIteration(long nowNanos) {
    if (holds.isEmpty()) {
      return;
    }
    boolean full = isLogFull();
    if (full) {
      LOG.warn(
          "The log has rabia.log-retained-size-max and is no longer retained for replicas that are"
              + " behind; they need a new snapshot region={} replicas={}",
          group,
          holds.keySet());
    }
    if (holds.values().removeIf(hold -> full || nowNanos - hold.usedAt > HOLD_NANOS)) {
      apply();
    }
  }

  /** The log of the node has a bound too, from which on its replicas would have to wait. */
  private boolean isLogFull() {
    return log.liveBytes() > settings.catchUp().logRetainedBytesMax()
        || log.bytesOnDisk() > settings.log().logBytesMax() / 2;
  }

  @Override
  public long dueAt(long nowNanos) {
    return holds.isEmpty() ? ReplicaLoop.idle(nowNanos) : nowNanos + HOLD_NANOS / 10;
  }
}
