package io.quorate.ratis;

import static io.quorate.consensus.contract.ContractCluster.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.common.Failpoint;
import io.quorate.model.NodeId;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftPeerRole;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A candidate whose election is not over receives a request with a configuration, which enters
 * under the replica's monitor.
 */
class CandidateConfigurationTest extends MembershipCase {
  private static final Failpoint BEFORE_SEND = Failpoint.named("raft.append.before-send");

  private final AtomicBoolean isCut = new AtomicBoolean(true);
  private final AtomicReference<RaftPeerRole> roleAtFirstEntries = new AtomicReference<>();
  private final CountDownLatch caughtUp = new CountDownLatch(1);

  /** By sender and call. */
  private final Map<String, Integer> entries = new ConcurrentHashMap<>();

  @AfterEach
  void off() {
    caughtUp.countDown();
    BEFORE_SEND.off();
  }

  @Test
  void aCandidateThatWasCutOffFollowsTheNextLeader() throws IOException {
    NodeId cut = without(leader).get(0).node();
    NodeId next = without(leader).get(1).node();
    BEFORE_SEND.on(
        (point, subject) -> {
          AppendEntriesRequestProto request = (AppendEntriesRequestProto) subject;
          entries.put(call(request.getServerRequest()), request.getEntriesCount());
        });
    REQUEST_RECEIVED.on(
        (point, subject) -> {
          RaftRpcRequestProto header = (RaftRpcRequestProto) subject;
          if (isOf(cut, header.getRequestorId().toStringUtf8())) {
            awaitCatchUp();
            throw new IOException("lost");
          }
          if (isOf(cut, header.getReplyId().toStringUtf8())) {
            requireEntriesFirst(cut, header);
          }
        });
    awaitCandidate(cut);
    transferUntilDone(next);
    cluster.propose("second");
    cluster.propose("third");
    awaitCandidate(cut);
    isCut.set(false);

    awaitCommands(cut, cluster.node(next).machine().commands());
    assertThat(roleAtFirstEntries.get()).isEqualTo(RaftPeerRole.CANDIDATE);
  }

  /** Responds to no request for a vote in time, so that an election goes on. */
  private void awaitCatchUp() {
    try {
      caughtUp.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void requireEntriesFirst(NodeId cut, RaftRpcRequestProto header) throws IOException {
    int count = entries.getOrDefault(call(header), 0);
    if (isCut.get() || count == 0 && roleAtFirstEntries.get() == null) {
      throw new IOException("lost");
    }
    roleAtFirstEntries.compareAndSet(null, division(cut).getInfo().getCurrentRole());
  }

  private void awaitCandidate(NodeId node) {
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(10))
        .until(() -> division(node).getInfo().getCurrentRole() == RaftPeerRole.CANDIDATE);
  }

  private static boolean isOf(NodeId node, String peer) {
    return node.value().equals(peer);
  }

  private static String call(RaftRpcRequestProto header) {
    return header.getRequestorId().toStringUtf8() + header.getCallId();
  }
}
