package io.quorate.ratis.schedule;

import io.quorate.common.Failpoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A fault of a schedule.
 *
 * @param atLeader whether it befalls whoever leads at its begin
 * @param node the index of the node otherwise, and of the new leader of a transfer
 * @param step where a node is killed or stalled
 * @param atMillis when it begins, after the begin of the schedule
 * @param millis how long it lasts
 */
record Fault(Kind kind, boolean atLeader, int node, Failpoint step, int atMillis, int millis) {

  enum Kind {
    /** Nothing more leaves the node, and what is not on disk is lost; it starts at the end. */
    KILL,
    /** The same when it reaches the step, or else at the end. */
    KILL_AT_STEP,
    /** The node stands still, and so do the messages to and from it. */
    PAUSE,
    /** The threads of the node that reach the step wait there. */
    STALL_AT_STEP,
    /** A minority with the node is cut off. */
    PARTITION,
    /** No request of the node reaches the others. */
    MUTE,
    /** No request of the others reaches the node. */
    DEAF,
    SLOW_BODIES,
    SLOW_LOG,
    TRANSFER
  }

  /** What makes the others elect a leader, if it befalls the present one for long enough. */
  private static final List<Kind> CHANGES_OF_LEADER =
      List.of(Kind.KILL, Kind.KILL_AT_STEP, Kind.PAUSE, Kind.PARTITION, Kind.MUTE, Kind.TRANSFER);

  private static final int FURTHER_FAULTS_MAX = 2;
  private static final int BEGIN_MILLIS_MAX = 250;
  private static final int MILLIS_MIN = 50;

  /** Longer than an election takes. */
  private static final int MILLIS_MAX = 900;

  private static final int SYNC_MILLIS_MAX = 120;

  /** The faults of a schedule, of which the first one is to change the leader. */
  static List<Fault> draw(Random random, int nodes, FaultPoints points) {
    List<Fault> faults = new ArrayList<>();
    Failpoint first = any(random, points.leaderSteps());
    int longest = MILLIS_MAX - random.nextInt(MILLIS_MIN);
    faults.add(draw(random, any(random, CHANGES_OF_LEADER), true, nodes, first, longest));
    int further = random.nextInt(FURTHER_FAULTS_MAX + 1);
    for (int i = 0; i < further; i++) {
      Failpoint step = any(random, points.steps());
      int millis = random.nextInt(MILLIS_MIN, MILLIS_MAX);
      boolean atLeader = random.nextBoolean();
      faults.add(draw(random, any(random, List.of(Kind.values())), atLeader, nodes, step, millis));
    }
    return faults;
  }

  private static Fault draw(
      Random random, Kind kind, boolean atLeader, int nodes, Failpoint step, int millis) {
    return new Fault(
        kind, atLeader, random.nextInt(nodes), step, random.nextInt(BEGIN_MILLIS_MAX), millis);
  }

  private static <T> T any(Random random, List<T> from) {
    return from.get(random.nextInt(from.size()));
  }

  /** How much longer each write of a slow disk takes. */
  long syncMillis() {
    return millis % SYNC_MILLIS_MAX;
  }
}
