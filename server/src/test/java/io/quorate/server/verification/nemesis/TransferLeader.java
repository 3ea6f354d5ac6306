package io.quorate.server.verification.nemesis;

import io.quorate.client.wire.Opcode;
import io.quorate.client.wire.Preamble;
import io.quorate.client.wire.Status;
import io.quorate.client.wire.v1.Hello;
import io.quorate.client.wire.v1.TransferLeaderRequest;
import io.quorate.consensus.NodeId;
import io.quorate.server.localcluster.NodePlan;
import io.quorate.server.testing.RawClient;
import java.io.IOException;
import java.util.Optional;
import java.util.Random;

/** Asks a leader to hand its region to another node. */
final class TransferLeader implements Nemesis {
  @Override
  public String name() {
    return "transfer-leader";
  }

  @Override
  public Optional<String> obstacle(Arena arena) {
    if (arena.cluster().nodes().size() < 2) {
      return Optional.of("it takes two nodes");
    }
    return arena.hasLeaders() ? Optional.empty() : Optional.of("regions have no leader");
  }

  @Override
  public Optional<Fault> strike(Arena arena, Random random) throws IOException {
    int region = arena.anyRegion(random);
    Optional<NodePlan> leader = arena.leader(region).map(id -> arena.cluster().node(id).plan());
    if (leader.isEmpty()) {
      return Optional.empty();
    }
    NodeId target =
        Arena.shuffled(arena.cluster().nodes(), random).stream()
            .map(node -> node.plan().id())
            .filter(id -> !id.equals(leader.get().id()))
            .findFirst()
            .orElseThrow();
    Status status = ask(leader.get(), region, target);
    return Optional.of(
        Fault.ofAMoment(
            "handed region %d from %s to %s: %s"
                .formatted(region, leader.get().id(), target, status)));
  }

  private static Status ask(NodePlan leader, int region, NodeId target) throws IOException {
    try (RawClient connection = RawClient.silent(leader.clientPort())) {
      connection.sendPreamble(Preamble.current());
      connection.send(0, Opcode.HELLO.code(), Hello.getDefaultInstance().toByteArray());
      connection.receive();
      TransferLeaderRequest request =
          TransferLeaderRequest.newBuilder().setRegion(region).setTarget(target.value()).build();
      connection.send(1, Opcode.TRANSFER_LEADER.code(), request.toByteArray());
      return connection.receive().status();
    }
  }
}
