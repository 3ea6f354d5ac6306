package io.quorate.replication.coded;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.model.NodeId;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Which changes of members may be requested of Raft. */
class MemberChangeTest {
  private static final long TERM = 5;
  private static final List<NodeId> PRESENT = nodes("n1", "n2", "n3");
  private static final List<NodeId> NEXT = nodes("n1", "n2", "n4");
  private static final GroupMembers NOW = GroupMembers.stable(PRESENT);

  private final MemberChange change = new MemberChange();

  private static List<NodeId> nodes(String... names) {
    return Stream.of(names).map(NodeId::new).toList();
  }

  @Test
  void aChangeIsRequestedWhenItIsPrepared() {
    assertThat(change.request(TERM, NEXT, NOW)).as("not begun").isFalse();
    change.prepare(TERM, NEXT);
    assertThat(change.request(TERM, NEXT, NOW)).as("not complete").isFalse();
    change.complete(TERM, NEXT);
    assertThat(change.request(TERM, NEXT, NOW)).isTrue();
    assertThat(change.isRequested()).isTrue();
  }

  /** Another leader may have proposed bodies that the new member does not have. */
  @Test
  void aPreparationEndsWithItsTerm() {
    change.prepare(TERM, NEXT);
    change.complete(TERM, NEXT);
    assertThat(change.members(TERM)).contains(NEXT);
    assertThat(change.members(TERM + 1)).isEmpty();
    assertThat(change.request(TERM + 1, NEXT, NOW)).isFalse();
  }

  @Test
  void theEndOfAFormerPreparationHasNoEffect() {
    change.prepare(TERM, NEXT);
    change.prepare(TERM, nodes("n1", "n2", "n5"));
    change.complete(TERM, NEXT);
    assertThat(change.request(TERM, NEXT, NOW)).isFalse();
    assertThat(change.request(TERM, nodes("n1", "n2", "n5"), NOW)).isFalse();
  }

  /** The new member joins as soon as it has caught up, however long that takes. */
  @Test
  void bodiesAreReplicatedForTheNextMembersUntilTheChangeIsInForce() {
    change.prepare(TERM, NEXT);
    change.complete(TERM, NEXT);
    change.request(TERM, NEXT, NOW);
    change.ended(new GroupMembers(PRESENT, Optional.of(NEXT)));
    assertThat(change.members(TERM)).as("in the log").contains(NEXT);
    change.request(TERM, NEXT, NOW);
    change.ended(GroupMembers.stable(NEXT));
    assertThat(change.members(TERM)).as("in force").isEmpty();
  }

  /** Such a request proves that no other one is in progress. */
  @Test
  void thePresentMembersNeedNoPreparationAndEndOne() {
    change.prepare(TERM, NEXT);
    assertThat(change.request(TERM, nodes("n3", "n2", "n1"), NOW)).isTrue();
    assertThat(change.members(TERM)).isEmpty();
  }

  @Test
  void whileAChangeIsRequestedItsMembersCount() {
    change.prepare(TERM, NEXT);
    change.complete(TERM, NEXT);
    change.request(TERM, NEXT, NOW);
    assertThat(change.request(TERM, PRESENT, NOW)).isTrue();
    assertThat(change.members(TERM)).contains(NEXT);
  }
}
