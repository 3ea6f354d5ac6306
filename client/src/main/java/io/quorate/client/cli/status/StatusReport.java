package io.quorate.client.cli.status;

import io.quorate.client.ClusterStatus;
import io.quorate.client.Durations;
import io.quorate.client.NodeReport;
import io.quorate.client.NodeState;
import io.quorate.client.ReplicaState;
import io.quorate.client.cli.format.JsonText;
import io.quorate.client.cli.format.TextTable;
import io.quorate.consensus.NodeId;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Formats the state of a cluster as text and as JSON.
 *
 * <p>The JSON object has these members; an unknown value is null:
 *
 * <pre>
 * health    {level: "healthy", "degraded" or "unavailable", problems: [text]}
 * cluster   the cluster's id
 * preset    the name of its preset; "custom" if none matches its settings
 * settings  the effective settings, which override the preset: {engine, reads, reply, ...}
 * nodes     [{id, address, up, draining, problem, version, uptimeMs, acceptsWrites, refusal}]
 * leaderless whether every serving replica accepts requests; leaders are null then
 * regions   [{id, epoch, start, end, leader, members: [node id],
 *             plan: {kind: "add", "remove" or "move", from, to} or {kind: "split", at, child},
 *             replicas: [{node, role, serving, leader, consensusEpoch, committed, applied, durable,
 *                         reads: {readIndex, gap, rowNanos, applyNanos,
 *                                 merged, immediate, relaxed},
 *                         bodies: {fragments, complete, missing, damaged, bytes}}]}]
 * </pre>
 *
 * <p>There is a replica for each member. Its role is leader or follower; hibernating if it has
 * stopped because its region is not in use; in a leaderless cluster ready or not-ready; absent if
 * its node responds without this replica; lost if its node has lost it, and receives one from the
 * others; down if its node does not respond. The other members of such a replica are null.
 *
 * <p>A plan is what has been decided for a region and is not complete: one replica is added, is
 * removed or moves between nodes, or the region is split at a key, from which on the child has its
 * keys.
 *
 * <p>{@code start} and {@code end} are text in which {@code \xNN} is a byte that is not text;
 * {@code end} is null for the region that contains the last key. Region 0 contains the metadata of
 * the cluster. Positions are indexes in the region's commit order; -1 is before the first.
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
 */
final class StatusReport {
  private static final int METADATA_REGION = 0;
  private static final List<String> SHOWN_SETTINGS = List.of("engine", "reads", "reply");
  private static final String UNKNOWN = "-";

  private final ClusterStatus status;
  private final boolean isVerbose;
  private final List<RegionView> regions;
  private final ClusterHealth health;

  /**
   * @param isVerbose whether the text includes the statistics of reads and apply
   */
  StatusReport(ClusterStatus status, boolean isVerbose) {
    this.status = status;
    this.isVerbose = isVerbose;
    this.regions = RegionView.of(status);
    this.health = ClusterHealth.of(status, regions);
  }

  ClusterHealth health() {
    return health;
  }

  String text() {
    StringBuilder text = new StringBuilder(health.headline()).append('\n');
    first()
        .ifPresent(
            node ->
                text.append("Cluster ")
                    .append(node.clusterId())
                    .append(", preset ")
                    .append(node.preset())
                    .append(settings(node))
                    .append("\n"));
    text.append('\n');
    text.append(nodeTable());
    status.nodes().stream()
        .filter(node -> !node.isUp())
        .forEach(node -> text.append(node.name()).append(": ").append(problem(node)).append('\n'));
    if (!regions.isEmpty()) {
      text.append('\n').append(regionTable());
    }
    if (regions.stream().anyMatch(region -> region.plan().isPresent())) {
      text.append('\n').append(PlanTable.of(regions));
    }
    BodyTable.of(regions).ifPresent(table -> text.append('\n').append(table));
    if (isVerbose && regions.stream().flatMap(StatusReport::read).findAny().isPresent()) {
      text.append('\n').append(readTable());
    }
    return text.toString();
  }

  String json() {
    Map<String, Object> json = new LinkedHashMap<>();
    Map<String, Object> healthJson = new LinkedHashMap<>();
    healthJson.put("level", health.level().text());
    healthJson.put("problems", health.problems());
    json.put("health", healthJson);
    json.put("cluster", first().map(NodeState::clusterId));
    json.put("preset", first().map(NodeState::preset));
    json.put("settings", first().map(node -> new TreeMap<>(node.settings())));
    json.put("leaderless", first().map(NodeState::leaderless));
    json.put("nodes", status.nodes().stream().map(this::nodeJson).toList());
    json.put("regions", regions.stream().map(StatusReport::regionJson).toList());
    return JsonText.of(json) + "\n";
  }

  /**
   * Formats settings such as ": engine rabia, reads quorum"; nodes of older versions do not report
   * them.
   */
  private static String settings(NodeState node) {
    return SHOWN_SETTINGS.stream()
        .filter(node.settings()::containsKey)
        .map(key -> key + " " + node.settings().get(key))
        .collect(
            Collectors.collectingAndThen(
                Collectors.joining(", "), all -> all.isEmpty() ? "" : ": " + all));
  }

  private Optional<NodeState> first() {
    return status.nodes().stream().flatMap(node -> node.state().stream()).findFirst();
  }

  private String nodeTable() {
    TextTable table = TextTable.ofTexts("NODE", "ADDRESS", "STATE", "UPTIME", "WRITES", "VERSION");
    for (NodeReport node : status.nodes()) {
      Optional<NodeState> up = node.state();
      table.add(
          node.id().map(NodeId::value).orElse(UNKNOWN),
          node.address().toString(),
          (node.isUp() ? "up" : "down") + (isDraining(node) ? ", draining" : ""),
          up.map(s -> Durations.text(s.uptime().truncatedTo(ChronoUnit.SECONDS))).orElse(UNKNOWN),
          up.map(s -> s.refusal().map(reason -> "refused: " + reason).orElse("accepted"))
              .orElse(UNKNOWN),
          up.map(NodeState::version).orElse(UNKNOWN));
    }
    return table.render();
  }

  private boolean isDraining(NodeReport node) {
    return status.topology().stream()
        .anyMatch(entry -> node.id().equals(Optional.of(entry.id())) && entry.isDraining());
  }

  private String regionTable() {
    TextTable table =
        TextTable.ofTexts("REGION", "KEYS", "REPLICA", "ROLE", "COMMITTED", "APPLIED", "DURABLE");
    for (RegionView region : regions) {
      boolean isFirst = true;
      for (RegionView.ReplicaView view : region.replicas()) {
        table.add(
            isFirst ? Integer.toString(region.id()) : "",
            isFirst ? range(region) : "",
            view.node().toString(),
            view.role().text(),
            index(view, ReplicaState::committed),
            index(view, ReplicaState::applied),
            index(view, ReplicaState::durable));
        isFirst = false;
      }
    }
    return table.render();
  }

  /** Formats a position; a dash if there is none yet or it is unknown. */
  private static String index(RegionView.ReplicaView view, ToLongFunction<ReplicaState> of) {
    return view.replica()
        .map(of::applyAsLong)
        .filter(index -> index >= 0)
        .map(String::valueOf)
        .orElse(UNKNOWN);
  }

  private String readTable() {
    TextTable table =
        TextTable.ofTexts(
            "REGION", "REPLICA", "READ AT", "GAP", "ROW", "APPLY", "SCANS", "IMMEDIATE", "RELAXED");
    for (RegionView region : regions) {
      for (RegionView.ReplicaView view : read(region).toList()) {
        ReplicaState replica = view.replica().orElseThrow();
        ReplicaState.Reads reads = replica.reads().orElseThrow();
        long scans = reads.merged() + reads.immediate() + reads.relaxed();
        table.add(
            Integer.toString(region.id()),
            view.node().toString(),
            String.valueOf(reads.readIndex()),
            Long.toString(gap(replica, reads)),
            cost(reads.rowNanos()),
            cost(reads.applyNanos()),
            Long.toString(scans),
            percent(reads.immediate(), scans),
            percent(reads.relaxed(), scans));
      }
    }
    return table.render();
  }

  /** The replicas of a region that report at least one read. */
  private static Stream<RegionView.ReplicaView> read(RegionView region) {
    return region.replicas().stream()
        .filter(
            view ->
                view.replica()
                    .flatMap(ReplicaState::reads)
                    .filter(reads -> reads.readIndex() >= 0)
                    .isPresent());
  }

  private static long gap(ReplicaState replica, ReplicaState.Reads reads) {
    return Math.max(0, reads.readIndex() - replica.applied());
  }

  private static String cost(OptionalDouble nanos) {
    return nanos.isPresent()
        ? String.format(Locale.ROOT, "%.1fus", nanos.getAsDouble() / 1000)
        : UNKNOWN;
  }

  private static String percent(long part, long whole) {
    return whole == 0 ? UNKNOWN : Math.round(100.0 * part / whole) + "%";
  }

  private static String range(RegionView region) {
    if (region.id() == METADATA_REGION) {
      return "(cluster metadata)";
    }
    String start = region.start().isEmpty() ? "first" : region.start();
    return start + " .. " + region.end().orElse("last");
  }

  private static String problem(NodeReport node) {
    return node.problem().orElse("It did not respond.");
  }

  private Map<String, Object> nodeJson(NodeReport node) {
    Optional<NodeState> up = node.state();
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("id", node.id().map(NodeId::value));
    json.put("address", node.address().toString());
    json.put("up", node.isUp());
    json.put("draining", isDraining(node));
    json.put("problem", node.problem());
    json.put("version", up.map(NodeState::version));
    json.put("uptimeMs", up.map(state -> state.uptime().toMillis()));
    json.put("acceptsWrites", up.map(NodeState::acceptsWrites));
    json.put("refusal", up.flatMap(NodeState::refusal).filter(text -> !text.isEmpty()));
    return json;
  }

  private static Map<String, Object> regionJson(RegionView region) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("id", region.id());
    json.put("epoch", region.epoch());
    json.put("start", region.start());
    json.put("end", region.end());
    json.put("leader", region.leader());
    json.put("members", region.members());
    json.put("plan", region.plan().map(PlanTable::json));
    json.put("replicas", region.replicas().stream().map(StatusReport::replicaJson).toList());
    return json;
  }

  private static Map<String, Object> replicaJson(RegionView.ReplicaView view) {
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
    json.put(
        "reads", replica.flatMap(state -> state.reads().map(reads -> readsJson(state, reads))));
    json.put("bodies", replica.flatMap(ReplicaState::bodies).map(BodyTable::json));
    return json;
  }

  private static Map<String, Object> readsJson(ReplicaState replica, ReplicaState.Reads reads) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("readIndex", reads.readIndex());
    json.put("gap", gap(replica, reads));
    json.put("rowNanos", whole(reads.rowNanos()));
    json.put("applyNanos", whole(reads.applyNanos()));
    json.put("merged", reads.merged());
    json.put("immediate", reads.immediate());
    json.put("relaxed", reads.relaxed());
    return json;
  }

  private static Optional<Long> whole(OptionalDouble nanos) {
    return nanos.isPresent() ? Optional.of(Math.round(nanos.getAsDouble())) : Optional.empty();
  }
}
