package io.quorate.server.cli.region;

import io.quorate.client.QuorateClient;
import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.ReplicaState;
import io.quorate.model.GroupId;
import io.quorate.server.cli.format.Notation;
import io.quorate.server.cli.terminal.ExitCode;
import io.quorate.server.cli.terminal.ProgressLine;
import io.quorate.server.cli.terminal.Terminal;
import io.quorate.server.cli.verb.ClientVerb;
import io.quorate.server.cli.verb.Connections;
import java.io.IOException;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Base class of the verbs that plan a change of a region at a key, and wait until the cluster has
 * carried it out.
 */
abstract class RegionChangeVerb extends ClientVerb {
  private static final long POLL_MILLIS = 100;

  @Parameters(
      index = "0",
      paramLabel = "KEY",
      description =
          "The first key of the region that begins or ends; text, or bytes with --hex; not empty.")
  private String key;

  @Option(names = "--hex", description = "KEY is hexadecimal digits.")
  private boolean hex;

  @Option(names = "--no-wait", description = "Return when the change is planned.")
  private boolean noWait;

  RegionChangeVerb(Terminal terminal, Connections connections) {
    super(terminal, connections);
  }

  @Override
  protected final void checkParameters() {
    at();
  }

  @Override
  protected final boolean isOneRequest() {
    return noWait;
  }

  /** Whether the verb does not wait until the change is complete. */
  final boolean noWait() {
    return noWait;
  }

  /** The key as the caller wrote it. */
  final String key() {
    return key;
  }

  final byte[] at() {
    return key(Notation.of(hex), key);
  }

  /** Reports which region is to have the key and those after it. */
  final ExitCode planned(GroupId region) {
    terminal()
        .out()
        .print(
            String.format(Locale.ROOT, "Region %s will have the keys from %s on.\n", region, key));
    return ExitCode.OK;
  }

  /** Reports which region has the key and those after it. */
  final ExitCode done(GroupId region) {
    terminal()
        .out()
        .print(String.format(Locale.ROOT, "Region %s has the keys from %s on.\n", region, key));
    return ExitCode.OK;
  }

  /**
   * Waits until the nodes report what is waited for.
   *
   * @param shown the progress that a person sees meanwhile
   * @return the last report
   * @throws IOException if the thread is interrupted
   */
  final ClusterStatus waitUntil(QuorateClient client, Predicate<ClusterStatus> isOver, String shown)
      throws IOException {
    ClusterStatus status = client.status();
    try (ProgressLine progress = new ProgressLine(terminal().err(), terminal().isInteractive())) {
      while (!isOver.test(status)) {
        progress.show(() -> shown);
        // A node reports its state only when it is requested.
        TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        status = client.status();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("The command was ended; the cluster continues the change.", e);
    }
    return status;
  }

  static boolean serves(ClusterStatus status, GroupId region) {
    return status.replicas(region).stream().anyMatch(ReplicaState::serving);
  }
}
