package io.quorate.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.ConsensusException;
import io.quorate.model.NodeId;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftGroupMemberId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.exceptions.LeaderNotReadyException;
import org.apache.ratis.protocol.exceptions.LeaderSteppingDownException;
import org.apache.ratis.protocol.exceptions.NotLeaderException;
import org.apache.ratis.protocol.exceptions.ResourceUnavailableException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ProposalFailureTest {
  private static final RaftGroupMemberId SELF =
      RaftGroupMemberId.valueOf(RaftPeerId.valueOf("n1"), RaftGroupId.randomId());
  private static final RaftPeer OTHER = RaftPeer.newBuilder().setId("n2").build();

  static Stream<Exception> failures() {
    return Stream.of(
        new NotLeaderException(SELF, OTHER, List.of()),
        new LeaderNotReadyException(SELF),
        new LeaderSteppingDownException("stepping down"),
        new ResourceUnavailableException("full"),
        new IOException("something else"),
        new IllegalStateException("closed"));
  }

  @ParameterizedTest
  @MethodSource("failures")
  void aFailureIsIndeterminateOnceTheEntryMayBeInTheLog(Exception cause) {
    assertThat(ProposalFailure.classify(cause, true))
        .isInstanceOf(ConsensusException.Indeterminate.class)
        .hasCause(cause);
  }

  @ParameterizedTest
  @MethodSource("failures")
  void aFailureBeforeThatIsNotIndeterminate(Exception cause) {
    assertThat(ProposalFailure.classify(cause, false))
        .isNotInstanceOfAny(ConsensusException.Indeterminate.class, ConsensusException.Fatal.class);
  }

  @Test
  void aRedirectNamesTheLeaderIfItIsKnown() {
    NotLeaderException known = new NotLeaderException(SELF, OTHER, List.of());
    NotLeaderException unknown = new NotLeaderException(SELF, null, List.of());
    assertThat(((ConsensusException.Redirect) ProposalFailure.classify(known, false)).leader())
        .contains(new NodeId("n2"));
    assertThat(((ConsensusException.Redirect) ProposalFailure.classify(unknown, false)).leader())
        .isEmpty();
  }

  @Test
  void aBusyLogReportsARetryDelay() {
    ConsensusException failure =
        ProposalFailure.classify(new ResourceUnavailableException("full"), false);
    assertThat(((ConsensusException.Overloaded) failure).retryAfter()).isPositive();
  }

  @Test
  void otherFailuresAreReportedAsUnavailable() {
    assertThat(ProposalFailure.classify(new LeaderNotReadyException(SELF), false))
        .isInstanceOf(ConsensusException.Unavailable.class);
    assertThat(ProposalFailure.classify(new LeaderSteppingDownException("x"), false))
        .isInstanceOf(ConsensusException.Unavailable.class);
    assertThat(ProposalFailure.classify(new IOException("disk"), false))
        .isInstanceOf(ConsensusException.Unavailable.class)
        .hasMessageContaining("disk");
  }
}
