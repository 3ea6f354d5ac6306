package io.quorate.server.cli;

import io.quorate.client.QuorateClient;
import io.quorate.client.QuorateException;
import io.quorate.client.UnavailableException;
import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.NodeState;
import io.quorate.client.cluster.RegionDescriptor;
import io.quorate.client.cluster.RegionVerification;
import io.quorate.model.GroupId;
import io.quorate.server.cli.format.TextTable;
import io.quorate.server.cli.terminal.ExitCode;
import io.quorate.server.cli.terminal.ProgressLine;
import io.quorate.server.cli.terminal.Terminal;
import io.quorate.server.cli.verb.ClientVerb;
import io.quorate.server.cli.verb.Connections;
import io.quorate.server.cli.verb.JsonOption;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Compares the replicas of regions by digests, and shows the progress. */
@Command(
    name = "verify",
    description = {
      "Compare the replicas of regions by digests of their rows at one position of the log; ends",
      "with 0 if all are equal, with 1 if replicas differ or one was not compared. Reads and writes",
      "continue. A replica that differs from a majority is rebuilt by itself."
    })
final class VerifyCommand extends ClientVerb {
  private static final int BAR_WIDTH = 20;
  private static final long POLL_MILLIS = 200;

  /** Regions at a time: a node leaves digests out of which too many would wait. */
  private static final int IN_PROGRESS_MAX = 4;

  @Parameters(
      arity = "0..*",
      paramLabel = "REGION",
      showDefaultValue = CommandLine.Help.Visibility.NEVER,
      description = "The regions' numbers; all regions if there is none.")
  private List<Integer> regions = List.of();

  @Mixin private JsonOption json;

  VerifyCommand(Terminal terminal, Connections connections) {
    super(terminal, connections);
  }

  @Override
  protected void checkParameters() {
    regions.forEach(region -> region(region, 0));
  }

  @Override
  protected boolean isOneRequest() {
    return false;
  }

  @Override
  protected ExitCode run(QuorateClient client) throws IOException {
    Queue<GroupId> waiting = new ArrayDeque<>(chosen(client.status()));
    Map<GroupId, Verified> verified = new TreeMap<>();
    try (ProgressLine progress = new ProgressLine(terminal().err(), terminal().isInteractive())) {
      do {
        begin(client, waiting, verified);
        TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        ClusterStatus seen = client.status();
        verified.values().forEach(region -> region.observe(seen));
        // Without regions that were merged since: another region has their rows.
        waiting.retainAll(chosen(seen));
        double done =
            verified.values().stream().mapToDouble(Verified::done).sum()
                / Math.max(1, verified.size() + waiting.size());
        progress.show(() -> ProgressLine.bar(done, BAR_WIDTH) + " of the digests");
      } while (!waiting.isEmpty() || inProgress(verified) > 0);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("The command was ended; the cluster compares the replicas.", e);
    }
    print(verified);
    return verified.values().stream().allMatch(Verified::isEqual) ? ExitCode.OK : ExitCode.NOT_MET;
  }

  /** A region whose digests were requested, or why they could not be. */
  private record Verified(Optional<RegionVerification> region, String failure) {
    void observe(ClusterStatus status) {
      region.ifPresent(known -> known.observe(status));
    }

    boolean isOver() {
      return region.map(RegionVerification::isOver).orElse(true);
    }

    double done() {
      return region.map(RegionVerification::done).orElse(1.0);
    }

    boolean isEqual() {
      return region.map(RegionVerification::isEqual).orElse(false);
    }

    String text() {
      return region.map(RegionVerification::text).orElse("NOT COMPARED: " + failure);
    }
  }

  /** Requests the digests of further regions, as many as may be in progress. */
  private void begin(QuorateClient client, Queue<GroupId> waiting, Map<GroupId, Verified> verified)
      throws InterruptedException {
    while (!waiting.isEmpty() && inProgress(verified) < IN_PROGRESS_MAX) {
      GroupId next = waiting.remove();
      verified.put(next, request(client, next));
    }
  }

  /** Repeats the request while the region does not serve, as when it wakes, within the timeout. */
  private Verified request(QuorateClient client, GroupId region) throws InterruptedException {
    long end = System.nanoTime() + timeout().toNanos();
    while (true) {
      try {
        return new Verified(
            Optional.of(new RegionVerification(region, client.verifyRegion(region))), "");
      } catch (UnavailableException e) {
        if (System.nanoTime() - end > 0) {
          return new Verified(Optional.empty(), e.getMessage());
        }
        TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
      } catch (QuorateException e) {
        if (!regions.isEmpty()) {
          throw e;
        }
        return new Verified(Optional.empty(), e.getMessage());
      }
    }
  }

  private static long inProgress(Map<GroupId, Verified> verified) {
    return verified.values().stream().filter(region -> !region.isOver()).count();
  }

  private List<GroupId> chosen(ClusterStatus status) {
    return regions.isEmpty()
        ? status.nodes().stream()
            .flatMap(node -> node.state().stream())
            .flatMap(VerifyCommand::known)
            .distinct()
            .sorted()
            .toList()
        : regions.stream().map(region -> region(region, 0)).distinct().sorted().toList();
  }

  /** Those with a replica on the node, and those of which no node may respond. */
  private static Stream<GroupId> known(NodeState node) {
    return Stream.concat(
        node.replicas().stream().map(replica -> replica.region().id()),
        node.regions().stream().map(RegionDescriptor::id));
  }

  private void print(Map<GroupId, Verified> verified) {
    if (json.isSet()) {
      verified.forEach(
          (id, region) ->
              json.print(
                  terminal().out(),
                  "region",
                  id.value(),
                  "position",
                  region.region().map(known -> known.position().toString()).orElse(""),
                  "equal",
                  region.isEqual(),
                  "differing",
                  region.region().map(RegionVerification::differing).orElse(List.of()),
                  "missing",
                  region.region().map(RegionVerification::missing).orElse(List.of()),
                  "failure",
                  region.failure()));
      return;
    }
    TextTable table = TextTable.ofTexts("region", "position", "replicas");
    verified.forEach(
        (id, region) ->
            table.add(
                String.format(Locale.ROOT, "%d", id.value()),
                region.region().map(known -> known.position().toString()).orElse(""),
                region.text()));
    terminal().out().print(table.render());
  }
}
