package io.quorate.client;

import io.quorate.client.wire.Opcode;
import io.quorate.client.wire.v1.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Keeps a client from using one of two clusters whose nodes are both among its seeds: which one
 * would depend on which node responds first. Before the first topology is adopted, the seeds that
 * are no nodes in it are asked for theirs. A seed that does not respond within the timeout of an
 * attempt is no obstacle. Used by the event loop only.
 */
final class SeedCheck {
  private final ClientContext context;
  private Optional<Topology> held = Optional.empty();
  private Optional<String> other = Optional.empty();
  private int outstanding;
  private boolean isPassed;

  SeedCheck(ClientContext context) {
    this.context = context;
    // With an id, each connection is refused by nodes of other clusters.
    this.isPassed =
        context.options().clusterId().isPresent() || context.options().seeds().size() == 1;
  }

  /**
   * Returns whether the topology may be adopted now. Otherwise it is adopted when the seeds have
   * been asked, or what waits for one is rejected.
   */
  boolean admits(Topology topology, TopologySnapshot received) {
    if (isPassed || held.isPresent()) {
      return isPassed;
    }
    List<NodeAddress> strangers = new ArrayList<>(context.options().seeds());
    strangers.removeAll(received.nodes().values());
    if (strangers.isEmpty()) {
      isPassed = true;
      return true;
    }
    held = Optional.of(topology);
    outstanding = strangers.size();
    strangers.forEach(seed -> ask(seed, received.clusterId()));
    return false;
  }

  private void ask(NodeAddress seed, String clusterId) {
    AdminCall.of(
            context.pool(seed),
            Opcode.TOPOLOGY,
            Topology.parser(),
            context.loop(),
            context.options().attemptTimeout())
        .whenComplete(
            (topology, failure) -> {
              if (failure == null && !topology.getClusterId().equals(clusterId)) {
                other =
                    Optional.of(
                        "The addresses are those of two clusters: the node at "
                            + seed
                            + " belongs to cluster \""
                            + topology.getClusterId()
                            + "\", and another one to cluster \""
                            + clusterId
                            + "\".");
              }
              if (--outstanding == 0) {
                end();
              }
            });
  }

  private void end() {
    Topology topology = held.orElseThrow();
    held = Optional.empty();
    if (other.isPresent()) {
      IncompatibleException cause = new IncompatibleException(other.get());
      other = Optional.empty();
      context.rejected(cause);
    } else {
      isPassed = true;
      context.update(topology);
    }
  }
}
