package io.quorate.benchmarks.paper.buc;

import io.quorate.benchmarks.cluster.Deployment;
import io.quorate.benchmarks.kv.CallKind;
import io.quorate.benchmarks.paper.Case;
import io.quorate.benchmarks.paper.Comparison;
import io.quorate.benchmarks.paper.Contender;
import io.quorate.benchmarks.paper.Metric;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Who takes part.
 *
 * @param trios by what the nodes' storage is
 */
record Lineup(Map<Storage, Trio> trios) implements Comparison {
  /** The most that the paper claims: up to 62 % more. */
  static final double PAPER_THROUGHPUT = 1.62;

  /** The least that the paper claims: 36 to 46 % less. */
  static final double PAPER_WRITE_LATENCY = 0.64;

  /** The least that the paper claims: 12 to 29 % less, where writes are mixed in. */
  static final double PAPER_READ_LATENCY = 0.88;

  /**
   * Those that are compared on the same clusters.
   *
   * @param raft answers after apply, and reads wait for apply
   * @param cr answers at commit
   * @param buc answers at commit, and reads do not wait for apply
   */
  record Trio(Contender raft, Contender cr, Contender buc) {
    static Trio with(Map<String, String> settings) {
      return new Trio(
          new Contender("raft", new Deployment("raft", settings)),
          new Contender("cr", new Deployment("cr", settings)),
          new Contender("buc", new Deployment("buc", settings)));
    }

    /** In the order of tables and plots. */
    List<Contender> all() {
      return List.of(raft, cr, buc);
    }

    /** Those that do not wait for apply. */
    List<Contender> ahead() {
      return List.of(cr, buc);
    }
  }

  /**
   * @throws IllegalArgumentException if a storage has no trio
   */
  Lineup {
    trios = Map.copyOf(trios);
    if (trios.size() < Storage.values().length) {
      throw new IllegalArgumentException("Each storage has its trio; there are " + trios.keySet());
    }
  }

  /** Those of the evaluation. */
  static Lineup ofPresets() {
    Map<Storage, Trio> trios = new EnumMap<>(Storage.class);
    for (Storage storage : Storage.values()) {
      trios.put(storage, Trio.with(storage.settings()));
    }
    return new Lineup(trios);
  }

  Trio trio(Storage storage) {
    return trios.get(storage);
  }

  @Override
  public Optional<Contender> baseline(Contender contender) {
    return trios.values().stream()
        .filter(trio -> trio.ahead().contains(contender))
        .map(Trio::raft)
        .findFirst();
  }

  /** What the paper claims, where it claims it: beside the storage that its systems have. */
  @Override
  public OptionalDouble paper(Case measured, Contender contender, Metric metric) {
    boolean isBuc = trios.values().stream().anyMatch(trio -> trio.buc().equals(contender));
    if (!isBuc || !Evaluation.isClaimed(measured)) {
      return OptionalDouble.empty();
    }
    return switch (metric) {
      case THROUGHPUT -> OptionalDouble.of(PAPER_THROUGHPUT);
      case WRITE_P50 -> OptionalDouble.of(PAPER_WRITE_LATENCY);
      case READ_P50 -> ofReads(measured, CallKind.GET);
      case SCAN_P50 -> ofReads(measured, CallKind.SCAN);
      default -> OptionalDouble.empty();
    };
  }

  private static OptionalDouble ofReads(Case measured, CallKind kind) {
    return measured.load().mix().share(kind) > 0
        ? OptionalDouble.of(PAPER_READ_LATENCY)
        : OptionalDouble.empty();
  }
}
