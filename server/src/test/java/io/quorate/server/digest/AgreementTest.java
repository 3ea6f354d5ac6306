package io.quorate.server.digest;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.model.Key;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.protocol.operation.RegionDigest;
import io.quorate.server.digest.Agreement.Kind;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AgreementTest {
  private static final NodeId N1 = new NodeId("n1");
  private static final NodeId N2 = new NodeId("n2");
  private static final NodeId N3 = new NodeId("n3");
  private static final NodeId FORMER = new NodeId("n4");
  private static final List<NodeId> MEMBERS = List.of(N1, N2, N3);

  @Test
  void allDigestsAreAwaitedBeforeReplicasCountAsEqual() {
    assertThat(agreement(Map.of(N1, digest("a"))))
        .isEqualTo(new Agreement(Kind.INCOMPLETE, Set.of(), Set.of()));
    assertThat(agreement(Map.of(N1, digest("a"), N2, digest("a"))).kind())
        .isEqualTo(Kind.INCOMPLETE);
    assertThat(agreement(Map.of(N1, digest("a"), N2, digest("a"), N3, digest("a"))).kind())
        .isEqualTo(Kind.EQUAL);
  }

  /** Two of three suffice to tell that the third is wrong. */
  @Test
  void aReplicaIsWrongIfAMajorityHasAnotherDigest() {
    assertThat(agreement(Map.of(N1, digest("a"), N2, digest("b"), N3, digest("a"))))
        .isEqualTo(new Agreement(Kind.MINORITY_DIFFERS, Set.of(N1, N3), Set.of(N2)));
    List<NodeId> five = List.of(N1, N2, N3, FORMER, new NodeId("n5"));
    assertThat(
            Agreement.of(
                Map.of(N1, digest("a"), N2, digest("b"), N3, digest("a"), FORMER, digest("a")),
                five))
        .isEqualTo(new Agreement(Kind.MINORITY_DIFFERS, Set.of(N1, N3, FORMER), Set.of(N2)));
  }

  @Test
  void noReplicaIsWrongWithoutAMajority() {
    assertThat(agreement(Map.of(N1, digest("a"), N2, digest("b"))).kind())
        .as("the third decides")
        .isEqualTo(Kind.INCOMPLETE);
    assertThat(agreement(Map.of(N1, digest("a"), N2, digest("b"), N3, digest("c"))))
        .isEqualTo(new Agreement(Kind.UNDECIDED, Set.of(), Set.of(N1, N2, N3)));
    assertThat(Agreement.of(Map.of(N1, digest("a"), N2, digest("b")), List.of(N1, N2)).kind())
        .isEqualTo(Kind.UNDECIDED);
  }

  @Test
  void aReplicaThatIsNoMemberDoesNotCount() {
    assertThat(agreement(Map.of(N1, digest("a"), FORMER, digest("a"), N2, digest("b"))).kind())
        .isEqualTo(Kind.INCOMPLETE);
  }

  @Test
  void aDifferenceNamesRowsAndSessions() {
    RegionDigest one = digest("a", "b", "c", "s");
    assertThat(Agreement.difference(one, digest("a", "x", "c", "s"), Set.of(N2, N1)))
        .isEqualTo("differs from n1 and n2 at 3:7 in the rows from \"k1\" up to \"k2\"");
    assertThat(Agreement.difference(one, digest("a", "b", "x", "t"), Set.of(N3)))
        .isEqualTo("differs from n3 at 3:7 in the rows from \"k2\" on and in its sessions");
    assertThat(Agreement.difference(one, digest("a", "b", "c", "t"), Set.of(N3)))
        .isEqualTo("differs from n3 at 3:7 in its sessions");
  }

  private static Agreement agreement(Map<NodeId, RegionDigest> digests) {
    return Agreement.of(digests, MEMBERS);
  }

  private static RegionDigest digest(String rows) {
    return digest(rows, rows, rows, "sessions");
  }

  private static RegionDigest digest(String first, String second, String third, String sessions) {
    return RegionDigest.of(
        new Position(3, 7),
        List.of(
            new RegionDigest.Part(Key.EMPTY, 1, first),
            new RegionDigest.Part(Key.utf8("k1"), 1, second),
            new RegionDigest.Part(Key.utf8("k2"), 1, third)),
        sessions);
  }
}
