package io.quorate.server.cli.node;

import io.quorate.client.cluster.NodeAdministration;
import io.quorate.client.cluster.PlannedChange;
import io.quorate.model.NodeId;
import io.quorate.server.cli.terminal.Terminal;
import io.quorate.server.cli.verb.Connections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Moves all replicas away from a node. */
@Command(
    name = "drain",
    description = {
      "Move all replicas away from a node, and keep them away: before it is removed, or serviced.",
      "The node may be down; its replicas are then restored from the others."
    })
final class NodeDrainCommand extends NodeChangeVerb {
  @Parameters(index = "0", paramLabel = "NODE", description = "The name of the node.")
  private String name;

  @Option(names = "--undo", description = "Let the node have replicas again.")
  private boolean undo;

  NodeDrainCommand(Terminal terminal, Connections connections) {
    super(terminal, connections);
  }

  @Override
  protected void checkParameters() {
    node(name);
  }

  @Override
  CompletableFuture<List<PlannedChange>> request(NodeAdministration nodes) {
    return undo ? nodes.undrain(node(name)) : nodes.drain(node(name));
  }

  @Override
  boolean waitsFor(PlannedChange change) {
    Optional<NodeId> concerned = undo ? change.to() : change.from();
    return concerned.equals(Optional.of(node(name)));
  }

  @Override
  String done() {
    return undo
        ? "Node " + name + " has its share of the replicas."
        : "Node " + name + " has no replicas; \"node remove\" removes it from the cluster.";
  }
}
