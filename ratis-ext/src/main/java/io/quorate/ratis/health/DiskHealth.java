package io.quorate.ratis.health;

import io.quorate.consensus.BodyStorage;
import io.quorate.model.Position;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Predicate;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.raftlog.RaftLog;

/**
 * The health of a node's disks, derived from the work that waits for them: the logs of all groups,
 * the bodies of large values, and the committed entries that each state machine has to receive and
 * to apply. All logs are on one disk, so a stalled log counts for all groups, and so do stalled
 * bodies, which may be on another one; a stalled state machine counts only for its own group. A
 * store of bodies that has failed is stalled for good.
 *
 * <p>One thread calls {@link #tick}; any thread may call the other methods. Nothing blocks.
 */
public final class DiskHealth {
  /**
   * The progress of a replica.
   *
   * @param logged the last index in its log
   * @param synced the last index that is on disk
   * @param committed the last index that this replica knows to be committed
   * @param handedOver the last index that was delivered to its state machine
   * @param applied the last index that the state machine has applied
   */
  public record Progress(long logged, long synced, long committed, long handedOver, long applied) {
    /** The progress of a replica that is being opened or closed: no work waits. */
    public static final Progress NONE = new Progress(-1, -1, -1, -1, -1);

    /** Whether no work waits. */
    boolean isAtRest() {
      return logged <= synced && committed <= handedOver && handedOver <= applied;
    }

    /** The present progress; {@link #NONE} if the log is being closed. Does not block. */
    public static Progress of(RaftLog log, Position handedOver, Position applied) {
      try {
        return new Progress(
            log.getNextIndex() - 1,
            log.getFlushIndex(),
            log.getLastCommittedIndex(),
            handedOver.index(),
            applied.index());
      } catch (IllegalStateException e) {
        return NONE;
      }
    }
  }

  private static final class Replica {
    private final StallWatch log;
    private final StallWatch handingOver;
    private final StallWatch applying;
    private volatile boolean isApplyingSlow;
    private volatile boolean isApplyingStalled;
    private volatile boolean isApplyingHealthy = true;

    Replica(Duration stallTimeout, Duration tick) {
      this.log = new StallWatch(stallTimeout, tick);
      this.handingOver = new StallWatch(stallTimeout, tick);
      this.applying = new StallWatch(stallTimeout, tick);
    }

    /** Whether another one would say the same of it. */
    boolean isAsNew() {
      return log.isHealthy() && isApplyingHealthy;
    }

    void tick(long nowNanos, Progress progress) {
      log.tick(nowNanos, progress.logged() > progress.synced(), progress.synced());
      handingOver.tick(
          nowNanos, progress.committed() > progress.handedOver(), progress.handedOver());
      applying.tick(nowNanos, progress.handedOver() > progress.applied(), progress.applied());
      isApplyingSlow = handingOver.isSlow() || applying.isSlow();
      isApplyingStalled = handingOver.isStalled() || applying.isStalled();
      isApplyingHealthy = handingOver.isHealthy() && applying.isHealthy();
    }
  }

  private final Duration stallTimeout;
  private final Duration tick;

  /** Those in which work waits, or has been stalled: a node has many at rest. */
  private final Map<RaftGroupId, Replica> replicas = new ConcurrentHashMap<>();

  private final StallWatch bodies;
  private volatile boolean areLogsSlow;
  private volatile boolean areLogsStalled;
  private volatile boolean areLogsHealthy = true;
  private volatile boolean areBodiesSlow;
  private volatile boolean areBodiesStalled;
  private volatile boolean areBodiesHealthy = true;

  /**
   * @param stallTimeout how long work may wait without progress
   * @param tick the interval between calls of {@link #tick}
   */
  public DiskHealth(Duration stallTimeout, Duration tick) {
    this.stallTimeout = stallTimeout;
    this.tick = tick;
    this.bodies = new StallWatch(stallTimeout, tick);
  }

  /**
   * Checks the progress of every replica of the node.
   *
   * @param members all replicas
   * @param progress of one of them
   * @param ofBodies that of the bodies of all replicas; empty if there are none
   */
  public <M> void tick(
      long nowNanos,
      Map<RaftGroupId, M> members,
      Function<M, Progress> progress,
      Optional<BodyStorage.Progress> ofBodies) {
    ofBodies.ifPresent(of -> bodies.tick(nowNanos, of.begun() > of.ended(), of.ended()));
    areBodiesSlow = bodies.isSlow();
    areBodiesStalled = bodies.isStalled();
    areBodiesHealthy = bodies.isHealthy();
    replicas.keySet().retainAll(members.keySet());
    members.forEach((group, member) -> tick(nowNanos, group, progress.apply(member)));
    Collection<Replica> all = replicas.values();
    areLogsSlow = any(all, StallWatch::isSlow);
    areLogsStalled = any(all, StallWatch::isStalled);
    areLogsHealthy = !any(all, log -> !log.isHealthy());
  }

  private void tick(long nowNanos, RaftGroupId group, Progress progress) {
    Replica replica = replicas.get(group);
    if (replica == null && progress.isAtRest()) {
      return;
    }
    if (replica == null) {
      replica = new Replica(stallTimeout, tick);
      replicas.put(group, replica);
    }
    replica.tick(nowNanos, progress);
    if (progress.isAtRest() && replica.isAsNew()) {
      replicas.remove(group);
    }
  }

  private static boolean any(Collection<Replica> replicas, Predicate<StallWatch> condition) {
    return replicas.stream().anyMatch(replica -> condition.test(replica.log));
  }

  /** Whether a write to a log or its directory can be expected to reach the disk. */
  public boolean isLogResponsive() {
    return !areLogsStalled;
  }

  /** Whether the group's leadership may have to be transferred soon. */
  public boolean isSlow(RaftGroupId group) {
    Replica replica = replicas.get(group);
    return areLogsSlow || areBodiesSlow || replica != null && replica.isApplyingSlow;
  }

  /** Whether this node cannot lead the group. */
  public boolean isStalled(RaftGroupId group) {
    Replica replica = replicas.get(group);
    return areLogsStalled || areBodiesStalled || replica != null && replica.isApplyingStalled;
  }

  /** Whether this node could lead the group: nothing has been stalled for the stall timeout. */
  public boolean mayLead(RaftGroupId group) {
    Replica replica = replicas.get(group);
    return areLogsHealthy && areBodiesHealthy && (replica == null || replica.isApplyingHealthy);
  }
}
