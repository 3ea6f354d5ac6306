package io.quorate.server.cli.node;

import io.quorate.client.QuorateClient;
import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.NodeDescriptor;
import io.quorate.client.cluster.NodeReport;
import io.quorate.client.cluster.NodeState;
import io.quorate.server.cli.format.ByteSizes;
import io.quorate.server.cli.format.JsonText;
import io.quorate.server.cli.format.TextTable;
import io.quorate.server.cli.terminal.ExitCode;
import io.quorate.server.cli.terminal.Terminal;
import io.quorate.server.cli.verb.ClientVerb;
import io.quorate.server.cli.verb.Connections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists the nodes of a cluster. The verbs that change them are below it. */
@Command(
    name = "node",
    description = {
      "List the nodes of the cluster with the numbers of their replicas and leaderships.",
      "The verbs below change them; while they work, clients read and write as usual."
    })
public final class NodeCommand extends ClientVerb {
  @Option(names = "--json", description = "Print one JSON object, for programs.")
  private boolean json;

  public NodeCommand(Terminal terminal, Connections connections) {
    super(terminal, connections);
  }

  /** Creates the command line with those of the verbs below it. */
  public static CommandLine commandLine(Terminal terminal, Connections connections) {
    return new CommandLine(new NodeCommand(terminal, connections))
        .addSubcommand(new NodeAddCommand(terminal, connections))
        .addSubcommand(new NodeDrainCommand(terminal, connections))
        .addSubcommand(new NodeReplaceCommand(terminal, connections))
        .addSubcommand(new NodeRemoveCommand(terminal, connections));
  }

  /** A node as the others describe it, and its report. */
  private record Row(
      NodeDescriptor node, boolean isUp, long replicas, long leaderships, long bytes) {
    String state() {
      return (isUp ? "up" : "down") + (node.isDraining() ? ", draining" : "");
    }
  }

  @Override
  protected ExitCode run(QuorateClient client) {
    ClusterStatus status = client.status(timeout());
    if (status.topology().isEmpty()) {
      printError("No node that responds is in service.");
      return ExitCode.UNAVAILABLE;
    }
    List<Row> rows =
        status.topology().stream()
            .sorted(Comparator.comparing(node -> node.id().value()))
            .map(node -> row(node, status))
            .toList();
    terminal().out().print(json ? json(rows) : text(rows));
    return ExitCode.OK;
  }

  private static Row row(NodeDescriptor node, ClusterStatus status) {
    List<NodeState> states =
        status.nodes().stream()
            .map(NodeReport::state)
            .flatMap(Optional::stream)
            .filter(state -> state.id().equals(node.id()))
            .toList();
    long leaderships =
        states.stream()
            .flatMap(state -> state.replicas().stream())
            .filter(replica -> replica.region().leader().filter(node.id()::equals).isPresent())
            .count();
    long bytes =
        states.stream()
            .flatMap(state -> state.replicas().stream())
            .mapToLong(replica -> replica.rowBytes())
            .sum();
    long replicas = states.stream().mapToLong(state -> state.replicas().size()).sum();
    return new Row(node, !states.isEmpty(), replicas, leaderships, bytes);
  }

  private static String text(List<Row> rows) {
    TextTable table =
        TextTable.ofTexts("NODE", "ADDRESS", "STATE", "REPLICAS", "LEADS", "SIZE", "LABELS");
    for (Row row : rows) {
      table.add(
          row.node().id().value(),
          row.node().address().toString(),
          row.state(),
          row.isUp() ? Long.toString(row.replicas()) : "-",
          row.isUp() ? Long.toString(row.leaderships()) : "-",
          row.isUp() ? ByteSizes.text(row.bytes()) : "-",
          String.join(",", row.node().labels()));
    }
    return table.render();
  }

  private static String json(List<Row> rows) {
    return JsonText.of(Map.of("nodes", rows.stream().map(NodeCommand::json).toList())) + "\n";
  }

  private static Map<String, Object> json(Row row) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("id", row.node().id().value());
    json.put("address", row.node().address().toString());
    json.put("up", row.isUp());
    json.put("draining", row.node().isDraining());
    json.put("labels", row.node().labels());
    json.put("replicas", row.replicas());
    json.put("leaderships", row.leaderships());
    json.put("rowBytes", row.bytes());
    return json;
  }
}
