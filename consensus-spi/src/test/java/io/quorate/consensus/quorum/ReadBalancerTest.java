package io.quorate.consensus.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.quorate.consensus.NodeId;
import io.quorate.consensus.quorum.ReadBalancer.Policy;
import io.quorate.consensus.quorum.ReadBalancer.Way;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ReadBalancerTest {
  private static final long SEED = 20261122;
  private static final Policy ADAPTIVE = new Policy(true, OptionalDouble.empty());

  @Test
  void underEqualLoadTheLeaderHasAsManyReadsAsEachFollower() {
    assertThat(ReadBalancer.equalLoad(3)).isEqualTo(0.5);
    assertThat(ReadBalancer.equalLoad(5)).isCloseTo(3.0 / 7, within(1e-9));
    for (int replicas = 1; replicas <= 9; replicas++) {
      double leader = ReadBalancer.equalLoad(replicas);
      int quorum = replicas / 2 + 1;
      assertThat((1 - leader) * quorum)
          .as("what the followers of %d have in all", replicas)
          .isCloseTo(leader * (replicas - 1), within(1e-9));
    }
  }

  @Test
  void aFixedPartIsKept() {
    Random random = new Random(SEED);
    ReadBalancer mix = new ReadBalancer(fixed(0.3), random::nextDouble);
    long leader =
        IntStream.range(0, 10_000)
            .mapToObj(i -> mix.next(5))
            .filter(way -> way == Way.LEADER)
            .count();
    assertThat(leader).as("seed %d", SEED).isBetween(2800L, 3200L);
    assertThatThrownBy(() -> fixed(1.5)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void theQuickerWayGetsMore() {
    ReadBalancer mix = new ReadBalancer(ADAPTIVE, () -> 0.5);
    assertThat(mix.leaderFraction(3)).as("before anything is known").isEqualTo(0.5);
    for (int i = 0; i < 200; i++) {
      mix.took(Way.LEADER, 3_000_000);
      mix.took(Way.MAJORITY, 1_000_000);
    }
    assertThat(mix.leaderFraction(3)).isLessThan(0.1).isPositive();
    for (int i = 0; i < 400; i++) {
      mix.took(Way.LEADER, 300_000);
    }
    assertThat(mix.leaderFraction(3)).isGreaterThan(0.9).isLessThan(1);
  }

  /**
   * Five replicas that serve one request after the other; the leader also has writes. Where all are
   * alike, adaptive is about as good as the best fixed part; where one follower is slow, better
   * than any.
   */
  @Test
  void adaptiveIsAsGoodAsTheBestFixedPartAndBetterWhereOneReplicaIsSlow() {
    double bestFixed = bestFixed(1);
    double adaptive = new Model(ADAPTIVE, 1).meanReadTime();
    assertThat(adaptive).as("seed %d, best fixed %f", SEED, bestFixed).isLessThan(1.15 * bestFixed);

    double bestFixedWithSlow = bestFixed(6);
    double adaptiveWithSlow = new Model(ADAPTIVE, 6).meanReadTime();
    assertThat(adaptiveWithSlow)
        .as("seed %d, best fixed %f", SEED, bestFixedWithSlow)
        .isLessThan(0.8 * bestFixedWithSlow);
  }

  private static double bestFixed(double slowness) {
    return IntStream.rangeClosed(0, 10)
        .mapToDouble(tenths -> new Model(fixed(tenths / 10.0), slowness).meanReadTime())
        .min()
        .getAsDouble();
  }

  private static Policy fixed(double fraction) {
    return new Policy(false, OptionalDouble.of(fraction));
  }

  /** An event simulation with random arrivals; times in microseconds. */
  private static final class Model {
    private static final int REPLICAS = 5;
    private static final int READS = 20_000;
    private static final double READ_TIME = 20;
    private static final double WRITE_TIME = 60;
    private static final double BETWEEN_READS = 16;

    /** Every this many reads the leader has a write. */
    private static final int READS_A_WRITE = 10;

    private final Random random = new Random(SEED);
    private final boolean adaptive;
    private final double slowness;
    private final ReadBalancer mix;
    private final LatencyAwareSelector loads = new LatencyAwareSelector(random::nextDouble);
    private final Map<NodeId, Double> freeAt = new HashMap<>();
    private final List<NodeId> followers = new ArrayList<>();
    private final NodeId leader = new NodeId("n0");
    private double now;

    Model(Policy policy, double slowness) {
      this.adaptive = policy.adaptive();
      this.slowness = slowness;
      this.mix = new ReadBalancer(policy, random::nextDouble);
      for (int i = 1; i < REPLICAS; i++) {
        followers.add(new NodeId("n" + i));
      }
    }

    double meanReadTime() {
      double sum = 0;
      for (int i = 0; i < READS; i++) {
        now += -Math.log(1 - random.nextDouble()) * BETWEEN_READS;
        if (i % READS_A_WRITE == 0) {
          serve(leader, WRITE_TIME);
        }
        Way way = mix.next(REPLICAS);
        double took = way == Way.LEADER ? serve(leader, READ_TIME) - now : majority();
        mix.took(way, (long) (took * 1000));
        sum += took;
      }
      return sum / READS;
    }

    private double majority() {
      List<NodeId> order = new ArrayList<>(followers);
      Collections.shuffle(order, random);
      if (adaptive) {
        order = loads.order(order, (long) (now * 1000));
      }
      double end = now;
      for (NodeId node : order.subList(0, REPLICAS / 2 + 1)) {
        boolean isSlow = node.equals(followers.get(0));
        double served = serve(node, isSlow ? READ_TIME * slowness : READ_TIME);
        loads.answered(node, (long) ((served - now) * 1000), 0, (long) (now * 1000));
        end = Math.max(end, served);
      }
      return end - now;
    }

    private double serve(NodeId node, double time) {
      double end = Math.max(now, freeAt.getOrDefault(node, 0.0)) + time;
      freeAt.put(node, end);
      return end;
    }
  }
}
