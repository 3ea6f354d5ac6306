package io.quorate.server.rpc.request;

import io.quorate.model.NodeId;
import io.quorate.protocol.wire.Status;
import io.quorate.protocol.wire.v1.Failure;
import io.quorate.protocol.wire.v1.Topology;
import io.quorate.server.access.Permissions;
import io.quorate.server.access.VisibleTopology;
import java.time.Duration;
import java.util.Optional;

/** A failure response to a request. Has no stack trace, since it is a response and not a bug. */
public final class RequestRejected extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The default delay after which a client may retry. */
  private static final Duration RETRY_AFTER = Duration.ofMillis(50);

  private final Status status;
  private final transient Failure failure;

  private RequestRejected(Status status, Failure failure) {
    super(failure.getMessage(), null, false, false);
    this.status = status;
    this.failure = failure;
  }

  public static RequestRejected of(Status status, String message) {
    return new RequestRejected(status, Failure.newBuilder().setMessage(message).build());
  }

  public static RequestRejected invalid(String message) {
    return of(Status.INVALID, message);
  }

  public static RequestRejected unavailable(String message) {
    return retry(Status.UNAVAILABLE, message, RETRY_AFTER);
  }

  /** Another replica may serve the request, without delay. */
  public static RequestRejected elsewhere(String message) {
    return new RequestRejected(
        Status.UNAVAILABLE,
        Failure.newBuilder()
            .setMessage(message)
            .setElsewhere(true)
            .setRetryAfterMs(Math.toIntExact(RETRY_AFTER.toMillis()))
            .build());
  }

  public static RequestRejected overloaded(String message, Duration retryAfter) {
    return retry(Status.OVERLOADED, message, retryAfter);
  }

  public static RequestRejected notLeader(String message, Optional<NodeId> leader) {
    return new RequestRejected(
        Status.NOT_LEADER,
        Failure.newBuilder()
            .setMessage(message)
            .setLeader(leader.map(NodeId::value).orElse(""))
            .build());
  }

  public static RequestRejected stale(String message, Topology present) {
    return new RequestRejected(
        Status.STALE_EPOCH, Failure.newBuilder().setMessage(message).setTopology(present).build());
  }

  private static RequestRejected retry(Status status, String message, Duration after) {
    return new RequestRejected(
        status,
        Failure.newBuilder()
            .setMessage(message)
            .setRetryAfterMs(Math.toIntExact(Math.max(1, after.toMillis())))
            .build());
  }

  public Status status() {
    return status;
  }

  public Failure failure() {
    return failure;
  }

  /** The failure without what somebody with these permissions may not see. */
  Failure failureFor(Permissions permissions) {
    if (permissions.isEverything()) {
      return failure;
    }
    // The texts of these may have the bounds of regions, and whatever a bug has in hand.
    return switch (status) {
      case STALE_EPOCH ->
          failure.toBuilder()
              .setMessage(
                  permissions.seesCluster()
                      ? failure.getMessage()
                      : "The regions of the cluster have changed.")
              .setTopology(VisibleTopology.of(failure.getTopology(), permissions))
              .build();
      case INTERNAL ->
          failure.toBuilder().setMessage("The server failed; its log says why.").build();
      default -> failure;
    };
  }
}
