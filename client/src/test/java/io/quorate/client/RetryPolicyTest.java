package io.quorate.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.wire.Status;
import io.quorate.client.wire.v1.Failure;
import io.quorate.client.wire.v1.Topology;
import io.quorate.consensus.NodeId;
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
      new AttemptFailure.TimedOut(true, false, "no answer");

  /** Always the longest pause. */
  private final RetryPolicy policy =
      new RetryPolicy(
          Duration.ofMillis(10), Duration.ofMillis(500), Duration.ofMillis(200), () -> 1.0);

  private static AttemptFailure.ErrorResponse answered(Status status) {
    return answered(status, Failure.newBuilder().setMessage("because.").build());
  }

  private static AttemptFailure.ErrorResponse answered(Status status, Failure failure) {
    return new AttemptFailure.ErrorResponse("node n1", status, failure);
  }

  private RetryDecision decide(RetryState before, AttemptFailure failure) {
    return policy.after(before.after(failure), failure, node -> true, LEFT);
  }

  private RetryDecision write(AttemptFailure failure) {
    return decide(RetryState.start(true, DEADLINE), failure);
  }

  private static QuorateException why(RetryDecision decision) {
    assertThat(decision).isInstanceOf(RetryDecision.GiveUp.class);
    return ((RetryDecision.GiveUp) decision).cause();
  }

  @Test
  void aHintIsFollowedAtOnceUntilHintsGoInCircles() {
    AttemptFailure hint = answered(Status.NOT_LEADER, Failure.newBuilder().setLeader("n2").build());
    RetryState progress = RetryState.start(true, DEADLINE);
    for (int i = 1; i < RetryPolicy.HOPS_MAX; i++) {
      assertThat(decide(progress, hint)).isEqualTo(new RetryDecision.Redirect(new NodeId("n2")));
      progress = progress.after(hint);
    }
    assertThat(decide(progress, hint))
        .isEqualTo(new RetryDecision.Retry(Duration.ofMillis(10), true, true));
  }

  @Test
  void aHintToANodeThatIsNotOnTheMapRefreshesTheMap() {
    AttemptFailure hint = answered(Status.NOT_LEADER, Failure.newBuilder().setLeader("n9").build());
    RetryState progress = RetryState.start(true, DEADLINE).after(hint);
    assertThat(policy.after(progress, hint, node -> false, LEFT))
        .isEqualTo(new RetryDecision.Retry(Duration.ZERO, true, true));
  }

  @Test
  void aHintThatIsNoNodeNameIsNoHint() {
    AttemptFailure hint =
        answered(Status.NOT_LEADER, Failure.newBuilder().setLeader("n 9").build());
    assertThat(write(hint)).isEqualTo(new RetryDecision.Retry(Duration.ZERO, true, false));
  }

  @Test
  void aStaleEpochIsRetriedByTheNewMapAndAsksForOneWhereTheAnswerHasNone() {
    Failure withMap = Failure.newBuilder().setTopology(Topology.getDefaultInstance()).build();
    assertThat(write(answered(Status.STALE_EPOCH, withMap)))
        .isEqualTo(new RetryDecision.Retry(Duration.ZERO, false, false));
    assertThat(write(answered(Status.STALE_EPOCH)))
        .isEqualTo(new RetryDecision.Retry(Duration.ZERO, false, true));
  }

  @Test
  void overloadIsRetriedAtTheSameNodeAfterAsLongAsItAskedFor() {
    Failure later = Failure.newBuilder().setRetryAfterMs(200).build();
    assertThat(write(answered(Status.OVERLOADED, later)))
        .isEqualTo(new RetryDecision.Retry(Duration.ofMillis(200), false, false));
    Failure muchLater = Failure.newBuilder().setRetryAfterMs(60_000).build();
    assertThat(write(answered(Status.OVERLOADED, muchLater)))
        .isEqualTo(new RetryDecision.Retry(Duration.ofMillis(500), false, false));
  }

  @Test
  void pausesGrowToTheirBoundAndLeaveTimeForAnotherAttempt() {
    AttemptFailure down = answered(Status.UNAVAILABLE);
    RetryState progress = RetryState.start(false, DEADLINE);
    for (long expected : new long[] {10, 20, 40, 80, 160, 320, 500, 500}) {
      assertThat(decide(progress, down))
          .isEqualTo(new RetryDecision.Retry(Duration.ofMillis(expected), true, false));
      progress = progress.after(down).paused();
    }
    assertThat(policy.after(progress, down, node -> true, Duration.ofMillis(100)))
        .isEqualTo(new RetryDecision.Retry(Duration.ofMillis(50), true, false));
    assertThat(why(policy.after(progress, down, node -> true, Duration.ofMillis(49))))
        .isInstanceOf(UnavailableException.class);
  }

  @Test
  void aLostConnectionIsTriedElsewhereAtOnceAndRefreshesTheMap() {
    assertThat(write(LOST_SENT)).isEqualTo(new RetryDecision.Retry(Duration.ZERO, true, true));
    assertThat(write(TIMED_OUT)).isEqualTo(new RetryDecision.Retry(Duration.ZERO, true, false));
  }

  @Test
  void anInvalidRequestEndsAtOnce() {
    assertThat(why(write(answered(Status.INVALID))))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessage("node n1 says: because.");
    assertThat(why(write(new AttemptFailure.TooLarge("too large"))))
        .isInstanceOf(InvalidRequestException.class);
    assertThat(why(write(answered(Status.INCOMPATIBLE)))).isInstanceOf(IncompatibleException.class);
    assertThat(why(write(new AttemptFailure.Incompatible("another cluster"))))
        .isInstanceOf(IncompatibleException.class);
  }

  @Test
  void aRefusalAfterAnAttemptThatMayHaveHappenedSettlesNothing() {
    RetryState inDoubt = RetryState.start(true, DEADLINE).after(TIMED_OUT);
    assertThat(why(decide(inDoubt, answered(Status.INVALID))))
        .isInstanceOf(IndeterminateException.class);
  }

  @ParameterizedTest
  @EnumSource(names = {"NOT_LEADER", "STALE_EPOCH", "OVERLOADED", "UNAVAILABLE"})
  void aWriteThatWasOnlyRefusedEndsAsNothingHappened(Status status) {
    RetryState progress = RetryState.start(true, DEADLINE).after(answered(status));
    assertThat(policy.expired(progress))
        .isInstanceOf(
            status == Status.OVERLOADED ? OverloadedException.class : UnavailableException.class)
        .hasMessageContaining("within 10s: node n1 says: because.");
  }

  @ParameterizedTest
  @EnumSource(names = {"INDETERMINATE", "INTERNAL"})
  void aWriteThatAServerIsUnsureOfEndsAsIndeterminate(Status status) {
    RetryState progress =
        RetryState.start(true, DEADLINE).after(answered(status)).after(answered(Status.OVERLOADED));
    assertThat(policy.expired(progress)).isInstanceOf(IndeterminateException.class);
    RetryState read = RetryState.start(false, DEADLINE).after(answered(status));
    assertThat(policy.expired(read)).isInstanceOf(UnavailableException.class);
  }

  @Test
  void onlyAWriteThatWasSentIsInDoubtWhenTheConnectionIsLost() {
    assertThat(policy.expired(RetryState.start(true, DEADLINE).after(LOST_UNSENT)))
        .isInstanceOf(UnavailableException.class);
    assertThat(policy.expired(RetryState.start(true, DEADLINE).after(LOST_SENT).after(LOST_UNSENT)))
        .isInstanceOf(IndeterminateException.class);
    assertThat(policy.expired(RetryState.start(false, DEADLINE).after(LOST_SENT)))
        .isInstanceOf(UnavailableException.class);
  }

  @Test
  void anAttemptThatTheDeadlineCutShortDoesNotHideWhatCameBefore() {
    RetryState progress =
        RetryState.start(false, DEADLINE)
            .after(answered(Status.UNAVAILABLE))
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
  void theDeadlineEndsACallInsteadOfAnotherAttempt() {
    RetryState progress = RetryState.start(true, DEADLINE).after(LOST_UNSENT);
    assertThat(why(policy.after(progress, LOST_UNSENT, node -> true, Duration.ofMillis(3))))
        .isInstanceOf(UnavailableException.class);
  }
}
