package io.quorate.server.cli.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.cluster.PlannedChange;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
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
    assertThat(NodeChangeVerb.line(List.of(LARGE, EMPTY), total, TimeUnit.SECONDS.toNanos(1), 0))
        .as("nothing is done from which the rest could be estimated")
        .endsWith(" 2 changes with 30.0 MiB to go");
    assertThat(NodeChangeVerb.line(List.of(LARGE), total, TimeUnit.SECONDS.toNanos(1), 0))
        .as("one 32nd of the work has taken a second")
        .endsWith(" 1 change with 30.0 MiB to go, about 31s left");
    assertThat(NodeChangeVerb.line(List.of(LARGE), total, TimeUnit.SECONDS.toNanos(20), 0))
        .as("nothing has moved for 20 seconds")
        .endsWith(" 1 change with 30.0 MiB to go");
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
