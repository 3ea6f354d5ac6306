package io.quorate.replication.coded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.consensus.ConsensusException;
import io.quorate.model.NodeId;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Which servers receive a body, and in which order. */
class BodyServersTest {
  private static final long TERM = 5;
  private static final NodeId SELF = new NodeId("n1");
  private static final List<NodeId> PRESENT = nodes("n1", "n2", "n3");
  private static final List<NodeId> NEXT = nodes("n1", "n2", "n4");
  private static final GroupMembers NOW = GroupMembers.stable(PRESENT);

  private final BodyServers servers = new BodyServers(SELF);

  private static List<NodeId> nodes(String... names) {
    return Stream.of(names).map(NodeId::new).toList();
  }

  private BodyServers.Choice choose(GroupMembers members, String... responsive) {
    return servers.choose(TERM, PRESENT, members, nodes(responsive));
  }

  @Test
  void theMembersAreTheElectorateAndTheLastThatRespondedComesFirst() {
    BodyServers.Choice choice = choose(NOW, "n3");

    assertThat(choice.electorates()).containsExactly(PRESENT);
    assertThat(choice.all()).containsExactlyInAnyOrderElementsOf(PRESENT);
    assertThat(choice.prompt()).isEqualTo(nodes("n3"));
    assertThat(choice.followers()).isEqualTo(nodes("n3", "n2"));
  }

  @Test
  void theMembersAfterAChangeInTheLogAreAnElectorateToo() {
    BodyServers.Choice choice = choose(new GroupMembers(PRESENT, Optional.of(NEXT)), "n3", "n2");

    assertThat(choice.electorates()).containsExactly(PRESENT, NEXT);
    assertThat(choice.prompt()).as("n4 is no member yet").isEqualTo(nodes("n3", "n2", "n4"));
    assertThat(choice.followers()).isEqualTo(nodes("n3", "n2", "n4"));
  }

  /** The body was encoded for members that have changed since. */
  @Test
  void theServersWithFragmentsAreTheFirstElectorate() {
    BodyServers.Choice choice =
        servers.choose(TERM, PRESENT, GroupMembers.stable(NEXT), nodes("n4"));

    assertThat(choice.electorates()).containsExactly(PRESENT, NEXT);
  }

  @Test
  void aPreparedChangeCountsInItsTermOnly() {
    assertThat(servers.prepare(TERM, nodes("n4", "n2", "n1"), NOW)).isEqualTo(NEXT);

    assertThat(choose(NOW).electorates()).containsExactly(PRESENT, NEXT);
    assertThat(servers.choose(TERM + 1, PRESENT, NOW, List.of()).electorates())
        .containsExactly(PRESENT);
  }

  @Test
  void aServerThatWasLateIsNotPromptUntilItIsInTime() {
    servers.late(Set.of(new NodeId("n2")));
    assertThat(choose(NOW, "n2", "n3").prompt()).isEqualTo(nodes("n3"));
    assertThat(choose(NOW, "n2", "n3").followers()).isEqualTo(nodes("n3", "n2"));
    assertThat(servers.prompt(nodes("n2", "n3"))).isEqualTo(nodes("n3"));

    servers.inTime(new NodeId("n2"));
    assertThat(choose(NOW, "n2", "n3").prompt()).isEqualTo(nodes("n2", "n3"));
  }

  @Test
  void aServerThatIsNoMemberYetMayBeLateToo() {
    servers.prepare(TERM, NEXT, NOW);
    assertThat(choose(NOW, "n2").prompt()).isEqualTo(nodes("n2", "n4"));
    servers.late(Set.of(new NodeId("n4")));
    assertThat(choose(NOW, "n2").prompt()).isEqualTo(nodes("n2"));
  }

  @Test
  void aChangeBeginsWhenNoOtherOneIsInProgress() {
    GroupMembers changing = new GroupMembers(PRESENT, Optional.of(NEXT));
    assertThatThrownBy(() -> servers.prepare(TERM, NEXT, changing))
        .isInstanceOf(ConsensusException.Overloaded.class);

    servers.prepare(TERM, NEXT, NOW);
    servers.prepared(TERM, NEXT);
    servers.changeRequested(TERM, NEXT, NOW);
    assertThatThrownBy(() -> servers.prepare(TERM, nodes("n1", "n2"), NOW))
        .isInstanceOf(ConsensusException.Overloaded.class);

    servers.changeEnded(GroupMembers.stable(NEXT));
    servers.prepare(TERM, nodes("n1", "n2"), GroupMembers.stable(NEXT));
  }

  @Test
  void aChangeIsOfOneMember() {
    assertThatThrownBy(() -> servers.prepare(TERM, nodes("n1", "n4", "n5"), NOW))
        .isInstanceOf(ConsensusException.Invalid.class)
        .hasMessageContaining(PRESENT.toString());
    assertThat(choose(NOW).electorates()).containsExactly(PRESENT);
  }

  @Test
  void aChangeIsRequestedWhenItsBodiesAreCopied() {
    servers.prepare(TERM, NEXT, NOW);
    assertThatThrownBy(() -> servers.changeRequested(TERM, NEXT, NOW))
        .isInstanceOf(ConsensusException.Unavailable.class);
    servers.prepared(TERM, NEXT);
    servers.changeRequested(TERM, NEXT, NOW);
  }
}
