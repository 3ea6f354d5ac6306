package io.quorate.server.verification.nemesis;

import io.quorate.server.localcluster.ClusterException;
import io.quorate.server.localcluster.NodeProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;

/** Stops each node in good order and starts it again, the next one when all serve again. */
final class RestartEach implements Nemesis {
  private static final Duration STOP_PATIENCE = Duration.ofSeconds(15);
  private static final Duration SERVING_PATIENCE = Duration.ofSeconds(20);

  @Override
  public String name() {
    return "restart-each";
  }

  @Override
  public Optional<Fault> strike(Arena arena, Random random)
      throws IOException, InterruptedException {
    StringBuilder restarted = new StringBuilder("restarted");
    for (NodeProcess node : Arena.shuffled(arena.running(), random)) {
      boolean inGoodOrder = node.stop(STOP_PATIENCE);
      node.start();
      restarted.append(' ').append(node.plan().id());
      if (!inGoodOrder) {
        restarted.append(" (did not stop within ").append(STOP_PATIENCE.toSeconds()).append(" s)");
      }
      awaitServing(arena, restarted);
    }
    return Optional.of(Fault.ofAMoment(restarted.toString()));
  }

  /** Goes on after a while: under another fault the cluster may not serve until that heals. */
  private static void awaitServing(Arena arena, StringBuilder restarted) {
    try {
      arena.cluster().awaitServing(SERVING_PATIENCE);
    } catch (ClusterException.NotServing e) {
      restarted.append(" (not all served after it)");
    }
  }
}
