package io.quorate.server.cli.node;

import io.quorate.client.cluster.NodeAdministration;
import io.quorate.client.cluster.PlannedChange;
import io.quorate.server.cli.terminal.Terminal;
import io.quorate.server.cli.verb.Connections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Removes a node from the cluster. */
@Command(
    name = "remove",
    description = "Remove a node that has no replicas from the cluster; it may be down.")
final class NodeRemoveCommand extends NodeChangeVerb {
  @Parameters(index = "0", paramLabel = "NODE", description = "The name of the node.")
  private String name;

  NodeRemoveCommand(Terminal terminal, Connections connections) {
    super(terminal, connections);
  }

  @Override
  protected void checkParameters() {
    node(name);
  }

  @Override
  CompletableFuture<List<PlannedChange>> request(NodeAdministration nodes) {
    return nodes.remove(node(name));
  }

  @Override
  boolean waitsFor(PlannedChange change) {
    return false;
  }

  @Override
  String done() {
    return "Node "
        + name
        + " is not in the cluster any more. Stop it, and take it out of configurations and --at;"
        + " its data is of no use to the cluster.";
  }
}
