package io.quorate.server.node.join;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.NodeToNode;
import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.NodeAddress;
import io.quorate.client.cluster.NodeReport;
import io.quorate.client.cluster.NodeState;
import io.quorate.model.NodeId;
import io.quorate.server.config.ClusterNode;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the other nodes report of themselves to one that joins. One thread; blocks. A cluster whose
 * configuration has this node alone has no others.
 */
public final class Peers {
  private static final Logger LOG = LoggerFactory.getLogger(Peers.class);
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private static final Map<NodeState.JoinState, JoinState> STATES =
      new EnumMap<>(
          Map.of(
              NodeState.JoinState.NEW, JoinState.NEW,
              NodeState.JoinState.FOUNDING, JoinState.FOUNDING,
              NodeState.JoinState.JOINED, JoinState.JOINED,
              NodeState.JoinState.UNREPORTED, JoinState.JOINED));

  /**
   * The reports of the other nodes in the configuration.
   *
   * @param states how far the nodes are that respond
   * @param problems why the others do not
   */
  public record Reports(Map<NodeId, JoinState> states, Map<NodeId, String> problems) {
    public static final Reports NONE = new Reports(Map.of(), Map.of());
  }

  private final List<ClusterNode> others;
  private final AsyncQuorateClient client;
  private final Map<NodeId, UUID> disks = new HashMap<>();
  private final Map<NodeId, Double> speeds = new HashMap<>();

  /**
   * @param others the other nodes in the configuration
   */
  Peers(List<ClusterNode> others, AsyncQuorateClient client) {
    this.others = List.copyOf(others);
    this.client = client;
  }

  public Reports reports() throws InterruptedException {
    if (others.isEmpty()) {
      return Reports.NONE;
    }
    try {
      return reports(client.status().get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS));
    } catch (ExecutionException | TimeoutException e) {
      LOG.atInfo().addKeyValue("error", e).log("The other nodes have not reported yet");
      return Reports.NONE;
    }
  }

  private Reports reports(ClusterStatus status) {
    Map<NodeId, JoinState> states = new LinkedHashMap<>();
    Map<NodeId, String> problems = new LinkedHashMap<>();
    for (ClusterNode other : others) {
      NodeAddress address = new NodeAddress(other.host(), other.clientPort());
      for (NodeReport report : status.nodes()) {
        Optional<NodeState> state = report.state().filter(node -> node.id().equals(other.id()));
        if (state.isPresent()) {
          states.put(other.id(), STATES.get(state.get().joinState()));
          state.get().disk().ifPresent(disk -> disks.put(other.id(), disk));
          state
              .get()
              .device()
              .flatMap(device -> device.speed().stream().boxed().findFirst())
              .ifPresent(speed -> speeds.put(other.id(), speed));
        } else if (report.address().equals(address)) {
          problems.put(other.id(), report.problem().orElse("Another node responded."));
        }
      }
    }
    return new Reports(states, problems);
  }

  /** Why a node of another founding of the cluster was refused last, as a phrase. */
  public Optional<String> foundingRefusal() throws InterruptedException {
    try {
      return NodeToNode.foundingRefusal(client).get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      LOG.debug("The client of this node does not respond", e);
      return Optional.empty();
    }
  }

  /**
   * Requests new reports for {@link #disks} and {@link #speeds}, which have what is known if the
   * thread is interrupted; that stays so.
   */
  void query() {
    try {
      reports();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * The disks of this node and of those that have responded.
   *
   * @param self this node
   * @param own the disk of this node
   */
  Map<NodeId, UUID> disks(NodeId self, UUID own) {
    disks.put(self, own);
    return Map.copyOf(disks);
  }

  /**
   * The speeds of the devices of this node and of those that have responded, in bytes of rows a
   * second, as far as they are known.
   *
   * @param self this node
   * @param own the speed of this node's device
   */
  Map<NodeId, Double> speeds(NodeId self, OptionalDouble own) {
    own.ifPresent(speed -> speeds.put(self, speed));
    return Map.copyOf(speeds);
  }
}
