package io.quorate.replication.requests;

/** The kinds of requests that nodes and the replicas of a group send each other. */
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
  CONFIRM_LEADERS(9),
  /** Log entries of a leader, or a heartbeat; a message of Raft, which is a request to the node. */
  APPEND_ENTRIES(10),
  /** A message of Raft. */
  REQUEST_VOTE(11),
  /** The leader's request to stand for election; a message of Raft. */
  START_ELECTION(12),
  /** The leader's announcement that its log begins with a later entry; a message of Raft. */
  INSTALL_SNAPSHOT(13),
  /** A chunk of a body to which the state refers, to store before the members change. */
  COPY_BODY(14);

  private final byte code;

  RequestKind(int code) {
    this.code = (byte) code;
  }

  /** The first byte of each request of this kind. */
  public byte code() {
    return code;
  }
}
