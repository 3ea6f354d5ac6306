package io.quorate.server.localcluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.common.LoopbackPorts;
import io.quorate.server.localcluster.ClusterPlan.Shape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterPlanTest {
  @TempDir private Path directory;

  @Test
  void portsAreDerivedFromTheBase() {
    ClusterPlan plan = ClusterPlan.of(directory, "dev", Shape.DEFAULT, new Ports.FromBase(7001));

    assertThat(plan.clientAddresses()).isEqualTo("127.0.0.1:7001,127.0.0.1:7002,127.0.0.1:7003");
    NodePlan last = plan.nodes().get(2);
    assertThat(last.id().value()).isEqualTo("n3");
    assertThat(last.consensusPort()).isEqualTo(7103);
    assertThat(last.adminPort()).isEqualTo(7203);
  }

  @Test
  void aWrittenPlanIsLoaded() throws IOException {
    Path odd = directory.resolve("a \"quoted\" \\ name");
    ClusterPlan plan =
        ClusterPlan.of(odd, "dev", new Shape(5, 8, "raft"), new Ports.FromBase(9001));

    plan.writeConfigurations();

    assertThat(ClusterPlan.load(odd)).contains(plan);
  }

  @Test
  void anEmptyDirectoryHasNoPlan() {
    assertThat(ClusterPlan.load(directory)).isEmpty();
  }

  @Test
  void anInvalidFileIsRejectedByName() throws IOException {
    Path file = directory.resolve("n1").resolve("quorate.conf");
    Files.createDirectories(file.getParent());
    Files.writeString(file, "quorate { cluster { id = dev } }");

    assertThatThrownBy(() -> ClusterPlan.load(directory))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining("nodes");
  }

  @Test
  void shapesOutOfBoundsAreRejected() {
    Ports ports = new Ports.FromBase(7001);

    assertThatThrownBy(() -> ClusterPlan.of(directory, "dev", new Shape(0, 1, "raft"), ports))
        .hasMessage("A cluster has from 1 to 100 nodes, not 0.");
    assertThatThrownBy(() -> ClusterPlan.of(directory, "dev", new Shape(3, 4097, "raft"), ports))
        .hasMessage("A cluster has from 1 to 4096 regions, not 4097.");
    assertThatThrownBy(() -> new Ports.FromBase(65_500)).hasMessageContaining("from 1 to 65235");
  }

  @Test
  void freePortsAreFreeAndDifferent() {
    ClusterPlan plan = ClusterPlan.of(directory, "t", new Shape(9, 1, "raft"), new Ports.Free());

    Set<Integer> ports = new HashSet<>();
    for (NodePlan node : plan.nodes()) {
      ports.addAll(node.ports());
    }
    assertThat(ports).hasSize(27).allMatch(LoopbackPorts::isFree);
  }
}
