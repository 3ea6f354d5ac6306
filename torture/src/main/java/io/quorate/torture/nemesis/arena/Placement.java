package io.quorate.torture.nemesis.arena;

import io.quorate.client.cluster.NodeState;
import io.quorate.client.cluster.RegionDescriptor;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Where the replicas of a cluster are, and are to be, according to its nodes. Each method blocks
 * for about a second if a node does not respond.
 */
public final class Placement {
  private final int nodes;
  private final Supplier<List<NodeState>> reports;

  /**
   * @param nodes their number
   * @param reports requests the states of all nodes; returns those of the nodes that respond
   */
  public Placement(int nodes, Supplier<List<NodeState>> reports) {
    this.nodes = nodes;
    this.reports = reports;
  }

  /** The data regions, by their keys, as the newest topology has them; none if no node responds. */
  public List<RegionDescriptor> regions() {
    return newest(reports.get()).map(NodeState::regions).orElse(List.of()).stream()
        .sorted(Comparator.comparing(region -> region.range().start()))
        .toList();
  }

  private static Optional<NodeState> newest(List<NodeState> states) {
    return states.stream().max(Comparator.comparingLong(NodeState::topologyVersion));
  }

  /** The nodes that are to receive replicas by the newest topology, a node for each of them. */
  public List<NodeId> receivers() {
    return newest(reports.get()).map(NodeState::plans).orElse(Map.of()).values().stream()
        .flatMap(plan -> plan.newReplica().stream())
        .toList();
  }

  /** What keeps leaders from carrying out plans, as they report it. */
  public List<String> planProblems() {
    return reports.get().stream()
        .flatMap(state -> state.replicas().stream())
        .flatMap(replica -> replica.planProblem().stream())
        .distinct()
        .toList();
  }

  /**
   * The number of replicas that regions have, or the most where they differ; 0 if none responds.
   */
  public int copies() {
    return regions().stream().mapToInt(region -> region.replicas().size()).max().orElse(0);
  }

  /** Whether every region has so many replicas, and every node responds and has all of its own. */
  public boolean isComplete(int copies) {
    List<NodeState> states = reports.get();
    return states.size() == nodes
        && states.stream().allMatch(state -> hasAllReplicas(state) && !state.regions().isEmpty())
        && newest(states).orElseThrow().regions().stream()
            .allMatch(region -> region.replicas().size() == copies);
  }

  /** Blocks until {@link #isComplete}; returns whether it is within {@code timeout}. */
  public boolean awaitComplete(int copies, Duration timeout) throws InterruptedException {
    return Arena.await(() -> isComplete(copies), timeout);
  }

  /**
   * Whether every node that responds has all replicas that it is to have. A region of which one is
   * lost already has no majority without the disk of another node.
   */
  public boolean hasAllReplicas() {
    return reports.get().stream().allMatch(Placement::hasAllReplicas);
  }

  private static boolean hasAllReplicas(NodeState state) {
    Set<GroupId> open =
        state.replicas().stream().map(replica -> replica.region().id()).collect(Collectors.toSet());
    return state.regions().stream()
            .filter(region -> region.replicas().contains(state.id()))
            .allMatch(region -> open.contains(region.id()))
        && state.lostReplicas().isEmpty()
        && state.replicas().stream().allMatch(replica -> replica.lostMembers().isEmpty());
  }

  /** The newest description of a region; empty if it was merged, or no node responds. */
  public Optional<RegionDescriptor> region(int id) {
    return regions().stream().filter(region -> region.id().value() == id).findFirst();
  }
}
