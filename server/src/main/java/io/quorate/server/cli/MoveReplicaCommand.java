package io.quorate.server.cli;

import io.quorate.client.QuorateClient;
import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.NodeState;
import io.quorate.client.cluster.ReplicaState;
import io.quorate.model.GroupId;
import io.quorate.server.cli.terminal.ExitCode;
import io.quorate.server.cli.terminal.ProgressLine;
import io.quorate.server.cli.terminal.Terminal;
import io.quorate.server.cli.verb.ClientVerb;
import io.quorate.server.cli.verb.Connections;
import java.io.IOException;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Moves a region's replica to another node, and shows the progress. */
@Command(
    name = "move-replica",
    description = {
      "Move a region's replica to a node that has none; status shows where they are.",
      "Reads and writes continue. The cluster completes the move even if this command is ended."
    })
final class MoveReplicaCommand extends ClientVerb {
  private static final int BAR_WIDTH = 20;
  private static final long POLL_MILLIS = 200;

  @Parameters(index = "0", paramLabel = "REGION", description = "The region's number.")
  private int region;

  @Parameters(index = "1", paramLabel = "FROM", description = "The node that has the replica.")
  private String from;

  @Parameters(index = "2", paramLabel = "TO", description = "The node that is to have it.")
  private String to;

  @Option(names = "--no-wait", description = "Return when the move is planned.")
  private boolean noWait;

  private boolean wasPlanned;
  private long plannedIn;

  MoveReplicaCommand(Terminal terminal, Connections connections) {
    super(terminal, connections);
  }

  @Override
  protected void checkParameters() {
    group();
    node(from);
    node(to);
  }

  @Override
  protected boolean isOneRequest() {
    return noWait;
  }

  @Override
  protected ExitCode run(QuorateClient client) throws IOException {
    wasPlanned = false;
    plannedIn = 0;
    client.moveReplica(group(), node(from), node(to));
    if (noWait) {
      terminal()
          .out()
          .print(
              String.format(
                  Locale.ROOT, "A replica of region %d moves from %s to %s.\n", region, from, to));
      return ExitCode.OK;
    }
    try (ProgressLine progress = new ProgressLine(terminal().err(), terminal().isInteractive())) {
      ClusterStatus status = client.status();
      while (!hasMoved(status)) {
        if (isTakenBack(status)) {
          return takenBack();
        }
        ClusterStatus shown = status;
        progress.show(
            () ->
                ProgressLine.bar(received(shown), BAR_WIDTH) + " of region " + region + " copied");
        // A node reports its state only when it is requested.
        TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        status = client.status();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("The command was ended; the cluster completes the move.", e);
    }
    terminal()
        .out()
        .print(
            String.format(
                Locale.ROOT,
                "The replica of region %d has moved from %s to %s.\n",
                region,
                from,
                to));
    return ExitCode.OK;
  }

  /**
   * Whether the newest topology that a node reports has neither the move nor its outcome, and an
   * earlier one had the move.
   */
  private boolean isTakenBack(ClusterStatus status) {
    Optional<NodeState> newest =
        status.nodes().stream()
            .flatMap(report -> report.state().stream())
            .filter(state -> state.topologyVersion() >= plannedIn)
            .max(Comparator.comparingLong(NodeState::topologyVersion));
    if (newest.isEmpty()) {
      return false;
    }
    if (newest.get().plans().containsKey(group())) {
      plannedIn = newest.get().topologyVersion();
      wasPlanned = true;
      return false;
    }
    return wasPlanned
        && newest.get().regions().stream()
            .filter(descriptor -> descriptor.id().equals(group()))
            .noneMatch(descriptor -> descriptor.replicas().contains(node(to)));
  }

  private ExitCode takenBack() {
    terminal()
        .err()
        .print(
            String.format(
                Locale.ROOT,
                "The cluster has taken the move back, because node %s or its device did not respond"
                    + " in time; \"quorate placement\" shows the decision.\n",
                to));
    return ExitCode.NOT_MET;
  }

  /** Whether a replica that serves knows the assignment after the move. */
  private boolean hasMoved(ClusterStatus status) {
    return status.replicas(group()).stream()
        .filter(ReplicaState::serving)
        .map(replica -> replica.region().replicas())
        .anyMatch(replicas -> replicas.contains(node(to)) && !replicas.contains(node(from)));
  }

  /** The fraction of the positions that the new replica has applied. */
  private double received(ClusterStatus status) {
    long committed =
        status.replicas(group()).stream().mapToLong(ReplicaState::committed).max().orElse(0);
    long applied =
        status.nodes().stream()
            .filter(report -> report.id().filter(node(to)::equals).isPresent())
            .flatMap(report -> report.replica(group()).stream())
            .mapToLong(ReplicaState::applied)
            .findFirst()
            .orElse(0);
    return committed <= 0 ? 0 : (double) applied / committed;
  }

  private GroupId group() {
    return region(region, 1);
  }
}
