package io.quorate.client.cli.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.PlannedChange;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.NodeId;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class NodeProgressTest {
  private static final PlannedChange LARGE = change(1, 30 << 20);
  private static final PlannedChange EMPTY = change(2, 0);

  @Test
  void theLineShowsChangesBytesAndTheTimeLeft() {
    long total = NodeChangeVerb.bytes(List.of(LARGE, EMPTY));
    assertThat(NodeChangeVerb.line(List.of(LARGE, EMPTY), total, TimeUnit.SECONDS.toNanos(1)))
        .as("nothing is done from which the rest could be estimated")
        .endsWith(" 2 changes with 30.0 MiB to go");
    assertThat(NodeChangeVerb.line(List.of(LARGE), total, TimeUnit.SECONDS.toNanos(1)))
        .as("one 32nd of the work has taken a second")
        .endsWith(" 1 change with 30.0 MiB to go, about 31s left");
  }

  private static PlannedChange change(int region, long rowBytes) {
    return new PlannedChange(
        new GroupId(region),
        Optional.of(new NodeId("n1")),
        Optional.of(new NodeId("n2")),
        rowBytes,
        "drain");
  }
}
