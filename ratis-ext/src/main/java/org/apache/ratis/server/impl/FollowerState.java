package org.apache.ratis.server.impl;

import io.quorate.ratis.log.ReplicaParts;
import io.quorate.ratis.patches.InPlaceOfRatis;
import io.quorate.replication.threads.SharedLoops;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.util.ServerStringUtils;
import org.apache.ratis.util.TimeDuration;
import org.apache.ratis.util.Timestamp;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The election timeout of a follower. It takes the place of the class of this name in Ratis 3.3.0,
 * a thread of each follower that sleeps. This one uses the timer that all replicas of a node share.
 * See ADR 0087.
 *
 * <p>Upstream: not reported. Fails without it: {@code ThreadsOfGroupsTest}. Can go when Ratis has a
 * setting for the threads of replicas.
 */
@InPlaceOfRatis
class FollowerState {
  private static final Logger LOG = LoggerFactory.getLogger(FollowerState.class);

  /** What a follower has received; during the first ones of each pair it starts no election. */
  enum UpdateType {
    APPEND_START(1),
    APPEND_COMPLETE(-1),
    INSTALL_SNAPSHOT_START(1),
    INSTALL_SNAPSHOT_COMPLETE(-1),
    INSTALL_SNAPSHOT_NOTIFICATION(0),
    REQUEST_VOTE(0);

    private final int outstanding;

    UpdateType(int outstanding) {
      this.outstanding = outstanding;
    }
  }

  private final String name;
  private final Object reason;
  private final RaftServerImpl server;
  private final SharedLoops loops;
  private final Timestamp creationTime = Timestamp.currentTime();
  private final AtomicInteger outstanding = new AtomicInteger();
  private final CompletableFuture<Void> stopped = new CompletableFuture<>();
  private volatile Timestamp lastRpcTime = creationTime;
  private volatile boolean isRunning = true;

  /** Whether a leader has sent anything. */
  private volatile boolean hasLeader;

  /** Guarded by this, as all below. */
  private boolean isChecking;

  private ScheduledFuture<?> timer;

  /** How many times it has begun to wait; those before the last one are over. */
  private long waits;

  /**
   * @param reason why it is a follower
   */
  FollowerState(RaftServerImpl server, Object reason) {
    this.name = ServerStringUtils.generateUnifiedName(server.getMemberId(), getClass());
    this.server = server;
    this.reason = reason;
    this.loops = ((ReplicaParts) server.getStateMachine()).loops();
  }

  void start() {
    awaitTimeout();
  }

  void updateLastRpcTime(UpdateType type) {
    lastRpcTime = Timestamp.currentTime();
    outstanding.addAndGet(type.outstanding);
    if (type == UpdateType.APPEND_START && !hasLeader) {
      hasLeader = true;
      waitAnew();
    }
  }

  /**
   * Begins with its leader: it may have begun with the timeout of the first election after a start,
   * which ends when the leader is elected.
   */
  private synchronized void waitAnew() {
    if (isRunning && !isChecking && timer != null) {
      timer.cancel(false);
      awaitTimeout();
    }
  }

  Timestamp getLastRpcTime() {
    return lastRpcTime;
  }

  int getOutstandingOp() {
    return outstanding.get();
  }

  boolean isCurrentLeaderValid() {
    return lastRpcTime.elapsedTime().compareTo(server.properties().minRpcTimeout()) < 0;
  }

  /** Whether it has stepped down a moment ago because it did not reach a majority. */
  boolean lostMajorityHeartbeatsRecently() {
    return reason == LeaderState.StepDownReason.LOST_MAJORITY_HEARTBEATS
        && creationTime.elapsedTime().compareTo(server.getLeaderStepDownWaitTime()) < 0;
  }

  /**
   * Starts no election any more, unless it is starting one. Does not block.
   *
   * @return completes when it is not
   */
  synchronized CompletableFuture<Void> stopRunning() {
    isRunning = false;
    if (timer != null) {
      timer.cancel(false);
    }
    if (!isChecking) {
      stopped.complete(null);
    }
    return stopped;
  }

  /** Waits for a random timeout. */
  private synchronized void awaitTimeout() {
    isChecking = false;
    if (!isRunning) {
      stopped.complete(null);
      return;
    }
    long wait = ++waits;
    TimeDuration timeout = server.getRandomElectionTimeout();
    Timestamp begin = Timestamp.currentTime();
    try {
      timer =
          loops
              .timer()
              .schedule(
                  () -> elapsed(wait, timeout, begin),
                  timeout.toLong(TimeUnit.NANOSECONDS),
                  TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      LOG.debug("{} ends: this node is closing", name, e);
      stopped.complete(null);
    }
  }

  /** On the timer. */
  private void elapsed(long wait, TimeDuration timeout, Timestamp begin) {
    // A process that stood still has not heard its leader either.
    boolean isLate =
        begin.elapsedTime().subtract(timeout).compareTo(server.getSleepDeviationThreshold()) > 0;
    boolean isDue = !isLate && isDue(timeout);
    synchronized (this) {
      if (wait != waits) {
        return;
      }
      if (!isDue) {
        awaitTimeout();
        return;
      }
      isChecking = true;
    }
    try {
      loops.runLater(() -> check(timeout));
    } catch (RejectedExecutionException e) {
      awaitTimeout();
    }
  }

  /** On a loop, for Ratis' lock of the replica. */
  private void check(TimeDuration timeout) {
    try {
      synchronized (server) {
        if (isDue(timeout)) {
          LOG.info("{} becomes a candidate, after millis={}", name, lastRpcTime.elapsedTimeMs());
          server.getLeaderElectionMetrics().onLeaderElectionTimeout();
          server.changeToCandidate(false);
          isRunning = false;
        }
      }
    } catch (RuntimeException | Error e) {
      LOG.warn("{} could not become a candidate, and tries again", name, e);
    }
    awaitTimeout();
  }

  private boolean isDue(TimeDuration timeout) {
    return outstanding.get() == 0
        && isRunning
        && server.getInfo().isFollower()
        && lastRpcTime.elapsedTime().compareTo(timeout) >= 0
        && !lostMajorityHeartbeatsRecently()
        && server.isRunning();
  }

  @Override
  public String toString() {
    return name;
  }
}
