package io.quorate.client.cli;

import io.quorate.client.ClusterStatus;
import io.quorate.client.QuorateClient;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Shows the nodes and regions of a cluster. */
@Command(
    name = "status",
    description = {
      "Show the nodes of the cluster, its regions, who leads them, and how far each replica is.",
      "Every node is asked; each speaks for itself. Exits with 3 if none answers."
    })
final class StatusCommand extends ClientVerb {
  @Option(names = "--json", description = "Print one JSON object, for programs.")
  private boolean json;

  StatusCommand(Terminal terminal) {
    super(terminal);
  }

  @Override
  ExitCode run(QuorateClient client) {
    ClusterStatus status = client.status();
    StatusReport report = new StatusReport(status);
    terminal().out().print(json ? report.json() : report.text());
    return status.isReachable() ? ExitCode.OK : ExitCode.UNAVAILABLE;
  }
}
