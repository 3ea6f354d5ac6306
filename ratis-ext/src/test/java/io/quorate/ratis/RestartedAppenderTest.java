package io.quorate.ratis;

import static io.quorate.consensus.contract.ContractCluster.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.common.Failpoint;
import io.quorate.model.NodeId;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The appender of a leader for one member fails, and Ratis 3.3.0 replaces it by one that marks its
 * requests as those to a member that is being added.
 */
class RestartedAppenderTest extends MembershipCase {
  private static final Failpoint BEFORE_SEND = Failpoint.named("raft.append.before-send");
  private static final int REQUESTS = 5;

  @AfterEach
  void off() {
    BEFORE_SEND.off();
  }

  @Test
  void aMemberIsNotToldThatItIsBeingAdded() {
    NodeId follower = without(leader).get(0).node();
    AtomicBoolean hasFailed = new AtomicBoolean();
    List<Boolean> initializing = new CopyOnWriteArrayList<>();
    BEFORE_SEND.on(
        (point, subject) -> {
          AppendEntriesRequestProto request = (AppendEntriesRequestProto) subject;
          if (request.getServerRequest().getReplyId().toStringUtf8().equals(follower.value())) {
            if (hasFailed.compareAndSet(false, true)) {
              throw new IllegalStateException("The appender fails.");
            }
            initializing.add(request.getInitializing());
          }
        });
    cluster.propose("second");
    await().atMost(PATIENCE).until(() -> initializing.size() >= REQUESTS);
    assertThat(initializing).doesNotContain(true);
    awaitCommands(follower, List.of("first", "second"));
  }
}
