package io.quorate.server.node;

import io.quorate.client.cluster.ClusterStatus;
import io.quorate.common.Failpoint;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.server.config.ClusterId;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;

/**
 * A replica under Raft that applies nothing until it is released. Its node runs in this process.
 */
final class HeldApply implements AutoCloseable {
  private static final Failpoint HAND_OVER = Failpoint.named("raft.commit.before-hand-over");
  private static final int LAST_DIGITS = 24;

  private final CountDownLatch mayApply = new CountDownLatch(1);

  /** Holds the replica of a region on a node. */
  HeldApply(ClusterId cluster, GroupId region, NodeId node) {
    String name = cluster.uuid() + "/" + region;
    String group =
        UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8))
            .toString()
            .substring(LAST_DIGITS)
            .toUpperCase(Locale.ROOT);
    HAND_OVER.on(
        (failpoint, subject) -> {
          if (subject.toString().startsWith(node + "@group-" + group)) {
            try {
              mayApply.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          }
        });
  }

  /** A node of the three n1 to n3 that does not lead a region. */
  static NodeId follower(ClusterStatus status, GroupId region) {
    NodeId n3 = new NodeId("n3");
    return status.replicas(region).stream()
            .anyMatch(replica -> replica.region().leader().filter(n3::equals).isPresent())
        ? new NodeId("n2")
        : n3;
  }

  @Override
  public void close() {
    mayApply.countDown();
    HAND_OVER.off();
  }
}
