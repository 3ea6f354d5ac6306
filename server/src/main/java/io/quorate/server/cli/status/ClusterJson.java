package io.quorate.server.cli.status;

import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.NodeDescriptor;
import io.quorate.client.cluster.NodeReport;
import io.quorate.client.cluster.NodeState;
import io.quorate.client.cluster.ReplicaState;
import io.quorate.model.NodeId;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;

/**
 * The state of a cluster as JSON: what {@code quorate status --json} prints, and what the console
 * of a node shows.
 *
 * <p>The JSON object has these members; an unknown value is null:
 *
 * <pre>
 * health    {level: "healthy", "degraded" or "unavailable", problems: [text]}
 * cluster   the cluster's id
 * preset    the name of its preset; "custom" if none matches its settings
 * settings  the effective settings, which override the preset: {engine, reads, reply, ...}
 * nodes     [{id, address, labels: [text], up, joinState: "new", "founding" or "joined", draining,
 *             problem, version, uptimeMs, acceptsWrites, refusal,
 *             storageFailures: [sentence],
 *             device: {writeBytesPerSecond, kvSpeed, capacityBytes, syncNanos, slow}}]
 * leaderless whether every serving replica accepts requests; leaders are null then
 * regions   [{id, epoch, start, end, leader, noWrites, members: [node id],
 *             plan: {kind: "add", "remove" or "move", from, to}, {kind: "split", at, child}
 *                   or {kind: "merge", absorbed, into},
 *             incoming: the replica that the plan adds, as those in replicas,
 *             replicas: [{node, role, serving, leader, consensusEpoch, committed, applied, durable,
 *                         rowBytes, problem, damage, behindMs,
 *                         reads: {readIndex, gap, rowNanos, applyNanos,
 *                                 merged, immediate, relaxed},
 *                         bodies: {fragments, complete, missing, damaged, bytes}}]}]
 * decisions [{time, kind, region, from, to, reason, outcome}] of placement, the oldest first
 * wholeRegions [{region, rowBytes, reason}] that are large and not split, the largest first
 * </pre>
 *
 * <p>There is a replica for each member. Its role is leader or follower; hibernating if it has
 * stopped because its region is not in use; in a leaderless cluster ready or not-ready; absent if
 * its node responds without this replica; lost if its node has lost it, and receives one from the
 * others; down if its node does not respond. The other members of such a replica are null.
 *
 * <p>{@code noWrites} is the reason why the region accepts no writes; null if it accepts them. Of a
 * replica, {@code problem} is why it takes no part in its region although it runs, as the rest of a
 * sentence about it, {@code damage} what is damaged or missing of a lost one, and {@code behindMs}
 * for how long it has not applied what is committed; null unless that is long.
 *
 * <p>A plan is what has been decided for a region and is not complete: one replica is added, is
 * removed or moves between nodes, the region is split at a key, from which on the child has its
 * keys, or it is merged with a neighbour. Both regions have that plan; the absorbed one ends.
 *
 * <p>{@code start} and {@code end} are text in which {@code \xNN} is a byte that is not text;
 * {@code end} is null for the region that contains the last key. Region 0 contains the metadata of
 * the cluster. {@code rowBytes} is the approximate size of the rows, with what the node holds of
 * large values; null while it is not known. Positions are indexes in the region's commit order; -1
 * is before the first.
 *
 * <p>{@code readIndex} is the position that the latest read waited for, {@code gap} the number of
 * positions up to it that are not applied. {@code rowNanos} and {@code applyNanos} are the recent
 * costs of reading a row in a scan and of applying a position. {@code merged}, {@code immediate}
 * and {@code relaxed} count scans by their handling of pending removals: merged with the rows,
 * skipped by reading more rows, or waited for.
 *
 * <p>{@code bodies} counts the large values of which the node holds a fragment, a complete copy or
 * nothing, and those that are damaged; null unless {@code replication} is {@code coded}, and before
 * the node has searched for them.
 *
 * <p>A device has rates in bytes a second: {@code writeBytesPerSecond} that of random writes, and
 * {@code kvSpeed} that at which it is expected to store rows. {@code capacityBytes} is the most
 * bytes of rows that the node is to hold. A decision is one of the last about a replica or a
 * leadership; {@code time} is in ISO 8601.
 */
public final class ClusterJson {
  private ClusterJson() {}

  /**
   * Returns the object, for {@link io.quorate.server.cli.format.JsonText}. Any thread; does not
   * block.
   */
  public static Map<String, Object> of(ClusterStatus status) {
    List<RegionView> regions = RegionView.of(status);
    ClusterHealth health = ClusterHealth.of(status, regions);
    Optional<NodeState> first =
        status.nodes().stream().flatMap(node -> node.state().stream()).findFirst();
    Map<String, Object> json = new LinkedHashMap<>();
    Map<String, Object> healthJson = new LinkedHashMap<>();
    healthJson.put("level", health.level().text());
    healthJson.put("problems", health.problems());
    json.put("health", healthJson);
    json.put("cluster", first.map(NodeState::clusterId));
    json.put("preset", first.map(NodeState::preset));
    json.put("settings", first.map(node -> new TreeMap<>(node.settings())));
    json.put("leaderless", first.map(NodeState::leaderless));
    json.put("nodes", status.nodes().stream().map(node -> node(status, node)).toList());
    json.put("regions", regions.stream().map(ClusterJson::region).toList());
    json.put("decisions", PlacementJson.decisions(status));
    json.put("wholeRegions", PlacementJson.wholeRegions(status));
    return json;
  }

  private static Map<String, Object> node(ClusterStatus status, NodeReport node) {
    Optional<NodeState> up = node.state();
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("id", node.id().map(NodeId::value));
    json.put("address", node.address().toString());
    json.put("labels", status.descriptor(node).map(NodeDescriptor::labels).orElse(List.of()));
    json.put("up", node.isUp());
    json.put("joinState", up.map(NodeState::joinState).flatMap(ClusterJson::joinState));
    json.put("draining", status.isDraining(node));
    json.put("problem", node.problem());
    json.put("version", up.map(NodeState::version));
    json.put("uptimeMs", up.map(state -> state.uptime().toMillis()));
    json.put("acceptsWrites", up.map(NodeState::acceptsWrites));
    json.put("refusal", up.flatMap(NodeState::refusal).filter(text -> !text.isEmpty()));
    json.put("storageFailures", up.map(NodeState::storageFailures).orElse(List.of()));
    json.put("device", up.flatMap(NodeState::device).map(PlacementJson::device));
    return json;
  }

  private static Optional<String> joinState(NodeState.JoinState state) {
    return state == NodeState.JoinState.UNREPORTED
        ? Optional.empty()
        : Optional.of(state.name().toLowerCase(Locale.ROOT));
  }

  private static Map<String, Object> region(RegionView region) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("id", region.id());
    json.put("epoch", region.epoch());
    json.put("start", region.start());
    json.put("end", region.end());
    json.put("leader", region.leader());
    json.put("noWrites", region.noWrites().map(RegionView.NoWrites::toString));
    json.put("members", region.members());
    json.put("plan", region.plan().map(PlanTable::json));
    json.put("planProblem", region.planProblem());
    json.put("incoming", region.incoming().map(ClusterJson::replica));
    json.put("replicas", region.replicas().stream().map(ClusterJson::replica).toList());
    return json;
  }

  private static Map<String, Object> replica(RegionView.ReplicaView view) {
    Optional<ReplicaState> replica = view.replica();
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("node", view.node());
    json.put("role", view.role().text());
    json.put("serving", replica.map(ReplicaState::serving));
    json.put("leader", replica.flatMap(state -> state.region().leader()).map(NodeId::value));
    json.put("consensusEpoch", replica.map(ReplicaState::consensusEpoch));
    json.put("committed", replica.map(ReplicaState::committed));
    json.put("applied", replica.map(ReplicaState::applied));
    json.put("durable", replica.map(ReplicaState::durable));
    json.put("rowBytes", replica.map(ReplicaState::rowBytes).filter(bytes -> bytes > 0));
    json.put("problem", replica.flatMap(ReplicaState::problem));
    json.put("damage", view.damage());
    json.put("behindMs", replica.flatMap(ReplicaState::behind).map(Duration::toMillis));
    json.put("reads", replica.flatMap(state -> state.reads().map(reads -> reads(state, reads))));
    json.put("bodies", replica.flatMap(ReplicaState::bodies).map(BodyTable::json));
    return json;
  }

  private static Map<String, Object> reads(ReplicaState replica, ReplicaState.Reads reads) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("readIndex", reads.readIndex());
    json.put("gap", StatusReport.gap(replica, reads));
    json.put("rowNanos", whole(reads.rowNanos()));
    json.put("applyNanos", whole(reads.applyNanos()));
    json.put("merged", reads.merged());
    json.put("immediate", reads.immediate());
    json.put("relaxed", reads.relaxed());
    return json;
  }

  /** A number without its fraction; empty if it is not known. */
  static Optional<Long> whole(OptionalDouble nanos) {
    return nanos.isPresent() ? Optional.of(Math.round(nanos.getAsDouble())) : Optional.empty();
  }
}
