package io.quorate.client.internal.call;

import io.quorate.client.IncompatibleException;
import io.quorate.client.cluster.NodeAddress;
import io.quorate.client.internal.connection.AdminCall;
import io.quorate.client.internal.connection.Guarded;
import io.quorate.client.internal.topology.TopologySnapshot;
import io.quorate.common.Failpoint;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.v1.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a client from using one of two clusters whose nodes are both among its seeds: which one
 * would depend on which node responds first. Before the first topology is adopted, the seeds that
 * are no nodes in it are asked for theirs. A seed that does not respond within the timeout of an
 * attempt is no obstacle. Used by the event loop only.
 */
final class SeedCheck implements Guarded {
  private static final Failpoint ASK = Failpoint.named("client.seeds.ask");

  private static final Logger LOG = LoggerFactory.getLogger(SeedCheck.class);

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
    strangers.forEach(seed -> enter(() -> ask(seed, received.clusterId())));
    return false;
  }

  /** A seed whose request or response has thrown is no obstacle either. */
  @Override
  public void thrown(Throwable cause) {
    LOG.atWarn().setCause(cause).log("A seed of this client was not asked for its cluster");
    answered();
  }

  private void ask(NodeAddress seed, String clusterId) {
    ASK.passed(seed);
    AdminCall.of(
            context.pool(seed),
            Opcode.TOPOLOGY,
            Topology.parser(),
            context.loop(),
            context.options().attemptTimeout())
        .whenComplete(
            (topology, failure) -> {
              try {
                if (failure == null && !topology.getClusterId().equals(clusterId)) {
                  other = Optional.of(conflict(seed, topology.getClusterId(), clusterId));
                }
              } finally {
                answered();
              }
            });
  }

  private static String conflict(NodeAddress seed, String its, String another) {
    return "The addresses are those of two clusters: the node at "
        + seed
        + " belongs to cluster \""
        + its
        + "\", and another one to cluster \""
        + another
        + "\".";
  }

  private void answered() {
    if (--outstanding == 0) {
      try {
        decide();
      } catch (RuntimeException | Error e) {
        context.rejected(Guarded.failure(e, false));
      }
    }
  }

  private void decide() {
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
