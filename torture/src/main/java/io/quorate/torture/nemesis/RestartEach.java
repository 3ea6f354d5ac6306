package io.quorate.torture.nemesis;

import io.quorate.server.localcluster.ClusterException;
import io.quorate.server.localcluster.NodeProcess;
import io.quorate.torture.nemesis.arena.Arena;
import io.quorate.torture.nemesis.arena.Expectation;
import io.quorate.torture.nemesis.arena.Fault;
import io.quorate.torture.nemesis.arena.Nemesis;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;

/** Stops each node gracefully and starts it again; the next one follows when all serve. */
final class RestartEach implements Nemesis {
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(15);
  private static final Duration READY_TIMEOUT = Duration.ofSeconds(60);
  private static final Duration SERVING_TIMEOUT = Duration.ofSeconds(20);

  @Override
  public String name() {
    return "restart-each";
  }

  /**
   * Each node hands over what it leads before it stops, and receives leaderships when it serves.
   */
  @Override
  public Expectation expectation() {
    return Expectation.PROGRESS_FROM_ONSET;
  }

  @Override
  public Optional<Fault> inject(Arena arena, Random random)
      throws IOException, InterruptedException {
    StringBuilder restarted = new StringBuilder("restarted");
    for (NodeProcess node : Arena.shuffled(arena.running(), random)) {
      boolean graceful = node.stop(STOP_TIMEOUT);
      node.start();
      restarted.append(' ').append(node.plan().id());
      if (!graceful) {
        restarted.append(" (did not stop within ").append(STOP_TIMEOUT.toSeconds()).append(" s)");
      }
      // A node that responds may have yet to open its replicas, without which there may be no
      // majority when the next one stops.
      if (!arena.awaitReady(node, READY_TIMEOUT)) {
        restarted.append(" (not ready within ").append(READY_TIMEOUT.toSeconds()).append(" s)");
      }
      awaitServing(arena, restarted);
    }
    return Optional.of(Fault.instantaneous(restarted.toString()));
  }

  /** Continues after a timeout: the cluster may not serve until another fault is healed. */
  private static void awaitServing(Arena arena, StringBuilder restarted) {
    try {
      arena.cluster().awaitServing(SERVING_TIMEOUT);
    } catch (ClusterException.NotServing e) {
      restarted.append(" (not all nodes served afterwards)");
    }
  }
}
