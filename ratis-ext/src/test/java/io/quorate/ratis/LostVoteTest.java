package io.quorate.ratis;

import static io.quorate.consensus.contract.ContractCluster.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.common.Failpoint;
import io.quorate.model.NodeId;
import io.quorate.ratis.log.ReplicaParts;
import io.quorate.ratis.log.ReplicaStates;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.server.storage.RaftStorageMetadata;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The disk of a replica is slow while it begins an election. Meanwhile it votes for another
 * candidate, in a later term.
 */
class LostVoteTest extends MembershipCase {
  private static final Failpoint BEFORE_WRITE = Failpoint.named("raft.vote.before-write");

  private final CompletableFuture<Void> disk = new CompletableFuture<>();

  @AfterEach
  void off() {
    disk.complete(null);
    BEFORE_WRITE.off();
  }

  @Test
  void aVoteStaysOnDiskWhenAnEarlierElectionIsWritten() throws IOException {
    NodeId voter = without(leader).get(0).node();
    NodeId next = without(leader).get(1).node();
    ReplicaStates states = ((ReplicaParts) division(voter).getStateMachine()).log().states();
    AtomicBoolean isSlow = new AtomicBoolean();
    AtomicReference<Thread> election = new AtomicReference<>();
    BEFORE_WRITE.on(
        (point, subject) -> {
          if (subject == states && isElection() && isSlow.compareAndSet(false, true)) {
            election.set(Thread.currentThread());
            disk.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
          }
        });
    // The other one is not elected before, and the voter not in another election.
    REQUEST_RECEIVED.on(
        (point, subject) -> {
          String from = ((RaftRpcRequestProto) subject).getRequestorId().toStringUtf8();
          if (from.equals((isSlow.get() ? voter : next).value())) {
            throw new IOException("lost");
          }
        });
    cluster.stop(leader);
    await().atMost(PATIENCE).untilTrue(isSlow);
    await().atMost(PATIENCE).until(() -> leads(next));
    RaftStorageMetadata voted =
        await()
            .atMost(PATIENCE)
            .until(
                states::vote,
                read -> ReplicaStates.candidate(read).equals(Optional.of(RaftIds.peerId(next))));
    disk.complete(null);
    await().atMost(PATIENCE).until(() -> !election.get().isAlive());
    requireNotBefore(states.vote(), voted);
    cluster.propose("second");
    requireNotBefore(states.vote(), voted);
  }

  /** Elections may follow where the threads of this machine are late; their terms are greater. */
  private static void requireNotBefore(RaftStorageMetadata present, RaftStorageMetadata voted) {
    assertThat(present.getTerm()).isGreaterThanOrEqualTo(voted.getTerm());
    if (present.getTerm() == voted.getTerm()) {
      assertThat(present).isEqualTo(voted);
    }
  }

  private static boolean isElection() {
    return StackWalker.getInstance()
        .walk(frames -> frames.anyMatch(frame -> frame.getClassName().endsWith(".LeaderElection")));
  }

  private boolean leads(NodeId node) throws IOException {
    return division(node).getInfo().isLeader() && division(node).getInfo().isLeaderReady();
  }
}
