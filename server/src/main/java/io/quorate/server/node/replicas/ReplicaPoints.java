package io.quorate.server.node.replicas;

import io.quorate.common.Failpoint;

/**
 * Failpoints between the steps in which replicas begin, change and end. The subject is a region.
 */
public final class ReplicaPoints {
  /** The record of a new replica is on disk; the replica has neither rows nor a log. */
  static final Failpoint RECORDED = Failpoint.named("server.replica.recorded");

  /** The consensus group is open; no other part of the node has the replica yet. */
  public static final Failpoint OPENED = Failpoint.named("server.replica.opened");

  /** The replica is to be removed, and no longer serves; its files are complete. */
  public static final Failpoint WITHDRAWN = Failpoint.named("server.replica.withdrawn");

  /** The log of the replica is deleted; its rows are not. */
  static final Failpoint LOG_REMOVED = Failpoint.named("server.replica.log-removed");

  /** Log and rows are deleted; the record is not. */
  static final Failpoint ROWS_REMOVED = Failpoint.named("server.replica.rows-removed");

  /** A split or a change of members is in force; nobody has been informed of it. */
  static final Failpoint CARRIED_OUT = Failpoint.named("server.plan.carried-out");

  private ReplicaPoints() {}
}
