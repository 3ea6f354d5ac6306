package io.quorate.replication.coded.round;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.model.NodeId;
import io.quorate.replication.coded.Majorities;
import io.quorate.replication.coded.round.BodyRound.Action;
import io.quorate.replication.coded.round.BodyRound.Form;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class BodyRoundTest {
  private static final NodeId LEADER = new NodeId("n1");

  private static List<NodeId> followers(int servers) {
    return IntStream.rangeClosed(2, servers).mapToObj(i -> new NodeId("n" + i)).toList();
  }

  private static BodyRound round(int servers, int dataFragments) {
    return new BodyRound(LEADER, followers(servers), dataFragments, List.of(nodes(servers)));
  }

  private static List<NodeId> nodes(int servers) {
    return IntStream.rangeClosed(1, servers).mapToObj(BodyRoundTest::node).toList();
  }

  private static NodeId node(int number) {
    return new NodeId("n" + number);
  }

  @ParameterizedTest
  @CsvSource({
    "3, 2, 3, 2",
    "5, 3, 5, 3",
    "5, 2, 4, 3",
    "7, 3, 6, 4",
    "7, 1, 4, 4",
    "1, 1, 1, 1",
    "2, 1, 1, 1",
    "4, 2, 3, 2"
  })
  void quorums(int servers, int dataFragments, int holders, int completeHolders) {
    BodyQuorums quorums = new BodyQuorums(servers, dataFragments);
    assertThat(quorums.holders()).isEqualTo(holders);
    assertThat(quorums.completeHolders()).isEqualTo(completeHolders);
  }

  @ParameterizedTest
  @CsvSource({"0, 1", "3, 0", "5, -1"})
  void otherQuorumsAreRejected(int servers, int dataFragments) {
    assertThatThrownBy(() -> new BodyQuorums(servers, dataFragments))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void whileEnoughFollowersRespondEachIsSentItsFragment() {
    BodyRound round = round(7, 3);
    assertThat(round.start(Set.copyOf(followers(7).subList(0, 5)), 0))
        .containsExactlyElementsOf(
            followers(7).stream().<Action>map(Action.SendFragment::new).toList());
    assertThat(round.durable(LEADER, Form.COMPLETE)).isEmpty();
    for (int i = 2; i <= 5; i++) {
      assertThat(round.durable(node(i), Form.FRAGMENT)).isEmpty();
    }
    assertThat(round.isProposed()).isFalse();
    assertThat(round.durable(node(6), Form.FRAGMENT)).containsExactly(new Action.Propose());
    assertThat(round.isProposed()).isTrue();
    assertThat(round.durable(node(7), Form.FRAGMENT)).isEmpty();
    assertThat(round.fallBack(Set.of())).isEmpty();
  }

  @Test
  void withFewerRespondingTheFastestAreSentCompleteCopies() {
    BodyRound round = round(5, 3);
    Set<NodeId> responsive = Set.of(node(3), node(4));
    assertThat(round.start(responsive, 0))
        .containsExactly(
            new Action.SendComplete(node(3)),
            new Action.SendComplete(node(4)),
            new Action.SendFragment(node(2)),
            new Action.SendFragment(node(5)));
    round.durable(LEADER, Form.COMPLETE);
    assertThat(round.durable(node(2), Form.FRAGMENT)).isEmpty();
    assertThat(round.durable(node(3), Form.COMPLETE)).isEmpty();
    assertThat(round.durable(node(4), Form.COMPLETE)).containsExactly(new Action.Propose());
  }

  @Test
  void parameterPAddsCompleteCopies() {
    assertThat(round(5, 3).start(Set.of(), 1))
        .filteredOn(Action.SendComplete.class::isInstance)
        .hasSize(3);
    assertThat(round(5, 3).start(Set.of(), 2))
        .filteredOn(Action.SendComplete.class::isInstance)
        .hasSize(4);
  }

  @Test
  void theBodyIsHeldByFollowersIfFOfThemHaveItInAnyForm() {
    BodyRound round = round(5, 3);
    round.durable(LEADER, Form.COMPLETE);
    round.durable(node(4), Form.FRAGMENT);
    assertThat(round.isHeldByFollowers()).isFalse();
    round.durable(node(2), Form.COMPLETE);
    assertThat(round.isHeldByFollowers()).isTrue();
  }

  /** One follower has failed, so that F + k holders are never reached. */
  @Test
  void stuckFragmentsAreReplacedByCompleteCopies() {
    BodyRound round = round(5, 3);
    round.start(Set.copyOf(followers(5)), 0);
    round.durable(LEADER, Form.COMPLETE);
    for (int i = 2; i <= 4; i++) {
      assertThat(round.durable(node(i), Form.FRAGMENT)).isEmpty();
    }
    assertThat(round.fallBack(Set.of(node(2), node(3), node(4))))
        .containsExactly(new Action.SendComplete(node(2)), new Action.SendComplete(node(3)));
    assertThat(round.durable(node(2), Form.COMPLETE)).isEmpty();
    assertThat(round.durable(node(2), Form.FRAGMENT)).as("a late report").isEmpty();
    assertThat(round.durable(node(3), Form.COMPLETE)).containsExactly(new Action.Propose());
  }

  @Test
  void aSecondFallbackSendsToTheOthers() {
    BodyRound round = round(5, 3);
    round.start(Set.copyOf(followers(5)), 0);
    assertThat(round.fallBack(Set.of(node(2)))).hasSize(2);
    assertThat(round.fallBack(Set.of(node(5))))
        .containsExactly(new Action.SendComplete(node(5)), new Action.SendComplete(node(4)));
    round.durable(node(5), Form.COMPLETE);
    assertThat(round.fallBack(Set.of(node(4))))
        .as("copies that may be lost are sent again")
        .containsExactly(new Action.SendComplete(node(4)), new Action.SendComplete(node(2)));
  }

  @Test
  void nothingIsProposedBeforeTheLeaderHoldsTheBody() {
    BodyRound round = round(3, 2);
    round.start(Set.of(), 0);
    assertThat(round.durable(node(2), Form.COMPLETE)).isEmpty();
    assertThat(round.durable(node(3), Form.COMPLETE)).isEmpty();
    assertThat(round.durable(LEADER, Form.COMPLETE)).containsExactly(new Action.Propose());
  }

  @Test
  void onlyServersOfTheGroupCount() {
    assertThatThrownBy(() -> round(3, 2).durable(node(9), Form.COMPLETE))
        .isInstanceOf(IllegalArgumentException.class);
    List<List<NodeId>> five = List.of(nodes(5));
    assertThatThrownBy(() -> new BodyRound(LEADER, followers(3), 3, five))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new BodyRound(LEADER, nodes(5), 3, five))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** Rule 2 of decision 0049: n4 is to take the place of n3. */
  @Test
  void aMemberToComeReceivesACompleteCopyAndCounts() {
    BodyRound round = round(3, 2);
    round.start(Set.copyOf(followers(3)), 0);
    round.durable(LEADER, Form.COMPLETE);
    List<NodeId> next = List.of(LEADER, node(2), node(4));
    assertThat(round.require(next)).containsExactly(new Action.SendComplete(node(4)));
    assertThat(round.durable(node(2), Form.FRAGMENT)).isEmpty();
    assertThat(round.durable(node(3), Form.FRAGMENT)).isEmpty();
    assertThat(round.isProposed()).isFalse();
    assertThat(round.durable(node(4), Form.COMPLETE)).containsExactly(new Action.Propose());
  }

  @Test
  void aProposalThatIsDueIsTakenBackWhenMoreServersCount() {
    BodyRound round = round(3, 2);
    round.start(Set.copyOf(followers(3)), 0);
    round.durable(LEADER, Form.COMPLETE);
    round.durable(node(2), Form.FRAGMENT);
    assertThat(round.durable(node(3), Form.FRAGMENT)).containsExactly(new Action.Propose());
    round.require(List.of(LEADER, node(2), node(4)));
    assertThat(round.isProposed()).isFalse();
    assertThat(round.durable(node(4), Form.COMPLETE)).containsExactly(new Action.Propose());
  }

  /** The member to come is down: copies at members that stay suffice for both electorates. */
  @Test
  void withoutTheMemberToComeCopiesAtTheOthersSuffice() {
    List<NodeId> next = List.of(LEADER, node(2), node(4));
    BodyRound round =
        new BodyRound(LEADER, List.of(node(3), node(2), node(4)), 2, List.of(nodes(3), next));
    assertThat(round.start(Set.of(node(2), node(3)), 0))
        .containsExactly(
            new Action.SendComplete(node(2)),
            new Action.SendFragment(node(3)),
            new Action.SendComplete(node(4)));
    round.durable(LEADER, Form.COMPLETE);
    assertThat(round.durable(node(3), Form.FRAGMENT)).isEmpty();
    assertThat(round.durable(node(2), Form.COMPLETE)).containsExactly(new Action.Propose());
  }

  static Stream<Long> seeds() {
    return Stream.concat(Stream.of(1L, 2L, 3L), Stream.of(System.nanoTime()));
  }

  /**
   * Rule E1: whenever a header is proposed, every set of F + 1 servers can reconstruct the body.
   * Fails if a fragment counts as a complete copy.
   */
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void aProposedBodyIsRecoverableFromAnyMajority(long seed) {
    Random random = new Random(seed);
    int proposals = 0;
    for (int i = 0; i < 3000; i++) {
      int servers = 3 + 2 * random.nextInt(3);
      int dataFragments = 1 + random.nextInt(servers / 2 + 1);
      BodyRound round = round(servers, dataFragments);
      Map<NodeId, Form> sent = new HashMap<>();
      sent.put(LEADER, Form.COMPLETE);
      Map<NodeId, Form> held = new HashMap<>();
      Set<NodeId> responsive = responsive(random, servers);
      apply(round.start(responsive, random.nextInt(servers / 2 + 1)), sent);
      for (int step = 0; step < 30 && !round.isProposed(); step++) {
        if (random.nextInt(5) == 0) {
          apply(round.fallBack(responsive(random, servers)), sent);
        } else {
          List<NodeId> reached = new ArrayList<>(sent.keySet());
          NodeId server = reached.get(random.nextInt(reached.size()));
          held.merge(server, sent.get(server), (one, other) -> one == Form.COMPLETE ? one : other);
          round.durable(server, sent.get(server));
        }
      }
      if (round.isProposed()) {
        proposals++;
        assertThat(Majorities.canRestore(held, nodes(servers), dataFragments))
            .as("seed %d, case %d, %d servers, k = %d: %s", seed, i, servers, dataFragments, held)
            .isTrue();
      }
    }
    assertThat(proposals).as("seed %d", seed).isGreaterThan(1000);
  }

  /** As above, where one member is added, removed or replaced at any time of the round. */
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void aBodyThatIsProposedDuringAChangeIsRecoverableFromAnyMajorityOfBoth(long seed) {
    Random random = new Random(seed);
    int proposals = 0;
    for (int i = 0; i < 3000; i++) {
      int servers = 1 + random.nextInt(7);
      List<NodeId> present = nodes(servers);
      List<NodeId> next = Majorities.changed(random, present);
      int dataFragments = 1 + random.nextInt((servers - 1) / 2 + 1);
      BodyRound round = round(servers, dataFragments);
      Map<NodeId, Form> sent = new HashMap<>();
      sent.put(LEADER, Form.COMPLETE);
      Map<NodeId, Form> held = new HashMap<>();
      apply(round.start(responsive(random, servers), 0), sent);
      int change = random.nextInt(10);
      for (int step = 0; step < 40 && (step <= change || !round.isProposed()); step++) {
        if (step == change) {
          apply(round.require(next), sent);
        } else if (random.nextInt(5) == 0) {
          apply(round.fallBack(responsive(random, servers)), sent);
        } else {
          List<NodeId> reached = new ArrayList<>(sent.keySet());
          NodeId server = reached.get(random.nextInt(reached.size()));
          held.merge(server, sent.get(server), (one, other) -> one == Form.COMPLETE ? one : other);
          round.durable(server, sent.get(server));
        }
      }
      if (round.isProposed()) {
        proposals++;
        for (List<NodeId> electorate : List.of(present, next)) {
          assertThat(Majorities.canRestore(held, electorate, dataFragments))
              .as("seed %d, case %d, %s, k = %d: %s", seed, i, electorate, dataFragments, held)
              .isTrue();
        }
      }
    }
    assertThat(proposals).as("seed %d", seed).isGreaterThan(1000);
  }

  private static Set<NodeId> responsive(Random random, int servers) {
    return Set.copyOf(followers(servers).stream().filter(node -> random.nextBoolean()).toList());
  }

  private static void apply(List<Action> actions, Map<NodeId, Form> sent) {
    for (Action action : actions) {
      if (action instanceof Action.SendFragment fragment) {
        sent.putIfAbsent(fragment.to(), Form.FRAGMENT);
      } else if (action instanceof Action.SendComplete complete) {
        sent.put(complete.to(), Form.COMPLETE);
      }
    }
  }
}
