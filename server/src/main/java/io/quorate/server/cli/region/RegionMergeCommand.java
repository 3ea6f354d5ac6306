package io.quorate.server.cli.region;

import io.quorate.client.QuorateClient;
import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.RegionDescriptor;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.server.cli.terminal.ExitCode;
import io.quorate.server.cli.terminal.Terminal;
import io.quorate.server.cli.verb.Connections;
import java.io.IOException;
import java.util.Optional;
import picocli.CommandLine.Command;

/** Merges the region that begins at a key with the one before it, and waits until it has ended. */
@Command(
    name = "merge",
    description = {
      "Merge the region that begins at a key with the one before it, which then has the keys of both.",
      "Its rows and sessions have at most 1 MiB. It fails if no region begins at the key."
    })
final class RegionMergeCommand extends RegionChangeVerb {
  /** By the plan, and when it was given up. */
  private static final int EPOCHS_UNTIL_GIVEN_UP = 2;

  RegionMergeCommand(Terminal terminal, Connections connections) {
    super(terminal, connections);
  }

  @Override
  protected ExitCode run(QuorateClient client) throws IOException {
    if (noWait()) {
      return planned(client.mergeRegion(at()));
    }
    Optional<RegionDescriptor> before = beginning(client.status());
    GroupId into = client.mergeRegion(at());
    ClusterStatus last =
        waitUntil(
            client,
            status -> mergedInto(status).isPresent() || isGivenUp(status, before),
            "region " + into + " receives the keys");
    Optional<GroupId> merged = mergedInto(last);
    if (merged.isPresent()) {
      return done(merged.get());
    }
    printError(
        "The merge was given up, because the region that begins at "
            + key()
            + " has become too large for it; both regions stay.");
    return ExitCode.REFUSED;
  }

  /** The region that has the key and does not begin there, if it serves. */
  private Optional<GroupId> mergedInto(ClusterStatus status) {
    return having(status)
        .filter(region -> !beginsAtKey(region))
        .map(RegionDescriptor::id)
        .filter(region -> serves(status, region));
  }

  /**
   * Whether a region still begins at the key and its plan has come and gone. The plan itself may
   * never have been in a report.
   *
   * @param before the region that began at the key before the merge was planned
   */
  private boolean isGivenUp(ClusterStatus status, Optional<RegionDescriptor> before) {
    Optional<RegionDescriptor> now = beginning(status);
    return before.isPresent()
        && now.isPresent()
        && !status.plans().containsKey(now.get().id())
        && now.get().epoch().value() >= before.get().epoch().value() + EPOCHS_UNTIL_GIVEN_UP;
  }

  private Optional<RegionDescriptor> beginning(ClusterStatus status) {
    return having(status).filter(this::beginsAtKey);
  }

  private boolean beginsAtKey(RegionDescriptor region) {
    return region.range().start().equals(Key.wrap(at()));
  }

  private Optional<RegionDescriptor> having(ClusterStatus status) {
    Key key = Key.wrap(at());
    return status.regions().stream().filter(region -> region.range().contains(key)).findFirst();
  }
}
