package io.quorate.server.door;

import io.quorate.client.wire.Status;
import io.quorate.client.wire.v1.Failure;
import io.quorate.client.wire.v1.Topology;
import io.quorate.consensus.NodeId;
import java.time.Duration;
import java.util.Optional;

/** Why a request is not answered with OK. Carries no stack trace: these are answers, not bugs. */
final class Refusal extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** When it may be worth trying again where nothing says more. */
  private static final Duration RETRY_AFTER = Duration.ofMillis(50);

  private final Status status;
  private final transient Failure failure;

  private Refusal(Status status, Failure failure) {
    super(failure.getMessage(), null, false, false);
    this.status = status;
    this.failure = failure;
  }

  static Refusal of(Status status, String message) {
    return new Refusal(status, Failure.newBuilder().setMessage(message).build());
  }

  static Refusal invalid(String message) {
    return of(Status.INVALID, message);
  }

  static Refusal unavailable(String message) {
    return retry(Status.UNAVAILABLE, message, RETRY_AFTER);
  }

  /** Another replica may serve the request, at once. */
  static Refusal elsewhere(String message) {
    return new Refusal(
        Status.UNAVAILABLE,
        Failure.newBuilder()
            .setMessage(message)
            .setElsewhere(true)
            .setRetryAfterMs(Math.toIntExact(RETRY_AFTER.toMillis()))
            .build());
  }

  static Refusal overloaded(String message, Duration retryAfter) {
    return retry(Status.OVERLOADED, message, retryAfter);
  }

  static Refusal notLeader(String message, Optional<NodeId> leader) {
    return new Refusal(
        Status.NOT_LEADER,
        Failure.newBuilder()
            .setMessage(message)
            .setLeader(leader.map(NodeId::value).orElse(""))
            .build());
  }

  static Refusal stale(String message, Topology present) {
    return new Refusal(
        Status.STALE_EPOCH, Failure.newBuilder().setMessage(message).setTopology(present).build());
  }

  private static Refusal retry(Status status, String message, Duration after) {
    return new Refusal(
        status,
        Failure.newBuilder()
            .setMessage(message)
            .setRetryAfterMs(Math.toIntExact(Math.max(1, after.toMillis())))
            .build());
  }

  Status status() {
    return status;
  }

  Failure failure() {
    return failure;
  }
}
