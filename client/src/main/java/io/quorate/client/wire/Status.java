package io.quorate.client.wire;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What became of a request. Every status but {@link #OK} has a {@code Failure} as its body. */
public enum Status {
  /** Done; the body is the answer. */
  OK(0),
  /** Nothing happened and never will: the request breaks a rule or a limit. */
  INVALID(1),
  /** Nothing happened here: another replica leads. */
  NOT_LEADER(2),
  /** Nothing happened: the request was routed by an old map, or this node has no such replica. */
  STALE_EPOCH(3),
  /** Nothing happened: a queue is full. */
  OVERLOADED(4),
  /** Nothing happened: the region cannot serve now (no leader, disk full, shutting down). */
  UNAVAILABLE(5),
  /** The write may have happened, may happen yet, or never. */
  INDETERMINATE(6),
  /** The protocol version or the cluster is another one; the connection is closed. */
  INCOMPATIBLE(7),
  /** The server failed in a way it should not; a write may have happened. */
  INTERNAL(8);

  /** Made once: this is asked for every frame. */
  private static final List<Optional<Status>> BY_CODE =
      Stream.of(values()).map(Optional::of).toList();

  private final int code;

  Status(int code) {
    this.code = code;
  }

  public int code() {
    return code;
  }

  public static Optional<Status> of(int code) {
    return code >= 0 && code < BY_CODE.size() ? BY_CODE.get(code) : Optional.empty();
  }
}
