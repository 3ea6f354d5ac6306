package io.quorate.ratis;

import static io.quorate.consensus.contract.ContractCluster.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.model.NodeId;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import org.apache.ratis.proto.RaftProtos.RaftPeerRole;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.impl.Candidates;
import org.junit.jupiter.api.Test;

/**
 * A replica is elected, and before its election's thread has the replica's monitor, it follows in a
 * later term and becomes a candidate again. Ratis 3.3.0 lets it lead in that term.
 */
class UnelectedLeaderTest extends MembershipCase {
  private static final Duration POLL = Duration.ofMillis(2);

  /** What the threads of an election wait for the monitor to do. */
  private static final String LEAD = "RaftServerImpl.changeToLeader";

  private static final String FOLLOW = "RaftServerImpl.changeToFollowerAndPersistMetadata";

  @Test
  void aReplicaThatWasElectedInAnotherTermDoesNotLead() throws IOException {
    NodeId elected = without(leader).get(0).node();
    NodeId voter = without(leader).get(1).node();
    RaftServer.Division division = division(elected);
    // The voter is not elected itself.
    REQUEST_RECEIVED.on(
        (point, subject) -> {
          RaftRpcRequestProto header = (RaftRpcRequestProto) subject;
          if (header.getRequestorId().toStringUtf8().equals(voter.value())) {
            throw new IOException("lost");
          }
        });
    cluster.stop(leader);
    Optional<Long> later = Optional.empty();
    while (later.isEmpty()) {
      await()
          .atMost(PATIENCE)
          .pollInterval(POLL)
          .until(() -> division.getInfo().getCurrentRole() == RaftPeerRole.CANDIDATE);
      later = interruptElection(division);
    }
    long unelected = later.get();
    REQUEST_RECEIVED.off();
    assertThat(cluster.propose("second").position().epoch()).isGreaterThan(unelected);
    for (NodeId node : cluster.running().keySet()) {
      var log = division(node).getRaftLog();
      for (long index = log.getStartIndex(); index < log.getNextIndex(); index++) {
        assertThat(log.getTermIndex(index).getTerm()).isNotEqualTo(unelected);
      }
    }
  }

  /**
   * Keeps the monitor of a candidate until its votes are counted.
   *
   * @return the later term in which it is a candidate then; empty if it was not elected
   */
  private static Optional<Long> interruptElection(RaftServer.Division division) throws IOException {
    synchronized (division) {
      await()
          .atMost(PATIENCE)
          .pollInterval(POLL)
          .until(
              () ->
                  isBlockedIn(LEAD)
                      || isBlockedIn(FOLLOW)
                      || division.getInfo().getCurrentRole() != RaftPeerRole.CANDIDATE);
      if (!isBlockedIn(LEAD) || division.getInfo().getCurrentRole() != RaftPeerRole.CANDIDATE) {
        return Optional.empty();
      }
      long term = division.getInfo().getCurrentTerm() + 1;
      Candidates.beginAgain(division, term);
      return Optional.of(term);
    }
  }

  private static boolean isBlockedIn(String method) {
    return Arrays.stream(ManagementFactory.getThreadMXBean().dumpAllThreads(false, false))
        .filter(thread -> thread.getThreadState() == Thread.State.BLOCKED)
        .map(ThreadInfo::getStackTrace)
        .map(Arrays::toString)
        .anyMatch(stack -> stack.contains(method) && stack.contains("LeaderElection.run"));
  }
}
