package io.quorate.client.cli.region;

import io.quorate.client.ClusterStatus;
import io.quorate.client.QuorateClient;
import io.quorate.client.ReplicaState;
import io.quorate.client.cli.format.Notation;
import io.quorate.client.cli.terminal.ExitCode;
import io.quorate.client.cli.terminal.ProgressLine;
import io.quorate.client.cli.terminal.Terminal;
import io.quorate.client.cli.verb.ClientVerb;
import io.quorate.client.cli.verb.Connections;
import io.quorate.consensus.GroupId;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Splits the region that has a key, and waits until the new region serves. */
@Command(
    name = "split",
    description = {
      "Split the region that has a key: a new region has the keys from there on.",
      "No row moves, and clients go on. A region that begins at the key already stays as it is."
    })
final class RegionSplitCommand extends ClientVerb {
  private static final long POLL_MILLIS = 100;

  @Parameters(
      index = "0",
      paramLabel = "KEY",
      description = "The first key of the new region; text, or bytes with --hex; not empty.")
  private String key;

  @Option(names = "--hex", description = "KEY is hexadecimal digits.")
  private boolean hex;

  @Option(names = "--no-wait", description = "Return when the split is planned.")
  private boolean noWait;

  RegionSplitCommand(Terminal terminal, Connections connections) {
    super(terminal, connections);
  }

  @Override
  protected void checkParameters() {
    at();
  }

  @Override
  protected boolean isOneRequest() {
    return noWait;
  }

  private byte[] at() {
    return key(Notation.of(hex), key);
  }

  @Override
  protected ExitCode run(QuorateClient client) throws IOException {
    GroupId region = client.splitRegion(at());
    if (noWait) {
      terminal().out().print("Region %s will have the keys from %s on.\n".formatted(region, key));
      return ExitCode.OK;
    }
    try (ProgressLine progress = new ProgressLine(terminal().err(), terminal().isInteractive())) {
      while (!serves(client.status(), region)) {
        progress.show(() -> "region " + region + " begins");
        // A node reports its state only when it is requested.
        TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("The command was ended; the cluster completes the split.", e);
    }
    terminal().out().print("Region %s has the keys from %s on.\n".formatted(region, key));
    return ExitCode.OK;
  }

  private static boolean serves(ClusterStatus status, GroupId region) {
    return status.replicas(region).stream().anyMatch(ReplicaState::serving);
  }
}
