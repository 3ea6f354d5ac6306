package io.quorate.server.cli.placement;

import io.quorate.client.QuorateClient;
import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.DeviceState;
import io.quorate.client.cluster.NodeReport;
import io.quorate.client.cluster.NodeState;
import io.quorate.client.cluster.PlacementPreview;
import io.quorate.client.cluster.PlacementState;
import io.quorate.client.cluster.PlannedChange;
import io.quorate.client.cluster.ReplicaState;
import io.quorate.model.NodeId;
import io.quorate.server.cli.format.ByteSizes;
import io.quorate.server.cli.format.JsonText;
import io.quorate.server.cli.format.TextTable;
import io.quorate.server.cli.status.ClusterJson;
import io.quorate.server.cli.status.PlacementJson;
import io.quorate.server.cli.terminal.ExitCode;
import io.quorate.server.cli.terminal.Terminal;
import io.quorate.server.cli.verb.ClientVerb;
import io.quorate.server.cli.verb.Connections;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Shows how replicas and leaders are placed, and why. */
@Command(
    name = "placement",
    description = {
      "Show the devices of the nodes, why large regions are not split, and the last decisions about",
      "replicas and leaders.",
      "Exits with 3 if no node responds."
    })
public final class PlacementCommand extends ClientVerb {
  private static final String UNKNOWN = "-";

  /** How many large regions are shown, mostly for one reason. */
  private static final int SHOWN = 10;

  @Option(
      names = "--dry-run",
      description = "Show what would be done next, if every node stayed as it is.")
  private boolean dryRun;

  @Option(names = "--json", description = "Print one JSON object, for programs.")
  private boolean json;

  public PlacementCommand(Terminal terminal, Connections connections) {
    super(terminal, connections);
  }

  @Override
  protected ExitCode run(QuorateClient client) {
    return dryRun ? preview(client) : show(client.status(timeout()));
  }

  private ExitCode show(ClusterStatus status) {
    if (json) {
      Map<String, Object> all = ClusterJson.of(status);
      Map<String, Object> shown = new LinkedHashMap<>();
      shown.put("policy", placement(status).map(PlacementState::policy));
      shown.put("nodes", all.get("nodes"));
      shown.put("wholeRegions", all.get("wholeRegions"));
      shown.put("decisions", all.get("decisions"));
      terminal().out().print(JsonText.of(shown) + "\n");
    } else {
      terminal().out().print(text(status));
    }
    return status.isReachable() ? ExitCode.OK : ExitCode.UNAVAILABLE;
  }

  private static String text(ClusterStatus status) {
    Optional<PlacementState> placement = placement(status);
    String policy =
        placement
            .map(state -> "Policy " + state.policy())
            .orElse("No node that responds places replicas and leaders now");
    List<PlacementState.Decision> decisions =
        placement.map(PlacementState::decisions).orElse(List.of());
    return policy
        + "\n\n"
        + devices(status)
        + whole(placement.map(PlacementState::wholeRegions).orElse(List.of()))
        + (decisions.isEmpty() ? "" : "\n" + decisions(decisions));
  }

  private static Optional<PlacementState> placement(ClusterStatus status) {
    return status.nodes().stream()
        .flatMap(node -> node.state().stream())
        .map(NodeState::placement)
        .flatMap(Optional::stream)
        .findFirst();
  }

  private static String devices(ClusterStatus status) {
    TextTable table =
        TextTable.ofTexts(
            "NODE", "DEVICE", "SPEED", "FSYNC", "HOLDS", "CAPACITY", "REPLICAS", "LEADS");
    for (NodeReport node : status.nodes()) {
      Optional<NodeState> state = node.state();
      Optional<DeviceState> device = state.flatMap(NodeState::device);
      List<ReplicaState> replicas = state.map(NodeState::replicas).orElse(List.of());
      table.add(
          node.id().map(NodeId::value).orElse(UNKNOWN),
          device.map(each -> each.isSlow() ? "slow" : "well").orElse(UNKNOWN)
              + (status.isDraining(node) ? ", draining" : ""),
          device
              .filter(each -> each.speed().isPresent())
              .map(each -> ByteSizes.text((long) each.speed().getAsDouble()) + "/s")
              .orElse(UNKNOWN),
          device
              .filter(each -> each.syncNanos().isPresent())
              .map(
                  each ->
                      String.format(Locale.ROOT, "%.1f ms", each.syncNanos().getAsDouble() / 1e6))
              .orElse(UNKNOWN),
          ByteSizes.text(replicas.stream().mapToLong(ReplicaState::rowBytes).sum()),
          device
              .map(DeviceState::capacityBytes)
              .filter(bytes -> bytes > 0)
              .map(ByteSizes::text)
              .orElse(UNKNOWN),
          Integer.toString(replicas.size()),
          Long.toString(
              replicas.stream()
                  .filter(replica -> replica.region().leader().equals(node.id()))
                  .count()));
    }
    return table.render();
  }

  private static String whole(List<PlacementState.WholeRegion> regions) {
    if (regions.isEmpty()) {
      return "";
    }
    TextTable table = TextTable.ofTexts("REGION", "SIZE", "NOT SPLIT, SINCE");
    for (PlacementState.WholeRegion region : regions.subList(0, Math.min(SHOWN, regions.size()))) {
      table.add(region.region().toString(), ByteSizes.text(region.rowBytes()), region.reason());
    }
    String others = regions.size() > SHOWN ? "and other large regions, which --json has\n" : "";
    return "\n" + table.render() + others;
  }

  private static String decisions(List<PlacementState.Decision> decisions) {
    TextTable table =
        TextTable.ofTexts("DECIDED", "REGION", "WHAT", "FROM", "TO", "OUTCOME", "WHY");
    for (PlacementState.Decision decision : decisions) {
      table.add(
          decision.time().truncatedTo(ChronoUnit.SECONDS).toString(),
          decision.region().toString(),
          decision.kind(),
          decision.from().map(NodeId::value).orElse(UNKNOWN),
          decision.to().map(NodeId::value).orElse(UNKNOWN),
          decision.outcome().orElse("under way"),
          decision.reason());
    }
    return table.render();
  }

  private ExitCode preview(QuorateClient client) {
    PlacementPreview preview = await(client.async().nodes().placement());
    terminal().out().print(json ? json(preview) : text(preview));
    return ExitCode.OK;
  }

  private static String text(PlacementPreview preview) {
    if (preview.changes().isEmpty() && preview.transfers().isEmpty()) {
      return "Nothing would move.\n";
    }
    TextTable table = TextTable.ofTexts("REGION", "WHAT", "FROM", "TO", "SIZE", "WHY");
    for (PlannedChange change : preview.changes()) {
      table.add(
          change.region().toString(),
          "replica",
          change.from().map(NodeId::value).orElse(UNKNOWN),
          change.to().map(NodeId::value).orElse(UNKNOWN),
          ByteSizes.text(change.rowBytes()),
          change.reason());
    }
    for (PlacementPreview.Transfer transfer : preview.transfers()) {
      table.add(
          transfer.region().toString(),
          "leader",
          transfer.from().value(),
          transfer.to().value(),
          UNKNOWN,
          transfer.reason());
    }
    return table.render();
  }

  private static String json(PlacementPreview preview) {
    List<Map<String, Object>> changes =
        preview.changes().stream().map(PlacementJson::change).toList();
    List<Map<String, Object>> transfers = new ArrayList<>();
    for (PlacementPreview.Transfer transfer : preview.transfers()) {
      Map<String, Object> json = new LinkedHashMap<>();
      json.put("region", transfer.region().value());
      json.put("from", transfer.from().value());
      json.put("to", transfer.to().value());
      json.put("reason", transfer.reason());
      transfers.add(json);
    }
    return JsonText.of(Map.of("changes", changes, "transfers", transfers)) + "\n";
  }
}
