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

class CallPolicyTest {
  private static final Duration DEADLINE = Duration.ofSeconds(10);
  private static final Duration LEFT = Duration.ofSeconds(5);
  private static final Setback LOST_UNSENT = new Setback.Lost(false, "no connection");
  private static final Setback LOST_SENT = new Setback.Lost(true, "connection lost");
  private static final Setback TIMED_OUT = new Setback.TimedOut(true, false, "no answer");

  /** Always the longest pause. */
  private final CallPolicy policy =
      new CallPolicy(
          Duration.ofMillis(10), Duration.ofMillis(500), Duration.ofMillis(200), () -> 1.0);

  private static Setback.Answered answered(Status status) {
    return answered(status, Failure.newBuilder().setMessage("because.").build());
  }

  private static Setback.Answered answered(Status status, Failure failure) {
    return new Setback.Answered("node n1", status, failure);
  }

  private Decision decide(CallProgress before, Setback setback) {
    return policy.after(before.after(setback), setback, node -> true, LEFT);
  }

  private Decision write(Setback setback) {
    return decide(CallProgress.start(true, DEADLINE), setback);
  }

  private static QuorateException why(Decision decision) {
    assertThat(decision).isInstanceOf(Decision.GiveUp.class);
    return ((Decision.GiveUp) decision).why();
  }

  @Test
  void aHintIsFollowedAtOnceUntilHintsGoInCircles() {
    Setback hint = answered(Status.NOT_LEADER, Failure.newBuilder().setLeader("n2").build());
    CallProgress progress = CallProgress.start(true, DEADLINE);
    for (int i = 1; i < CallPolicy.HOPS_MAX; i++) {
      assertThat(decide(progress, hint)).isEqualTo(new Decision.Redirect(new NodeId("n2")));
      progress = progress.after(hint);
    }
    assertThat(decide(progress, hint))
        .isEqualTo(new Decision.Retry(Duration.ofMillis(10), true, true));
  }

  @Test
  void aHintToANodeThatIsNotOnTheMapRefreshesTheMap() {
    Setback hint = answered(Status.NOT_LEADER, Failure.newBuilder().setLeader("n9").build());
    CallProgress progress = CallProgress.start(true, DEADLINE).after(hint);
    assertThat(policy.after(progress, hint, node -> false, LEFT))
        .isEqualTo(new Decision.Retry(Duration.ZERO, true, true));
  }

  @Test
  void aHintThatIsNoNodeNameIsNoHint() {
    Setback hint = answered(Status.NOT_LEADER, Failure.newBuilder().setLeader("n 9").build());
    assertThat(write(hint)).isEqualTo(new Decision.Retry(Duration.ZERO, true, false));
  }

  @Test
  void aStaleEpochIsRetriedByTheNewMapAndAsksForOneWhereTheAnswerHasNone() {
    Failure withMap = Failure.newBuilder().setTopology(Topology.getDefaultInstance()).build();
    assertThat(write(answered(Status.STALE_EPOCH, withMap)))
        .isEqualTo(new Decision.Retry(Duration.ZERO, false, false));
    assertThat(write(answered(Status.STALE_EPOCH)))
        .isEqualTo(new Decision.Retry(Duration.ZERO, false, true));
  }

  @Test
  void overloadIsRetriedAtTheSameNodeAfterAsLongAsItAskedFor() {
    Failure later = Failure.newBuilder().setRetryAfterMs(200).build();
    assertThat(write(answered(Status.OVERLOADED, later)))
        .isEqualTo(new Decision.Retry(Duration.ofMillis(200), false, false));
    Failure muchLater = Failure.newBuilder().setRetryAfterMs(60_000).build();
    assertThat(write(answered(Status.OVERLOADED, muchLater)))
        .isEqualTo(new Decision.Retry(Duration.ofMillis(500), false, false));
  }

  @Test
  void pausesGrowToTheirBoundAndLeaveTimeForAnotherAttempt() {
    Setback down = answered(Status.UNAVAILABLE);
    CallProgress progress = CallProgress.start(false, DEADLINE);
    for (long expected : new long[] {10, 20, 40, 80, 160, 320, 500, 500}) {
      assertThat(decide(progress, down))
          .isEqualTo(new Decision.Retry(Duration.ofMillis(expected), true, false));
      progress = progress.after(down).paused();
    }
    assertThat(policy.after(progress, down, node -> true, Duration.ofMillis(100)))
        .isEqualTo(new Decision.Retry(Duration.ofMillis(50), true, false));
    assertThat(why(policy.after(progress, down, node -> true, Duration.ofMillis(49))))
        .isInstanceOf(UnavailableException.class);
  }

  @Test
  void aLostConnectionIsTriedElsewhereAtOnceAndRefreshesTheMap() {
    assertThat(write(LOST_SENT)).isEqualTo(new Decision.Retry(Duration.ZERO, true, true));
    assertThat(write(TIMED_OUT)).isEqualTo(new Decision.Retry(Duration.ZERO, true, false));
  }

  @Test
  void anInvalidRequestEndsAtOnce() {
    assertThat(why(write(answered(Status.INVALID))))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessage("node n1 says: because.");
    assertThat(why(write(new Setback.TooLarge("too large"))))
        .isInstanceOf(InvalidRequestException.class);
    assertThat(why(write(answered(Status.INCOMPATIBLE)))).isInstanceOf(IncompatibleException.class);
    assertThat(why(write(new Setback.Incompatible("another cluster"))))
        .isInstanceOf(IncompatibleException.class);
  }

  @Test
  void aRefusalAfterAnAttemptThatMayHaveHappenedSettlesNothing() {
    CallProgress inDoubt = CallProgress.start(true, DEADLINE).after(TIMED_OUT);
    assertThat(why(decide(inDoubt, answered(Status.INVALID))))
        .isInstanceOf(IndeterminateException.class);
  }

  @ParameterizedTest
  @EnumSource(names = {"NOT_LEADER", "STALE_EPOCH", "OVERLOADED", "UNAVAILABLE"})
  void aWriteThatWasOnlyRefusedEndsAsNothingHappened(Status status) {
    CallProgress progress = CallProgress.start(true, DEADLINE).after(answered(status));
    assertThat(policy.expired(progress))
        .isInstanceOf(
            status == Status.OVERLOADED ? OverloadedException.class : UnavailableException.class)
        .hasMessageContaining("within 10s: node n1 says: because.");
  }

  @ParameterizedTest
  @EnumSource(names = {"INDETERMINATE", "INTERNAL"})
  void aWriteThatAServerIsUnsureOfEndsAsIndeterminate(Status status) {
    CallProgress progress =
        CallProgress.start(true, DEADLINE)
            .after(answered(status))
            .after(answered(Status.OVERLOADED));
    assertThat(policy.expired(progress)).isInstanceOf(IndeterminateException.class);
    CallProgress read = CallProgress.start(false, DEADLINE).after(answered(status));
    assertThat(policy.expired(read)).isInstanceOf(UnavailableException.class);
  }

  @Test
  void onlyAWriteThatWasSentIsInDoubtWhenTheConnectionIsLost() {
    assertThat(policy.expired(CallProgress.start(true, DEADLINE).after(LOST_UNSENT)))
        .isInstanceOf(UnavailableException.class);
    assertThat(
            policy.expired(CallProgress.start(true, DEADLINE).after(LOST_SENT).after(LOST_UNSENT)))
        .isInstanceOf(IndeterminateException.class);
    assertThat(policy.expired(CallProgress.start(false, DEADLINE).after(LOST_SENT)))
        .isInstanceOf(UnavailableException.class);
  }

  @Test
  void anAttemptThatTheDeadlineCutShortDoesNotHideWhatCameBefore() {
    CallProgress progress =
        CallProgress.start(false, DEADLINE)
            .after(answered(Status.UNAVAILABLE))
            .after(new Setback.TimedOut(true, true, "too short"));
    assertThat(policy.expired(progress)).hasMessageContaining("because.");
    CallProgress write =
        CallProgress.start(true, DEADLINE).after(new Setback.TimedOut(true, true, "too short"));
    assertThat(policy.expired(write))
        .isInstanceOf(IndeterminateException.class)
        .hasMessageContaining("too short");
  }

  @Test
  void theDeadlineEndsACallInsteadOfAnotherAttempt() {
    CallProgress progress = CallProgress.start(true, DEADLINE).after(LOST_UNSENT);
    assertThat(why(policy.after(progress, LOST_UNSENT, node -> true, Duration.ofMillis(3))))
        .isInstanceOf(UnavailableException.class);
  }
}
