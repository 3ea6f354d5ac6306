package io.quorate.ratis.patches;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.replication.quorum.Majority;
import java.util.List;
import java.util.stream.Stream;
import org.apache.ratis.protocol.RaftPeerId;
import org.junit.jupiter.api.Test;

class ReceivedVotesTest {
  private static final RaftPeerId SELF = peer("n1");

  private final ReceivedVotes votes = new ReceivedVotes();

  @Test
  void aMajorityOfTheTermElects() {
    votes.add(4, peer("n2"));
    assertThat(isElected(4, members("n1", "n2", "n3"))).isTrue();
  }

  /** The term rose between the count and the beginning of the leadership. */
  @Test
  void votesOfAnotherTermDoNotCount() {
    votes.add(4, peer("n2"));
    assertThat(isElected(5, members("n1", "n2", "n3"))).isFalse();
    votes.add(6, peer("n2"));
    assertThat(isElected(5, members("n1", "n2", "n3"))).isFalse();
    assertThat(isElected(4, members("n1", "n2", "n3"))).isFalse();
    votes.add(4, peer("n3"));
    assertThat(isElected(4, members("n1", "n2", "n3"))).isFalse();
    assertThat(isElected(6, members("n1", "n2", "n3"))).isTrue();
  }

  @Test
  void aMinorityDoesNotElect() {
    votes.add(4, peer("n2"));
    votes.add(4, peer("n2"));
    votes.add(4, peer("n9"));
    assertThat(isElected(4, members("n1", "n2", "n3", "n4", "n5"))).isFalse();
    votes.add(4, peer("n5"));
    assertThat(isElected(4, members("n1", "n2", "n3", "n4", "n5"))).isTrue();
  }

  @Test
  void bothGroupsOfMembersElectWhileTheyChange() {
    votes.add(4, peer("n4"));
    assertThat(isElected(4, new Majority<>(peers("n1", "n2", "n4"), peers("n1", "n2", "n3"))))
        .isFalse();
    votes.add(4, peer("n3"));
    assertThat(isElected(4, new Majority<>(peers("n1", "n2", "n4"), peers("n1", "n2", "n3"))))
        .isTrue();
  }

  /** Ratis awaits no vote of the second member, and nobody is elected without the first. */
  @Test
  void theOnlyMemberElectsItself() {
    assertThat(isElected(4, members("n1"))).isTrue();
    assertThat(isElected(5, new Majority<>(peers("n1", "n2"), peers("n1")))).isTrue();
    assertThat(isElected(6, new Majority<>(peers("n1", "n2"), peers("n2")))).isFalse();
  }

  @Test
  void aLeaderStaysElectedWhenItsMembersChange() {
    votes.add(4, peer("n2"));
    assertThat(isElected(4, members("n1", "n2", "n3"))).isTrue();
    assertThat(isElected(4, members("n1", "n4", "n5"))).isTrue();
  }

  private boolean isElected(long term, Majority<RaftPeerId> needed) {
    return votes.areEnough(term, SELF, needed);
  }

  private static Majority<RaftPeerId> members(String... names) {
    return new Majority<>(peers(names), List.of());
  }

  private static List<RaftPeerId> peers(String... names) {
    return Stream.of(names).map(ReceivedVotesTest::peer).toList();
  }

  private static RaftPeerId peer(String name) {
    return RaftPeerId.valueOf(name);
  }
}
