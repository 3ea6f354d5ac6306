package io.quorate.server.cli.status;

import io.quorate.client.QuorateClient;
import io.quorate.client.cluster.ClusterStatus;
import io.quorate.server.cli.format.JsonText;
import io.quorate.server.cli.terminal.ExitCode;
import io.quorate.server.cli.terminal.Terminal;
import io.quorate.server.cli.verb.ClientVerb;
import io.quorate.server.cli.verb.Connections;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Option;

/** Shows the health of a cluster, its nodes and its regions. */
@Command(
    name = "status",
    description = {
      "Show whether the cluster is healthy, its nodes, its regions, and how far each replica is.",
      "Every node reports for itself. Exits with 3 if none responds."
    })
public final class StatusCommand extends ClientVerb {
  /** Moves the cursor to the start of the first line and clears the screen. */
  private static final String CLEAR = "\u001b[H\u001b[2J";

  @Option(names = "--json", description = "Print one JSON object, for programs.")
  private boolean json;

  @Option(
      names = "--check",
      description = {
        "Print the first line alone.",
        "Exits with 0 if the cluster is HEALTHY, 1 if DEGRADED, 3 if UNAVAILABLE."
      })
  private boolean check;

  @Option(names = "--verbose", description = "Also show how the replicas are read and applied.")
  private boolean verbose;

  @Option(
      names = "--watch",
      paramLabel = "TIME",
      arity = "0..1",
      fallbackValue = "2s",
      showDefaultValue = Visibility.NEVER,
      converter = DurationConverter.class,
      description = "Show it again after so long (${FALLBACK-VALUE}), until Ctrl-C.")
  private Optional<Duration> watch = Optional.empty();

  public StatusCommand(Terminal terminal, Connections connections) {
    super(terminal, connections);
  }

  @Override
  protected boolean isOneRequest() {
    return watch.isEmpty();
  }

  @Override
  protected ExitCode run(QuorateClient client) {
    ExitCode code = show(client);
    while (watch.isPresent() && !terminal().out().checkError() && pause(watch.get())) {
      terminal().out().print(terminal().isInteractive() ? CLEAR : "\n");
      code = show(client);
    }
    return code;
  }

  private ExitCode show(QuorateClient client) {
    ClusterStatus status = client.status(timeout());
    StatusReport report = new StatusReport(status, verbose);
    if (check) {
      terminal().out().println(report.health().headline());
      return report.health().exitCode();
    }
    terminal().out().print(json ? JsonText.of(ClusterJson.of(status)) + "\n" : report.text());
    return status.isReachable() ? ExitCode.OK : ExitCode.UNAVAILABLE;
  }

  /** Sleeps for the interval of {@code --watch}. Returns false if the thread was interrupted. */
  private static boolean pause(Duration time) {
    try {
      Thread.sleep(time.toMillis());
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
