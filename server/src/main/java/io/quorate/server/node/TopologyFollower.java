package io.quorate.server.node;

import io.quorate.client.wire.v1.Topology;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.TopologyMessages;
import io.quorate.server.topology.TopologySource;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps this node's replicas as the stored topology assigns them, from the time when the node
 * serves. Reads the topology every second, on a thread of its own, because that may wait for other
 * nodes and for the disk.
 */
final class TopologyFollower implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TopologyFollower.class);
  private static final long PAUSE_SECONDS = 1;

  private final TopologySource source;
  private final ClusterTopology topology;
  private final ReplicaManager replicas;
  private final Optional<MoveRecorder> recorder;
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final Thread thread = new Thread(this::run, "quorate-topology");

  /**
   * @param source used by the thread alone once it is started
   * @param recorder of a node with a replica of region 0
   */
  TopologyFollower(
      TopologySource source,
      ClusterTopology topology,
      ReplicaManager replicas,
      Optional<MoveRecorder> recorder) {
    this.source = source;
    this.topology = topology;
    this.replicas = replicas;
    this.recorder = recorder;
    thread.setDaemon(true);
  }

  /** Has no effect after {@link #close}. */
  synchronized void start() {
    if (stopped.getCount() > 0) {
      thread.start();
    }
  }

  /** Blocks until the thread has ended, which a removal of a replica may delay. */
  @Override
  public void close() {
    synchronized (this) {
      stopped.countDown();
    }
    thread.interrupt();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try {
      while (!stopped.await(PAUSE_SECONDS, TimeUnit.SECONDS)) {
        try {
          follow();
        } catch (IOException | RuntimeException e) {
          LOG.atWarn()
              .setCause(e)
              .log(
                  "The replicas of this node are not as assigned; the next attempt is in a second");
        }
      }
    } catch (InterruptedException e) {
      LOG.debug("The node closes and does not follow the topology any more");
    }
  }

  private void follow() throws IOException, InterruptedException {
    Optional<Topology> found = source.look();
    if (found.isPresent()) {
      topology.learn(TopologyMessages.table(found.get()), TopologyMessages.nodes(found.get()));
    }
    if (topology.table().isPresent()) {
      replicas.follow(topology.table().get());
    }
    if (recorder.isPresent()) {
      recorder.get().run();
    }
  }
}
