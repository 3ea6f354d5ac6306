package io.quorate.server.cli.node;

import io.quorate.client.Durations;
import io.quorate.client.QuorateClient;
import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.NodeAddress;
import io.quorate.client.cluster.NodeAdministration;
import io.quorate.client.cluster.PlannedChange;
import io.quorate.model.NodeId;
import io.quorate.server.cli.format.ByteSizes;
import io.quorate.server.cli.format.TextTable;
import io.quorate.server.cli.terminal.ExitCode;
import io.quorate.server.cli.terminal.ProgressLine;
import io.quorate.server.cli.terminal.Terminal;
import io.quorate.server.cli.verb.ClientVerb;
import io.quorate.server.cli.verb.Connections;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Option;

/**
 * Base class of the verbs that change the nodes: requests the change, and shows the progress of the
 * replicas until they have followed. The change continues if the verb is ended, and the verb may be
 * executed again.
 */
abstract class NodeChangeVerb extends ClientVerb {
  private static final int BAR_WIDTH = 20;
  private static final double ESTIMATED_PART_MIN = 0.03;
  private static final long ESTIMATED_NANOS_MAX = TimeUnit.SECONDS.toNanos(15);
  private static final long POLL_MILLIS = 300;

  /** Between two requests for the reasons why changes wait. */
  private static final long REASONS_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** Added to the size of each change, so that a change of an empty region counts too. */
  private static final long BYTES_PER_CHANGE = 1 << 20;

  @Option(names = "--dry-run", description = "Change nothing; list the changes of replicas.")
  private boolean dryRun;

  @Option(
      names = "--no-wait",
      description = "Return when the change is accepted; the replicas follow.")
  private boolean noWait;

  @Option(
      names = "--stall-max",
      paramLabel = "TIME",
      defaultValue = "5m",
      converter = DurationConverter.class,
      description = "How long to wait while no change becomes complete and a region says why.")
  private Duration stallMax;

  NodeChangeVerb(Terminal terminal, Connections connections) {
    super(terminal, connections);
  }

  /** Requests the change. */
  abstract CompletableFuture<List<PlannedChange>> request(NodeAdministration nodes);

  /** Whether the verb is complete only when this change of a replica is. */
  abstract boolean waitsFor(PlannedChange change);

  /** What is the case at the end: one sentence. */
  abstract String done();

  @Override
  protected boolean isOneRequest() {
    return dryRun || noWait;
  }

  @Override
  protected ExitCode run(QuorateClient client) throws IOException {
    NodeAdministration nodes = client.async().nodes();
    List<PlannedChange> changes = await(request(dryRun ? nodes.dryRun() : nodes));
    if (dryRun) {
      terminal().out().print(table(changes));
      return ExitCode.OK;
    }
    if (noWait) {
      terminal().out().print("Accepted; " + count(changes.size()) + " of replicas follow.\n");
      return ExitCode.OK;
    }
    Optional<String> obstacle = waitFor(client, nodes, changes);
    if (obstacle.isPresent()) {
      printError(
          "No change has become complete for "
              + Durations.text(stallMax)
              + " (--stall-max): "
              + obstacle.get()
              + ". The cluster completes the changes when it can; the same command waits again.");
      return ExitCode.UNAVAILABLE;
    }
    terminal().out().print(done() + "\n");
    return ExitCode.OK;
  }

  /** Waits until the changes are complete, or returns what has stopped them for too long. */
  private Optional<String> waitFor(
      QuorateClient client, NodeAdministration nodes, List<PlannedChange> first)
      throws IOException {
    long startedNanos = System.nanoTime();
    List<PlannedChange> remaining = awaited(first);
    long total = bytes(remaining);
    Obstacles obstacles = new Obstacles(startedNanos);
    long reasonsNanos = startedNanos;
    long changedNanos = startedNanos;
    String reported = "";
    try (ProgressLine progress = new ProgressLine(terminal().err(), terminal().isInteractive())) {
      while (!remaining.isEmpty()) {
        List<PlannedChange> shown = remaining;
        long whole = Math.max(total, bytes(remaining));
        long movedNanos = changedNanos - startedNanos;
        progress.show(() -> line(shown, whole, System.nanoTime() - startedNanos, movedNanos));
        // Nodes report their state only when it is requested.
        TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        remaining = awaited(await(nodes.preview()));
        long nowNanos = System.nanoTime();
        changedNanos = bytes(remaining) == bytes(shown) ? changedNanos : nowNanos;
        if (!remaining.isEmpty()
            && nowNanos - reasonsNanos >= Math.min(REASONS_NANOS, stallMax.toNanos())) {
          reasonsNanos = nowNanos;
          ClusterStatus status = client.status();
          String reasons = Obstacles.describe(status, remaining);
          if (obstacles.stalledNanos(status, remaining, nowNanos) >= stallMax.toNanos()) {
            return Optional.of(reasons);
          }
          if (!reasons.equals(reported)) {
            reported = reasons;
            progress.erase();
            printError("Waiting for " + reasons + ".");
          }
        }
      }
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("The verb was ended; the cluster completes the change.", e);
    }
  }

  private List<PlannedChange> awaited(List<PlannedChange> changes) {
    return changes.stream().filter(this::waitsFor).toList();
  }

  /**
   * What is left, for a person who waits. The time left is estimated once a part is done, and while
   * something moves.
   *
   * @param movedNanos the elapsed time when the remaining changes were last others than before
   */
  static String line(
      List<PlannedChange> remaining, long total, long elapsedNanos, long movedNanos) {
    double part = 1 - (double) bytes(remaining) / total;
    String left = "";
    if (part >= ESTIMATED_PART_MIN && elapsedNanos - movedNanos < ESTIMATED_NANOS_MAX) {
      Duration rest = Duration.ofSeconds((long) (elapsedNanos / part * (1 - part) / 1e9));
      left = ", about " + Durations.text(rest) + " left";
    }
    long rows = remaining.stream().mapToLong(PlannedChange::rowBytes).sum();
    return String.format(
        Locale.ROOT,
        "%s %s with %s to go%s",
        ProgressLine.bar(part, BAR_WIDTH),
        count(remaining.size()),
        ByteSizes.text(rows),
        left);
  }

  /** The work of changes, of which a large row set is most. */
  static long bytes(List<PlannedChange> changes) {
    return changes.stream().mapToLong(change -> change.rowBytes() + BYTES_PER_CHANGE).sum();
  }

  private static String count(int changes) {
    return changes + (changes == 1 ? " change" : " changes");
  }

  private static String table(List<PlannedChange> changes) {
    if (changes.isEmpty()) {
      return "No replica would move.\n";
    }
    TextTable table = TextTable.ofTexts("REGION", "FROM", "TO", "SIZE");
    for (PlannedChange change : changes) {
      table.add(
          change.region().toString(),
          change.from().map(NodeId::value).orElse("-"),
          change.to().map(NodeId::value).orElse("-"),
          ByteSizes.text(change.rowBytes()));
    }
    return table.render();
  }

  /** The address in an argument. */
  final NodeAddress address(String argument) {
    try {
      return NodeAddress.parse(argument);
    } catch (IllegalArgumentException e) {
      throw usageError(e.getMessage());
    }
  }
}
