package io.quorate.ratis.requests;

/** The kinds of requests that the replicas of a group send each other, beside Raft's messages. */
public enum RequestKind {
  /** A read reply of a quorum read. */
  READ_REPLIES(1),
  /** The read index of the leader. */
  READ_INDEX(2),
  /** A chunk of a snapshot. */
  SNAPSHOT(3),
  /** A chunk of a body to store. */
  STORE_BODY(4),
  /** A chunk of a stored body. */
  FETCH_BODY(5),
  /** The heartbeats of the groups that a node leads; a request to the node rather than a group. */
  HEARTBEATS(6),
  /** The groups that are to hibernate; a request to the node rather than a group. */
  HIBERNATE(7),
  /** The groups that are to hibernate no longer; a request to the node rather than a group. */
  WAKE(8),
  /**
   * The groups that a node leads and serves reads of; a request to the node rather than a group.
   */
  CONFIRM_LEADERS(9);

  private final byte code;

  RequestKind(int code) {
    this.code = (byte) code;
  }

  /** The first byte of each request of this kind. */
  public byte code() {
    return code;
  }
}
