package io.quorate.replication.transport.handshake;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.model.NodeId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FormationQuorumTest {
  private static final NodeId SELF = new NodeId("n0");

  @ParameterizedTest
  @CsvSource({"1,0", "2,1", "3,2", "4,2", "5,3", "7,4"})
  void oneMoreAcceptanceThanFaultsIsNeeded(int size, int needed) {
    List<NodeId> members = members(size);
    for (int accepted = 0; accepted < size; accepted++) {
      Set<NodeId> acceptedBy = new HashSet<>(members.subList(1, 1 + accepted));
      assertThat(FormationQuorum.hasFormed(SELF, members, acceptedBy))
          .as("%d of %d", accepted, size)
          .isEqualTo(accepted >= needed);
    }
  }

  @Test
  void acceptancesOfNonMembersDoNotCount() {
    Set<NodeId> acceptedBy = Set.of(new NodeId("n1"), new NodeId("x"), new NodeId("y"), SELF);
    assertThat(FormationQuorum.hasFormed(SELF, members(3), acceptedBy)).isFalse();
  }

  /** The reason for the rule: any two sufficient sets of other members intersect. */
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4, 5, 6, 7})
  void twoDisksNeverFormUnderOneId(int size) {
    List<NodeId> others = members(size).subList(1, size);
    for (int chosen = 0; chosen < 1 << others.size(); chosen++) {
      Set<NodeId> old = new HashSet<>();
      Set<NodeId> fresh = new HashSet<>();
      for (int i = 0; i < others.size(); i++) {
        ((chosen >> i & 1) == 1 ? old : fresh).add(others.get(i));
      }
      boolean both =
          FormationQuorum.hasFormed(SELF, members(size), old)
              && FormationQuorum.hasFormed(SELF, members(size), fresh);
      assertThat(both).as("%s and %s", old, fresh).isFalse();
    }
  }

  private static List<NodeId> members(int size) {
    return new ArrayList<>(IntStream.range(0, size).mapToObj(i -> new NodeId("n" + i)).toList());
  }
}
