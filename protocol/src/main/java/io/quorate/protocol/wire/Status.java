package io.quorate.protocol.wire;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The outcome of a request. Every status but {@link #OK} has a {@code Failure} as its body. */
public enum Status {
  /** Success; the body is the result. */
  OK(0),
  /** No effect, and none at a retry: the request violates a rule or a limit. */
  INVALID(1),
  /** No effect on this node: another replica leads. */
  NOT_LEADER(2),
  /** No effect: the request was routed by an old topology, or this node has no such replica. */
  STALE_EPOCH(3),
  /** No effect: a queue is full. */
  OVERLOADED(4),
  /** No effect: the region cannot serve at the moment (no leader, disk full, shutting down). */
  UNAVAILABLE(5),
  /** The write may have taken effect, may still take effect, or may never do so. */
  INDETERMINATE(6),
  /** The protocol version or the cluster is another one; the server closes the connection. */
  INCOMPATIBLE(7),
  /** The server failed unexpectedly; a write may have taken effect. */
  INTERNAL(8),
  /** No effect, and none at a retry: the user may not do this, or is not known. */
  DENIED(9);

  /** Created once, because a lookup is made for every frame. */
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
