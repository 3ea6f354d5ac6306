package io.quorate.client.internal.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.IncompatibleException;
import io.quorate.client.IndeterminateException;
import io.quorate.client.InvalidRequestException;
import io.quorate.client.OverloadedException;
import io.quorate.client.QuorateException;
import io.quorate.client.UnavailableException;
import io.quorate.client.internal.connection.AttemptFailure;
import io.quorate.client.internal.connection.Pauses;
import io.quorate.model.NodeId;
import io.quorate.protocol.wire.Status;
import io.quorate.protocol.wire.v1.Failure;
import io.quorate.protocol.wire.v1.Topology;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RetryPolicyTest {
  private static final Duration DEADLINE = Duration.ofSeconds(10);
  private static final Duration LEFT = Duration.ofSeconds(5);
  private static final AttemptFailure LOST_UNSENT = new AttemptFailure.Lost(false, "no connection");
  private static final AttemptFailure LOST_SENT = new AttemptFailure.Lost(true, "connection lost");
  private static final AttemptFailure TIMED_OUT =
      new AttemptFailure.TimedOut(true, false, "no response");

  /** The random number is always 1, so that every pause has its maximum length. */
  private final RetryPolicy policy =
      new RetryPolicy(
          new Pauses(Duration.ofMillis(10), Duration.ofMillis(500), () -> 1.0),
          Duration.ofMillis(200));

  private static AttemptFailure.ErrorResponse errorResponse(Status status) {
    return errorResponse(status, Failure.newBuilder().setMessage("because.").build());
  }

  private static AttemptFailure.ErrorResponse errorResponse(Status status, Failure failure) {
    return new AttemptFailure.ErrorResponse("node n1", status, failure);
  }

  private RetryDecision decide(RetryState before, AttemptFailure failure) {
    return policy.after(before.after(failure), failure, node -> true, LEFT);
  }

  private RetryDecision decideWrite(AttemptFailure failure) {
    return decide(RetryState.start(true, DEADLINE), failure);
  }

  private static QuorateException causeOf(RetryDecision decision) {
    assertThat(decision).isInstanceOf(RetryDecision.GiveUp.class);
    return ((RetryDecision.GiveUp) decision).cause();
  }

  @Test
  void aLeaderHintIsFollowedImmediatelyUpToTheBoundOnHops() {
    AttemptFailure hint =
        errorResponse(Status.NOT_LEADER, Failure.newBuilder().setLeader("n2").build());
    RetryState progress = RetryState.start(true, DEADLINE);
    for (int i = 1; i < RetryPolicy.HOPS_MAX; i++) {
      assertThat(decide(progress, hint)).isEqualTo(new RetryDecision.Redirect(new NodeId("n2")));
      progress = progress.after(hint);
    }
    assertThat(decide(progress, hint))
        .isEqualTo(new RetryDecision.Retry(Duration.ofMillis(10), true, true));
  }

  @Test
  void aHintToANodeOutsideTheTopologyRefreshesTheTopology() {
    AttemptFailure hint =
        errorResponse(Status.NOT_LEADER, Failure.newBuilder().setLeader("n9").build());
    RetryState progress = RetryState.start(true, DEADLINE).after(hint);
    assertThat(policy.after(progress, hint, node -> false, LEFT))
        .isEqualTo(new RetryDecision.Retry(Duration.ZERO, true, true));
  }

  @Test
  void aHintWithAnInvalidNodeNameIsIgnored() {
    AttemptFailure hint =
        errorResponse(Status.NOT_LEADER, Failure.newBuilder().setLeader("n 9").build());
    assertThat(decideWrite(hint)).isEqualTo(new RetryDecision.Retry(Duration.ZERO, true, false));
  }

  @Test
  void aStaleEpochIsRetriedAndRefreshesTheTopologyIfTheResponseHasNone() {
    Failure withTopology = Failure.newBuilder().setTopology(Topology.getDefaultInstance()).build();
    assertThat(decideWrite(errorResponse(Status.STALE_EPOCH, withTopology)))
        .isEqualTo(new RetryDecision.Retry(Duration.ZERO, false, false));
    assertThat(decideWrite(errorResponse(Status.STALE_EPOCH)))
        .isEqualTo(new RetryDecision.Retry(Duration.ZERO, false, true));
  }

  @Test
  void overloadIsRetriedAtTheSameNodeAfterTheRequestedPause() {
    Failure later = Failure.newBuilder().setRetryAfterMs(200).build();
    assertThat(decideWrite(errorResponse(Status.OVERLOADED, later)))
        .isEqualTo(new RetryDecision.Retry(Duration.ofMillis(200), false, false));
    Failure muchLater = Failure.newBuilder().setRetryAfterMs(60_000).build();
    assertThat(decideWrite(errorResponse(Status.OVERLOADED, muchLater)))
        .isEqualTo(new RetryDecision.Retry(Duration.ofMillis(500), false, false));
  }

  @Test
  void pausesGrowToTheirBoundAndLeaveTimeForAnotherAttempt() {
    AttemptFailure down = errorResponse(Status.UNAVAILABLE);
    RetryState progress = RetryState.start(false, DEADLINE);
    for (long expected : new long[] {10, 20, 40, 80, 160, 320, 500, 500}) {
      assertThat(decide(progress, down))
          .isEqualTo(new RetryDecision.Retry(Duration.ofMillis(expected), true, false));
      progress = progress.after(down).paused();
    }
    assertThat(policy.after(progress, down, node -> true, Duration.ofMillis(100)))
        .isEqualTo(new RetryDecision.Retry(Duration.ofMillis(50), true, false));
    assertThat(causeOf(policy.after(progress, down, node -> true, Duration.ofMillis(49))))
        .isInstanceOf(UnavailableException.class);
  }

  @Test
  void aLostConnectionIsRetriedElsewhereImmediatelyAndRefreshesTheTopology() {
    assertThat(decideWrite(LOST_SENT))
        .isEqualTo(new RetryDecision.Retry(Duration.ZERO, true, true));
    assertThat(decideWrite(TIMED_OUT))
        .isEqualTo(new RetryDecision.Retry(Duration.ZERO, true, false));
  }

  @Test
  void anInvalidRequestIsNotRetried() {
    assertThat(causeOf(decideWrite(errorResponse(Status.INVALID))))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessage("node n1 responded: because.");
    assertThat(causeOf(decideWrite(new AttemptFailure.TooLarge("too large"))))
        .isInstanceOf(InvalidRequestException.class);
    assertThat(causeOf(decideWrite(errorResponse(Status.INCOMPATIBLE))))
        .isInstanceOf(IncompatibleException.class);
    assertThat(causeOf(decideWrite(new AttemptFailure.Incompatible("another cluster"))))
        .isInstanceOf(IncompatibleException.class);
  }

  @Test
  void aRefusalDoesNotSettleAnEarlierIndeterminateAttempt() {
    RetryState inDoubt = RetryState.start(true, DEADLINE).after(TIMED_OUT);
    assertThat(causeOf(decide(inDoubt, errorResponse(Status.INVALID))))
        .isInstanceOf(IndeterminateException.class);
  }

  @ParameterizedTest
  @EnumSource(names = {"NOT_LEADER", "STALE_EPOCH", "OVERLOADED", "UNAVAILABLE"})
  void aWriteThatWasOnlyRefusedFailsWithoutEffect(Status status) {
    RetryState progress = RetryState.start(true, DEADLINE).after(errorResponse(status));
    assertThat(policy.expired(progress))
        .isInstanceOf(
            status == Status.OVERLOADED ? OverloadedException.class : UnavailableException.class)
        .hasMessageContaining("within 10s: node n1 responded: because.");
  }

  @ParameterizedTest
  @EnumSource(names = {"INDETERMINATE", "INTERNAL"})
  void aWriteWithAnUnknownOutcomeAtAServerIsIndeterminate(Status status) {
    RetryState progress =
        RetryState.start(true, DEADLINE)
            .after(errorResponse(status))
            .after(errorResponse(Status.OVERLOADED));
    assertThat(policy.expired(progress)).isInstanceOf(IndeterminateException.class);
    RetryState read = RetryState.start(false, DEADLINE).after(errorResponse(status));
    assertThat(policy.expired(read)).isInstanceOf(UnavailableException.class);
  }

  @Test
  void onlyAWriteThatWasSentIsIndeterminateWhenTheConnectionIsLost() {
    assertThat(policy.expired(RetryState.start(true, DEADLINE).after(LOST_UNSENT)))
        .isInstanceOf(UnavailableException.class);
    assertThat(policy.expired(RetryState.start(true, DEADLINE).after(LOST_SENT).after(LOST_UNSENT)))
        .isInstanceOf(IndeterminateException.class);
    assertThat(policy.expired(RetryState.start(false, DEADLINE).after(LOST_SENT)))
        .isInstanceOf(UnavailableException.class);
  }

  @Test
  void anAttemptThatTheDeadlineCutShortDoesNotReplaceTheEarlierReason() {
    RetryState progress =
        RetryState.start(false, DEADLINE)
            .after(errorResponse(Status.UNAVAILABLE))
            .after(new AttemptFailure.TimedOut(true, true, "too short"));
    assertThat(policy.expired(progress)).hasMessageContaining("because.");
    RetryState write =
        RetryState.start(true, DEADLINE)
            .after(new AttemptFailure.TimedOut(true, true, "too short"));
    assertThat(policy.expired(write))
        .isInstanceOf(IndeterminateException.class)
        .hasMessageContaining("too short");
  }

  @Test
  void noAttemptIsMadeShortlyBeforeTheDeadline() {
    RetryState progress = RetryState.start(true, DEADLINE).after(LOST_UNSENT);
    assertThat(causeOf(policy.after(progress, LOST_UNSENT, node -> true, Duration.ofMillis(3))))
        .isInstanceOf(UnavailableException.class);
  }
}
