package io.quorate.server.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.model.Key;
import io.quorate.model.NodeId;
import io.quorate.server.config.PlacementConfig;
import io.quorate.server.config.PlacementConfig.Policy;
import io.quorate.server.config.PlacementConfig.SplitRule;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.StoredTopology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Splits by size and moves of replicas in random clusters. */
class PiecesModelTest {
  private static final int SEEDS = 30;
  private static final int WALKS = Boolean.getBoolean("tests.slow") ? 50 : 4;
  private static final int STEPS_MAX = 2_000;
  private static final int REPLICAS = 3;

  /** Of the first node to the last; a median of 1. */
  private static final double[] SPEEDS = {100, 100, 25, 150, 100, 75, 150, 100, 125};

  private static PlacementConfig config(Policy policy) {
    return Pictures.config(policy, new SplitRule(PiecesModel.SPLIT_SIZE, 0, Key.EMPTY));
  }

  private static PiecesModel model(Random random, Policy policy) {
    StoredTopology three =
        new Pictures(REPLICAS).nodes(3).metadata(1, 2, 3).region(1, 2, 3).topology();
    PiecesModel model = new PiecesModel(random, config(policy), three);
    for (int i = 0; i < SPEEDS.length; i++) {
      model.device(i + 1, SPEEDS[i]);
    }
    return model;
  }

  private static void seeds(int count, IntConsumer test) {
    int first = new Random().nextInt(1_000_000);
    for (int seed = first; seed < first + count; seed++) {
      try {
        test.accept(seed);
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
  }

  private static void fill(PiecesModel model, Random random, long bytes) {
    for (long i = 0; i < bytes; i += 10) {
      model.write(random.nextInt(PiecesModel.BUCKETS), 10);
    }
  }

  private static long max(Map<NodeId, Long> held) {
    return held.values().stream().mapToLong(each -> each).max().orElseThrow();
  }

  private static long min(Map<NodeId, Long> held) {
    return held.values().stream().mapToLong(each -> each).min().orElseThrow();
  }

  private static double mean(Collection<Long> held) {
    return held.stream().mapToLong(each -> each).average().orElseThrow();
  }

  /** Three nodes with one region, and nodes that are added, one after the other or all at once. */
  @Test
  void aLargeRegionSplitsWhenNodesAreAddedUntilTheyAreEven() {
    seeds(
        SEEDS,
        seed -> {
          Random random = new Random(seed);
          PiecesModel model = model(random, Policy.ED);
          fill(model, random, 12_000 + random.nextInt(19_000));
          model.settle(STEPS_MAX);
          assertThat(model.regions()).hasSize(1);
          int nodes = 4 + random.nextInt(6);
          for (int node = 4; node <= nodes; node++) {
            model.add(node);
            if (random.nextBoolean()) {
              model.settle(STEPS_MAX);
            }
          }
          model.settle(STEPS_MAX);
          Map<NodeId, Long> replicas = model.held(false);
          assertThat(max(replicas) - min(replicas)).as("replicas %s", replicas).isLessThan(2);
          assertThat(mean(replicas.values())).isBetween(3.0, 9.0);
          Map<NodeId, Long> bytes = model.held(true);
          assertThat(max(bytes))
              .as("bytes %s", bytes)
              .isLessThan((long) (1.5 * mean(bytes.values())));
          long received = bytes.values().stream().mapToLong(each -> each).sum();
          for (int node = 1; node <= 3; node++) {
            received -= bytes.get(Pictures.node(node));
          }
          assertThat(model.moved()).as("moved for %d", received).isLessThan(3 * received);
        });
  }

  /**
   * Nodes have what fits their speeds; with pieces for equal nodes they would be off by a tenth.
   */
  @Test
  void piecesAreSmallEnoughForTheSlowestNode() {
    List<Double> differences = new ArrayList<>();
    seeds(
        SEEDS,
        seed -> {
          Random random = new Random(seed);
          PiecesModel model = model(random, Policy.ALOR);
          fill(model, random, 30_000);
          model.settle(STEPS_MAX);
          assertThat(model.regions()).hasSize(1);
          int nodes = 5 + random.nextInt(5);
          for (int node = 4; node <= nodes; node++) {
            model.add(node);
          }
          model.settle(STEPS_MAX);
          double share = REPLICAS * 30_000 / Arrays.stream(SPEEDS, 0, nodes).sum();
          for (int i = 0; i < nodes; i++) {
            long bytes = model.held(true).get(Pictures.node(i + 1));
            differences.add(Math.abs(bytes / (share * SPEEDS[i]) - 1));
          }
        });
    assertThat(differences.stream().mapToDouble(each -> each).average().orElseThrow())
        .isLessThan(0.075);
    assertThat(Collections.max(differences)).isLessThan(0.5);
  }

  /** No split or merge is followed by its reverse, and nothing goes on without a cause. */
  @ParameterizedTest
  @EnumSource(
      value = Policy.class,
      names = {"ED", "ALOR"})
  void whateverHappensSplitsEndAndTheirNumberIsBounded(Policy policy) {
    seeds(
        WALKS,
        seed -> {
          Random random = new Random(seed);
          PiecesModel model = model(random, policy);
          int nodes = 3;
          int tail = 0;
          long byOperator = 0;
          for (int i = 0; i < 40; i++) {
            switch (random.nextInt(6)) {
              case 0 -> fill(model, random, random.nextInt(5_000));
              case 1, 2 -> {
                // Keys that grow: all of it is in the last region.
                tail = Math.min(PiecesModel.BUCKETS - 1, tail + 25);
                fillAt(model, random, tail, random.nextInt(5_000));
              }
              case 3 -> {
                nodes = Math.min(SPEEDS.length, nodes + 1);
                model.add(nodes);
              }
              case 4 -> {
                model.split(1 + random.nextInt(PiecesModel.BUCKETS - 1));
                byOperator++;
              }
              default -> merge(model);
            }
            for (int k = random.nextInt(4); k > 0; k--) {
              model.step(false);
            }
          }
          model.settle(STEPS_MAX);
          long made =
              byOperator + model.size() / (PiecesModel.SPLIT_SIZE * PieceSize.COPY_FACTOR / 2);
          assertThat((long) REPLICAS * model.regions().size())
              .as("replicas, with those of regions that operators and copies made")
              .isLessThanOrEqualTo(16L * nodes + REPLICAS * made);
        });
  }

  private static void fillAt(PiecesModel model, Random random, int last, long bytes) {
    for (long i = 0; i < bytes; i += 10) {
      model.write(Math.max(0, last - random.nextInt(25)), 10);
    }
  }

  /** What is merged by hand stays merged: at most, large regions split that had no room before. */
  private static void merge(PiecesModel model) {
    model.settle(STEPS_MAX);
    long before = model.count(PlacementEvent.Kind.SPLIT);
    int merges = model.mergeSmallRegions();
    model.settle(STEPS_MAX);
    assertThat(model.count(PlacementEvent.Kind.SPLIT)).isLessThanOrEqualTo(before + merges);
  }

  @Test
  void onlyTheTimeOfACopyBoundsARegionThatEachNodeHas() {
    Random random = new Random(1);
    PiecesModel model = model(random, Policy.ED);
    fill(model, random, 500_000);
    model.settle(STEPS_MAX);
    long max = PieceSize.COPY_FACTOR * PiecesModel.SPLIT_SIZE;
    assertThat(model.regions())
        .hasSize(16)
        .allSatisfy(region -> assertThat(model.size(region)).isBetween(max / 3, max));
    assertThat(model.count(PlacementEvent.Kind.MOVE)).isZero();
    assertThat(model.regions()).extracting(RegionAssignment::replicas).hasSize(16);
  }
}
