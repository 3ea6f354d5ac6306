package io.quorate.server.node.join;

/** How far a node is in joining its cluster. */
public enum JoinState {
  /** It has no replica, and has never received the topology of its cluster. */
  NEW,
  /** It has a replica of region 0 at most, and has never received the topology. */
  FOUNDING,
  /** It has received the topology at some time. */
  JOINED
}
