package io.quorate.torture.nemesis;

import io.quorate.model.NodeId;
import io.quorate.server.localcluster.NodeProcess;
import io.quorate.torture.nemesis.arena.Arena;
import io.quorate.torture.nemesis.arena.Fault;
import io.quorate.torture.nemesis.arena.Nemesis;
import io.quorate.torture.testbed.network.Cut;
import io.quorate.torture.testbed.network.Link;
import io.quorate.torture.testbed.network.Network;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/**
 * Delivers the requests of the clients to a leader but not its responses, then breaks their
 * connections: the requests are executed, and retried at the same or another node.
 */
final class LostReplies implements Nemesis {
  @Override
  public String name() {
    return "lost-replies";
  }

  @Override
  public Optional<String> obstacle(Arena arena) {
    return Network.obstacle();
  }

  @Override
  public Optional<Fault> inject(Arena arena, Random random) {
    Optional<NodeProcess> leader = arena.leaderOrAny(random);
    if (leader.isEmpty()) {
      return Optional.empty();
    }
    NodeId id = leader.get().plan().id();
    Cut cut = new Cut(Set.of(new Link(id, Link.CLIENTS)), Cut.Mode.HELD);
    arena.network().cut(cut);
    return Optional.of(
        new Fault(
            "dropped the responses of " + id,
            () -> {
              arena.network().reset(cut.links());
              arena.network().restore(cut);
            }));
  }
}
