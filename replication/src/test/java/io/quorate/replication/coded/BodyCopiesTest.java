package io.quorate.replication.coded;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.EngineSettings;
import io.quorate.model.NodeId;
import io.quorate.replication.coded.round.BodyRound.Form;
import io.quorate.replication.coded.round.Electorate;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Which members receive complete copies before a change, and that these suffice. */
class BodyCopiesTest {
  private static final CodedSettings SETTINGS =
      CodedSettings.from(EngineSettings.defaults("raft"), 4 << 20);
  private static final NodeId SELF = new NodeId("n1");

  private static List<NodeId> nodes(int... numbers) {
    return IntStream.of(numbers).mapToObj(i -> new NodeId("n" + i)).toList();
  }

  private static List<NodeId> receivers(List<NodeId> present, List<NodeId> wanted) {
    return BodyCopies.receivers(SELF, present, wanted, SETTINGS);
  }

  @Test
  void aNewMemberReceivesCopies() {
    assertThat(receivers(nodes(1, 2, 3), nodes(1, 2, 4))).isEqualTo(nodes(4));
    assertThat(receivers(nodes(1, 2), nodes(1, 2, 3))).isEqualTo(nodes(3));
    assertThat(receivers(nodes(1, 2, 3), nodes(1, 2, 3, 4))).isEqualTo(nodes(4));
  }

  @Test
  void nobodyReceivesCopiesWhereMajoritiesStay() {
    assertThat(receivers(nodes(1, 2, 3), nodes(1, 2))).isEmpty();
    assertThat(receivers(nodes(1, 2, 3), nodes(1, 2, 3))).isEmpty();
  }

  @Test
  void majoritiesThatShrinkFindACopyInEach() {
    assertThat(receivers(nodes(1, 2, 3, 4), nodes(1, 3, 4))).isEqualTo(nodes(1, 3));
    assertThat(receivers(nodes(1, 2), nodes(1))).isEqualTo(nodes(1));
  }

  static Stream<Long> seeds() {
    return Stream.concat(Stream.of(1L, 2L, 3L), Stream.of(System.nanoTime()));
  }

  /**
   * Rule 1 of decision 0049. Fails if the new member receives nothing, or a fragment, and if nobody
   * receives copies where majorities shrink.
   */
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void afterTheCopiesEveryMajorityOfTheNextMembersRestoresTheBody(long seed) {
    Random random = new Random(seed);
    int cases = 0;
    while (cases < 2000) {
      List<NodeId> present = nodes(IntStream.rangeClosed(1, 1 + random.nextInt(7)).toArray());
      int dataFragments = SETTINGS.quorums(present.size()).dataFragments();
      Map<NodeId, Form> held = new HashMap<>();
      for (NodeId member : present) {
        int form = random.nextInt(4);
        if (form > 0) {
          held.put(member, form == 1 ? Form.COMPLETE : Form.FRAGMENT);
        }
      }
      Electorate electorate = new Electorate(present, dataFragments);
      if (!electorate.canRestore(held)) {
        continue;
      }
      cases++;
      List<NodeId> wanted = Majorities.changed(random, present);
      receivers(present, wanted).forEach(receiver -> held.put(receiver, Form.COMPLETE));
      assertThat(Majorities.canRestore(held, wanted, dataFragments))
          .as("seed %d: %s to %s, k = %d: %s", seed, present, wanted, dataFragments, held)
          .isTrue();
    }
  }
}
