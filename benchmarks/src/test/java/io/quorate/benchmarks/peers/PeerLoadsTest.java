package io.quorate.benchmarks.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.benchmarks.cluster.Deployment;
import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import java.util.List;
import org.junit.jupiter.api.Test;

class PeerLoadsTest {
  @Test
  void theLoadsAreThoseOfTheComparison() {
    List<SystemUnderTest> systems = List.of(new SystemUnderTest("one", new Deployment("one")));

    List<Case> cases = PeerLoads.of(PeersScale.QUICK, systems);

    assertThat(cases)
        .extracting(each -> each.load().workload().name())
        .containsExactly(
            "put, 1 client, 1024 B",
            "put, 64 clients, 1024 B",
            "put, 256 clients, 1024 B",
            "get, 1 client, 1024 B",
            "get, 64 clients, 1024 B",
            "get, 256 clients, 1024 B",
            "95 % get, 5 % put, 64 clients, 1024 B",
            "put, 64 clients, 65536 B",
            "put, 8 clients, 1048576 B");
    assertThat(cases).allSatisfy(each -> assertThat(each.contenders()).isEqualTo(systems));
    assertThat(cases.get(0).load().keys().key(0)).hasSize(16);
    assertThat(cases.stream().map(each -> each.load().keys()).distinct()).hasSize(3);
  }

  @Test
  void bothScalesHaveTheSameLoads() {
    assertThat(PeerLoads.of(PeersScale.FULL, List.of()))
        .isEqualTo(PeerLoads.of(PeersScale.QUICK, List.of()));
  }
}
