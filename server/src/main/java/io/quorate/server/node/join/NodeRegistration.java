package io.quorate.server.node.join;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.NodeToNode;
import io.quorate.common.Failures;
import io.quorate.model.NodeId;
import io.quorate.server.topology.NodeEntry;
import io.quorate.server.topology.StoredTopology;
import io.quorate.server.topology.TopologyMessages;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Registers this node with the cluster: its disk, once, and its addresses and labels whenever the
 * stored ones differ. One thread; blocks.
 */
public final class NodeRegistration {
  private static final Logger LOG = LoggerFactory.getLogger(NodeRegistration.class);
  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final Duration PAUSE = Duration.ofSeconds(5);

  private final NodeEntry self;
  private final AsyncQuorateClient client;
  private long attemptedNanos = System.nanoTime() - PAUSE.toNanos();

  /**
   * @param self what this node registers
   */
  NodeRegistration(NodeEntry self, AsyncQuorateClient client) {
    this.self = self;
    this.client = client;
  }

  /** Registers if the stored topology differs, at most once in some seconds. */
  public void run(StoredTopology stored) throws InterruptedException {
    boolean differs =
        stored
            .node(id())
            .filter(entry -> !entry.equals(self.draining(entry.isDraining())))
            .isPresent();
    if (differs && System.nanoTime() - attemptedNanos >= PAUSE.toNanos()) {
      attemptedNanos = System.nanoTime();
      register();
    }
  }

  /** Registers. A failure is logged; the caller repeats the call while it is needed. */
  public void register() throws InterruptedException {
    try {
      NodeToNode.register(client, TopologyMessages.of(self))
          .get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
      LOG.atInfo().addKeyValue("node", id()).log("Registered with the cluster");
    } catch (ExecutionException | TimeoutException e) {
      LOG.atInfo()
          .addKeyValue("error", Failures.unwrap(e))
          .log("This node is not registered with the cluster yet");
    }
  }

  private NodeId id() {
    return self.id();
  }
}
