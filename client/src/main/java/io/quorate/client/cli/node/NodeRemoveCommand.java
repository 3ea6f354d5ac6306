package io.quorate.client.cli.node;

import io.quorate.client.NodeAdministration;
import io.quorate.client.PlannedChange;
import io.quorate.client.cli.terminal.Terminal;
import io.quorate.client.cli.verb.Connections;
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
    return "Node " + name + " is not in the cluster any more.";
  }
}
