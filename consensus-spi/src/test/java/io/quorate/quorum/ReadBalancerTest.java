package io.quorate.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.quorate.model.NodeId;
import io.quorate.quorum.ReadBalancer.Policy;
import io.quorate.quorum.ReadBalancer.Way;
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
          .as("reads of all followers of %d replicas", replicas)
          .isCloseTo(leader * (replicas - 1), within(1e-9));
    }
  }

  @Test
  void aFixedFractionIsKept() {
    Random random = new Random(SEED);
    ReadBalancer balancer = new ReadBalancer(fixed(0.3), random::nextDouble);
    long leader =
        IntStream.range(0, 10_000)
            .mapToObj(i -> balancer.next(5))
            .filter(path -> path == Way.LEADER)
            .count();
    assertThat(leader).as("seed %d", SEED).isBetween(2800L, 3200L);
    assertThatThrownBy(() -> fixed(1.5)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void theFasterPathGetsMoreReads() {
    ReadBalancer balancer = new ReadBalancer(ADAPTIVE, () -> 0.5);
    assertThat(balancer.leaderFraction(3)).as("before any measurement").isEqualTo(0.5);
    for (int i = 0; i < 200; i++) {
      balancer.took(Way.LEADER, 3_000_000);
      balancer.took(Way.MAJORITY, 1_000_000);
    }
    assertThat(balancer.leaderFraction(3)).isLessThan(0.1).isPositive();
    for (int i = 0; i < 400; i++) {
      balancer.took(Way.LEADER, 300_000);
    }
    assertThat(balancer.leaderFraction(3)).isGreaterThan(0.9).isLessThan(1);
  }

  /**
   * Five replicas each serve one request at a time; the leader also serves writes. If all are
   * alike, adaptive is about as good as the best fixed fraction; if one follower is slow, it is
   * better than any.
   */
  @Test
  void adaptiveIsAsGoodAsTheBestFixedFractionAndBetterWithASlowReplica() {
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

    /** The number of reads for each write. */
    private static final int READS_PER_WRITE = 10;

    private final Random random = new Random(SEED);
    private final boolean adaptive;
    private final double slowness;
    private final ReadBalancer balancer;
    private final LatencyAwareSelector selector = new LatencyAwareSelector(random::nextDouble);
    private final Map<NodeId, Double> freeAt = new HashMap<>();
    private final List<NodeId> followers = new ArrayList<>();
    private final NodeId leader = new NodeId("n0");
    private double now;

    Model(Policy policy, double slowness) {
      this.adaptive = policy.adaptive();
      this.slowness = slowness;
      this.balancer = new ReadBalancer(policy, random::nextDouble);
      for (int i = 1; i < REPLICAS; i++) {
        followers.add(new NodeId("n" + i));
      }
    }

    double meanReadTime() {
      double sum = 0;
      for (int i = 0; i < READS; i++) {
        now += -Math.log(1 - random.nextDouble()) * BETWEEN_READS;
        if (i % READS_PER_WRITE == 0) {
          serve(leader, WRITE_TIME);
        }
        Way path = balancer.next(REPLICAS);
        double took = path == Way.LEADER ? serve(leader, READ_TIME) - now : majority();
        balancer.took(path, (long) (took * 1000));
        sum += took;
      }
      return sum / READS;
    }

    private double majority() {
      List<NodeId> order = new ArrayList<>(followers);
      Collections.shuffle(order, random);
      if (adaptive) {
        order = selector.order(order, (long) (now * 1000));
      }
      double end = now;
      for (NodeId node : order.subList(0, REPLICAS / 2 + 1)) {
        boolean isSlow = node.equals(followers.get(0));
        double served = serve(node, isSlow ? READ_TIME * slowness : READ_TIME);
        selector.responded(node, (long) ((served - now) * 1000), 0, (long) (now * 1000));
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
