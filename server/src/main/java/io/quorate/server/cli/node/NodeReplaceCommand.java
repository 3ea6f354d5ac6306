package io.quorate.server.cli.node;

import io.quorate.client.cluster.NodeAdministration;
import io.quorate.client.cluster.PlannedChange;
import io.quorate.server.cli.terminal.Terminal;
import io.quorate.server.cli.verb.Connections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Accepts the new disk of a node. */
@Command(
    name = "replace",
    description = {
      "Accept the new disk of a node, which runs with its former name and an empty data directory,"
          + " and restore its replicas from the other nodes.",
      "What its former disk held counts as lost; never start a node with that disk again."
    })
final class NodeReplaceCommand extends NodeChangeVerb {
  @Parameters(
      index = "0",
      paramLabel = "HOST:PORT",
      description = "The address of the node's client port.")
  private String address;

  NodeReplaceCommand(Terminal terminal, Connections connections) {
    super(terminal, connections);
  }

  @Override
  protected void checkParameters() {
    address(address);
  }

  @Override
  CompletableFuture<List<PlannedChange>> request(NodeAdministration nodes) {
    return nodes.replace(address(address));
  }

  @Override
  boolean waitsFor(PlannedChange change) {
    return true;
  }

  @Override
  String done() {
    return "The node at " + address + " has its replicas again.";
  }
}
