package io.quorate.client.cli;

import io.quorate.client.ClusterStatus;
import io.quorate.client.QuorateClient;
import io.quorate.client.RegionVerification;
import io.quorate.client.cli.format.TextTable;
import io.quorate.client.cli.terminal.ExitCode;
import io.quorate.client.cli.terminal.ProgressLine;
import io.quorate.client.cli.terminal.Terminal;
import io.quorate.client.cli.verb.ClientVerb;
import io.quorate.client.cli.verb.Connections;
import io.quorate.client.cli.verb.JsonOption;
import io.quorate.consensus.GroupId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Compares the replicas of regions by digests, and shows the progress. */
@Command(
    name = "verify",
    description = {
      "Compare the replicas of regions by digests of their rows; ends with 0 if all are equal.",
      "Reads and writes continue. A replica that differs from a majority is rebuilt by itself."
    })
final class VerifyCommand extends ClientVerb {
  private static final int BAR_WIDTH = 20;
  private static final long POLL_MILLIS = 200;

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
    ClusterStatus status = client.status();
    List<RegionVerification> verified = new ArrayList<>();
    for (GroupId region : chosen(status)) {
      verified.add(new RegionVerification(region, client.verifyRegion(region)));
    }
    try (ProgressLine progress = new ProgressLine(terminal().err(), terminal().isInteractive())) {
      boolean isOver = false;
      while (!isOver) {
        TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        ClusterStatus seen = client.status();
        verified.forEach(region -> region.observe(seen));
        double done = verified.stream().mapToDouble(RegionVerification::done).average().orElse(1);
        progress.show(() -> ProgressLine.bar(done, BAR_WIDTH) + " of the digests");
        isOver = verified.stream().allMatch(RegionVerification::isOver);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("The command was ended; the cluster compares the replicas.", e);
    }
    print(verified);
    return verified.stream().allMatch(RegionVerification::isEqual) ? ExitCode.OK : ExitCode.NOT_MET;
  }

  private List<GroupId> chosen(ClusterStatus status) {
    return regions.isEmpty()
        ? status.nodes().stream()
            .flatMap(node -> node.state().stream())
            .flatMap(node -> node.replicas().stream())
            .map(replica -> replica.region().id())
            .distinct()
            .sorted()
            .toList()
        : regions.stream().map(region -> region(region, 0)).distinct().sorted().toList();
  }

  private void print(List<RegionVerification> verified) {
    if (json.isSet()) {
      verified.forEach(
          region ->
              json.print(
                  terminal().out(),
                  "region",
                  region.id().value(),
                  "position",
                  region.position().toString(),
                  "equal",
                  region.isEqual(),
                  "differing",
                  region.differing(),
                  "missing",
                  region.missing()));
      return;
    }
    TextTable table = TextTable.ofTexts("region", "position", "replicas");
    verified.forEach(
        region ->
            table.add(
                String.format(Locale.ROOT, "%d", region.id().value()),
                region.position().toString(),
                region.text()));
    terminal().out().print(table.render());
  }
}
