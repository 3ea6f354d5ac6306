package io.quorate.server.cli.node;

import io.quorate.client.cluster.NodeAdministration;
import io.quorate.client.cluster.PlannedChange;
import io.quorate.server.cli.terminal.Terminal;
import io.quorate.server.cli.verb.Connections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Adds a node to the cluster. */
@Command(
    name = "add",
    description = {
      "Add a node that runs, with an empty data directory and nodes of this cluster in its"
          + " configuration. It receives its share of the replicas."
    })
final class NodeAddCommand extends NodeChangeVerb {
  @Parameters(
      index = "0",
      paramLabel = "HOST:PORT",
      description = "The address of the node's client port.")
  private String address;

  NodeAddCommand(Terminal terminal, Connections connections) {
    super(terminal, connections);
  }

  @Override
  protected void checkParameters() {
    address(address);
  }

  @Override
  CompletableFuture<List<PlannedChange>> request(NodeAdministration nodes) {
    return nodes.add(address(address));
  }

  @Override
  boolean waitsFor(PlannedChange change) {
    return change.to().isPresent();
  }

  @Override
  String done() {
    return "The node at " + address + " is in the cluster, and has its replicas.";
  }
}
