package io.quorate.ratis.health;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.apache.ratis.protocol.RaftGroupId;

/**
 * What is known of a node's disk by the work that waits for it: the logs of all groups, and what
 * each state machine has to apply. All logs are on one disk, so one that is stalled speaks for all;
 * a state machine speaks for its own group.
 *
 * <p>Ticks come from one thread; everything else may be asked by any. Nothing blocks.
 */
public final class DiskHealth {
  /**
   * How far a replica is.
   *
   * @param logged the last index in its log
   * @param synced the last index that is on disk
   * @param handedOver the last index that its state machine was given
   * @param applied the last index that the state machine has applied
   */
  public record Progress(long logged, long synced, long handedOver, long applied) {
    /** Of a replica that is being opened or closed: nothing waits. */
    public static final Progress NONE = new Progress(-1, -1, -1, -1);
  }

  private static final class Replica {
    private final StallWatch log;
    private final StallWatch applying;
    private volatile boolean isApplyingSlow;
    private volatile boolean isApplyingStalled;
    private volatile boolean isApplyingSound = true;

    Replica(Duration patience, Duration tick) {
      this.log = new StallWatch(patience, tick);
      this.applying = new StallWatch(patience, tick);
    }

    void tick(long nowNanos, Progress progress) {
      log.tick(nowNanos, progress.logged() > progress.synced(), progress.synced());
      applying.tick(nowNanos, progress.handedOver() > progress.applied(), progress.applied());
      isApplyingSlow = applying.isSlow();
      isApplyingStalled = applying.isStalled();
      isApplyingSound = applying.isSound();
    }
  }

  private final Duration patience;
  private final Duration tick;
  private final Map<RaftGroupId, Replica> replicas = new ConcurrentHashMap<>();
  private volatile boolean areLogsSlow;
  private volatile boolean areLogsStalled;
  private volatile boolean areLogsSound = true;

  /**
   * @param patience how long work may wait without progress
   * @param tick how often {@link #tick} is called
   */
  public DiskHealth(Duration patience, Duration tick) {
    this.patience = patience;
    this.tick = tick;
  }

  /** Looks at every replica of the node. */
  public void tick(long nowNanos, Map<RaftGroupId, Progress> progress) {
    replicas.keySet().retainAll(progress.keySet());
    progress.forEach(
        (group, of) ->
            replicas.computeIfAbsent(group, id -> new Replica(patience, tick)).tick(nowNanos, of));
    Collection<Replica> all = replicas.values();
    areLogsSlow = any(all, StallWatch::isSlow);
    areLogsStalled = any(all, StallWatch::isStalled);
    areLogsSound = !any(all, log -> !log.isSound());
  }

  private static boolean any(Collection<Replica> replicas, Predicate<StallWatch> what) {
    return replicas.stream().anyMatch(replica -> what.test(replica.log));
  }

  /** Whether what has to be written to a log or its directory can be expected to get there. */
  public boolean isLogResponsive() {
    return !areLogsStalled;
  }

  /** Whether the group might have to be led elsewhere soon. */
  public boolean isSlow(RaftGroupId group) {
    Replica replica = replicas.get(group);
    return areLogsSlow || replica != null && replica.isApplyingSlow;
  }

  /** Whether this node cannot lead the group. */
  public boolean isStalled(RaftGroupId group) {
    Replica replica = replicas.get(group);
    return areLogsStalled || replica != null && replica.isApplyingStalled;
  }

  /** Whether this node could lead the group: nothing has been stalled for a while. */
  public boolean mayLead(RaftGroupId group) {
    Replica replica = replicas.get(group);
    return areLogsSound && (replica == null || replica.isApplyingSound);
  }
}
