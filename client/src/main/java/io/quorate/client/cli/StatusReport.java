package io.quorate.client.cli;

import io.quorate.client.ClusterStatus;
import io.quorate.client.Durations;
import io.quorate.client.NodeReport;
import io.quorate.client.wire.v1.NodeStatus;
import io.quorate.client.wire.v1.ReadFigures;
import io.quorate.client.wire.v1.Replica;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A cluster's state as text for people and as JSON for programs.
 *
 * <p>The JSON object has these members; what is not known is null:
 *
 * <pre>
 * health    {level: "healthy", "degraded" or "unavailable", problems: [text]}
 * cluster   the cluster's id
 * preset    how its replicas agree: a name, "custom" where none fits
 * settings  what is in effect, whatever the preset says: {engine, reads, reply, ...}
 * nodes     [{id, address, up, problem, version, uptimeMs, acceptsWrites, refusal}]
 * leaderless whether every replica that serves takes requests; leaders are null then
 * regions   [{id, epoch, start, end, leader, members: [node id],
 *             replicas: [{node, role, serving, leader, consensusEpoch, committed, applied, durable,
 *                         reads: {readIndex, gap, rowNanos, applyNanos,
 *                                 merged, immediate, relaxed}}]}]
 * </pre>
 *
 * <p>There is a replica for each member. Its role is leader or follower, where there are no leaders
 * ready or not-ready; absent where its node responds and does not have it, or down. The other
 * members are null then.
 *
 * <p>{@code start} and {@code end} are text in which {@code \xNN} stands for a byte that is not;
 * {@code end} is null for the region that holds the last key. Region 0 holds the cluster's own
 * metadata. Positions are indexes in the region's order; -1 stands before the first.
 *
 * <p>{@code readIndex} is the position that a read waited for last, {@code gap} how many of the
 * positions up to there are not applied. {@code rowNanos} and {@code applyNanos} are what reading a
 * row in a scan and applying a position cost lately. The last three count scans by how pending
 * removals were dealt with: side by side with the rows, read past, or waited for.
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
   * @param isVerbose whether the text shows how replicas are read and applied, too
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
                    .append(node.getClusterId())
                    .append(", preset ")
                    .append(node.getPreset())
                    .append(settings(node))
                    .append("\n"));
    text.append('\n');
    text.append(nodeTable());
    status.nodes().stream()
        .filter(node -> !node.isUp())
        .forEach(node -> text.append(name(node)).append(": ").append(problem(node)).append('\n'));
    if (!regions.isEmpty()) {
      text.append('\n').append(regionTable());
    }
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
    json.put("cluster", first().map(NodeStatus::getClusterId));
    json.put("preset", first().map(NodeStatus::getPreset));
    json.put("settings", first().map(node -> new TreeMap<>(node.getSettingsMap())));
    json.put("leaderless", first().map(node -> !node.getTopology().getLeadersOnly()));
    json.put("nodes", status.nodes().stream().map(StatusReport::nodeJson).toList());
    json.put("regions", regions.stream().map(StatusReport::regionJson).toList());
    return JsonText.of(json) + "\n";
  }

  /** Such as ": engine rabia, reads quorum"; nodes of older versions do not report it. */
  private static String settings(NodeStatus node) {
    return SHOWN_SETTINGS.stream()
        .filter(node::containsSettings)
        .map(key -> key + " " + node.getSettingsOrThrow(key))
        .collect(
            Collectors.collectingAndThen(
                Collectors.joining(", "), all -> all.isEmpty() ? "" : ": " + all));
  }

  private Optional<NodeStatus> first() {
    return status.nodes().stream().flatMap(node -> node.status().stream()).findFirst();
  }

  private String nodeTable() {
    TextTable table = new TextTable("NODE", "ADDRESS", "STATE", "UPTIME", "WRITES", "VERSION");
    for (NodeReport node : status.nodes()) {
      Optional<NodeStatus> up = node.status();
      table.row(
          node.id().orElse(UNKNOWN),
          node.address(),
          node.isUp() ? "up" : "down",
          up.map(s -> Durations.text(Duration.ofSeconds(s.getUptimeMs() / 1000))).orElse(UNKNOWN),
          up.map(s -> s.getAcceptsWrites() ? "accepted" : "refused: " + s.getRefusal())
              .orElse(UNKNOWN),
          up.map(NodeStatus::getServerVersion).orElse(UNKNOWN));
    }
    return table.toString();
  }

  private String regionTable() {
    TextTable table =
        new TextTable("REGION", "KEYS", "REPLICA", "ROLE", "COMMITTED", "APPLIED", "DURABLE");
    for (RegionView region : regions) {
      boolean isFirst = true;
      for (RegionView.ReplicaView view : region.replicas()) {
        table.row(
            isFirst ? region.id() : "",
            isFirst ? range(region) : "",
            view.node(),
            view.role().text(),
            index(view, Replica::getCommitted),
            index(view, Replica::getApplied),
            index(view, Replica::getDurable));
        isFirst = false;
      }
    }
    return table.toString();
  }

  /** A position, unless there is none yet or nothing is known. */
  private static String index(RegionView.ReplicaView view, ToLongFunction<Replica> of) {
    return view.replica()
        .map(of::applyAsLong)
        .filter(index -> index >= 0)
        .map(String::valueOf)
        .orElse(UNKNOWN);
  }

  private String readTable() {
    TextTable table =
        new TextTable(
            "REGION", "REPLICA", "READ AT", "GAP", "ROW", "APPLY", "SCANS", "IMMEDIATE", "RELAXED");
    for (RegionView region : regions) {
      for (RegionView.ReplicaView view : read(region).toList()) {
        Replica replica = view.replica().orElseThrow();
        ReadFigures reads = replica.getReads();
        long scans = reads.getMerged() + reads.getImmediate() + reads.getRelaxed();
        table.row(
            region.id(),
            view.node(),
            reads.getReadIndex(),
            gap(replica),
            reads.hasRowNanos() ? cost(reads.getRowNanos()) : UNKNOWN,
            reads.hasApplyNanos() ? cost(reads.getApplyNanos()) : UNKNOWN,
            scans,
            share(reads.getImmediate(), scans),
            share(reads.getRelaxed(), scans));
      }
    }
    return table.toString();
  }

  /** The replicas of a region that have been read, by what they say. */
  private static Stream<RegionView.ReplicaView> read(RegionView region) {
    return region.replicas().stream()
        .filter(
            view ->
                view.replica()
                    .filter(replica -> replica.hasReads() && replica.getReads().getReadIndex() >= 0)
                    .isPresent());
  }

  private static long gap(Replica replica) {
    return Math.max(0, replica.getReads().getReadIndex() - replica.getApplied());
  }

  private static String cost(double nanos) {
    return String.format(Locale.ROOT, "%.1fus", nanos / 1000);
  }

  private static String share(long part, long whole) {
    return whole == 0 ? UNKNOWN : Math.round(100.0 * part / whole) + "%";
  }

  private static String range(RegionView region) {
    if (region.id() == METADATA_REGION) {
      return "(cluster metadata)";
    }
    String start = region.start().isEmpty() ? "first" : region.start();
    return start + " .. " + region.end().orElse("last");
  }

  private static String name(NodeReport node) {
    return node.id().orElse(node.address().toString());
  }

  private static String problem(NodeReport node) {
    return node.problem().orElse("It did not answer.");
  }

  private static Map<String, Object> nodeJson(NodeReport node) {
    Optional<NodeStatus> up = node.status();
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("id", node.id());
    json.put("address", node.address().toString());
    json.put("up", node.isUp());
    json.put("problem", node.problem());
    json.put("version", up.map(NodeStatus::getServerVersion));
    json.put("uptimeMs", up.map(NodeStatus::getUptimeMs));
    json.put("acceptsWrites", up.map(NodeStatus::getAcceptsWrites));
    json.put("refusal", up.map(NodeStatus::getRefusal).filter(text -> !text.isEmpty()));
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
    json.put("replicas", region.replicas().stream().map(StatusReport::replicaJson).toList());
    return json;
  }

  private static Map<String, Object> replicaJson(RegionView.ReplicaView view) {
    Optional<Replica> replica = view.replica();
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("node", view.node());
    json.put("role", view.role().text());
    json.put("serving", replica.map(Replica::getServing));
    json.put("leader", replica.map(Replica::getLeader).filter(name -> !name.isEmpty()));
    json.put("consensusEpoch", replica.map(Replica::getConsensusEpoch));
    json.put("committed", replica.map(Replica::getCommitted));
    json.put("applied", replica.map(Replica::getApplied));
    json.put("durable", replica.map(Replica::getDurable));
    json.put("reads", replica.filter(Replica::hasReads).map(StatusReport::readsJson));
    return json;
  }

  private static Map<String, Object> readsJson(Replica replica) {
    ReadFigures reads = replica.getReads();
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("readIndex", reads.getReadIndex());
    json.put("gap", gap(replica));
    json.put("rowNanos", nanos(reads.hasRowNanos(), reads.getRowNanos()));
    json.put("applyNanos", nanos(reads.hasApplyNanos(), reads.getApplyNanos()));
    json.put("merged", reads.getMerged());
    json.put("immediate", reads.getImmediate());
    json.put("relaxed", reads.getRelaxed());
    return json;
  }

  private static Optional<Long> nanos(boolean isKnown, double nanos) {
    return isKnown ? Optional.of(Math.round(nanos)) : Optional.empty();
  }
}
