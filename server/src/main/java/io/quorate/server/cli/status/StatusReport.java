package io.quorate.server.cli.status;

import io.quorate.client.Durations;
import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.NodeReport;
import io.quorate.client.cluster.NodeState;
import io.quorate.client.cluster.ReplicaState;
import io.quorate.model.NodeId;
import io.quorate.server.cli.format.TextTable;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Formats the state of a cluster as text. */
final class StatusReport {
  private static final int METADATA_REGION = 0;
  private static final List<String> SHOWN_SETTINGS =
      List.of("engine", "reads", "reply", "security");
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
    for (NodeReport node : status.nodes()) {
      node.state()
          .flatMap(state -> CertificateNotice.of(state, Instant.now()))
          .ifPresent(notice -> text.append(node.name()).append(": ").append(notice).append(".\n"));
    }
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
    TextTable table = TextTable.ofTexts("NODE", "ADDRESS", "STATE", "UPTIME", "VERSION", "WRITES");
    for (NodeReport node : status.nodes()) {
      Optional<NodeState> up = node.state();
      table.add(
          node.id().map(NodeId::value).orElse(UNKNOWN),
          node.address().toString(),
          (node.isUp() ? "up" : "down") + (status.isDraining(node) ? ", draining" : ""),
          up.map(s -> Durations.text(s.uptime().truncatedTo(ChronoUnit.SECONDS))).orElse(UNKNOWN),
          up.map(NodeState::version).orElse(UNKNOWN),
          up.map(s -> s.refusal().map(reason -> "refused: " + reason).orElse("accepted"))
              .orElse(UNKNOWN));
    }
    return table.render();
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

  static long gap(ReplicaState replica, ReplicaState.Reads reads) {
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
}
