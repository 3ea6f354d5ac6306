package io.quorate.torture.run;

import io.quorate.torture.checker.LinearizabilityChecker;
import io.quorate.torture.checker.SearchLimits;
import io.quorate.torture.checker.Verdict;
import io.quorate.torture.history.HistoryFile;
import io.quorate.torture.invariants.Finding;
import io.quorate.torture.invariants.Invariants;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Checks the history of a round while the next round runs. At most two histories are in memory:
 * {@link #submit} blocks until the previous one is checked. Used by one thread.
 */
final class HistoryChecks implements AutoCloseable {
  private final LinearizabilityChecker checker = new LinearizabilityChecker(SearchLimits.DEFAULT);
  private final ExecutorService executor = Executors.newSingleThreadExecutor();
  private final Path directory;
  private final boolean keepsAll;
  private final List<CheckedRound> rounds = new ArrayList<>();
  private Optional<Future<CheckedRound>> pending = Optional.empty();

  /**
   * What the check of one round found.
   *
   * @param verdict of the linearizability checker
   * @param violatedInvariants invariants of every linearizable history that this one violates
   */
  record CheckedRound(int round, Verdict verdict, List<Finding> violatedInvariants) {
    boolean isViolation() {
      return verdict instanceof Verdict.Violation || !violatedInvariants.isEmpty();
    }

    boolean isPass() {
      return verdict.isPass() && violatedInvariants.isEmpty();
    }
  }

  /**
   * @param directory receives the histories that do not pass
   * @param keepsAll whether to write the histories that pass as well
   */
  HistoryChecks(Path directory, boolean keepsAll) {
    this.directory = directory;
    this.keepsAll = keepsAll;
  }

  /** Starts to check a round. Blocks until the previous round is checked. */
  void submit(Round.RoundResult result) throws IOException, InterruptedException {
    finish();
    Callable<CheckedRound> check = () -> check(result);
    pending = Optional.of(executor.submit(check));
  }

  /** Blocks until every submitted round is checked. */
  void finish() throws IOException, InterruptedException {
    if (pending.isEmpty()) {
      return;
    }
    try {
      rounds.add(pending.get().get());
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException failure) {
        throw failure;
      }
      throw new IllegalStateException("The checker failed", e.getCause());
    } finally {
      pending = Optional.empty();
    }
  }

  /** All rounds that were checked. */
  List<CheckedRound> rounds() {
    return List.copyOf(rounds);
  }

  boolean foundViolation() {
    return rounds.stream().anyMatch(CheckedRound::isViolation);
  }

  private CheckedRound check(Round.RoundResult result) throws IOException {
    Verdict verdict = checker.checkAtomicity(result.history());
    if (verdict instanceof Verdict.Unknown) {
      // A history that is too hard to check as a whole may contain a violation of a single key.
      Verdict byKey = checker.checkKeys(result.history());
      verdict = byKey instanceof Verdict.Violation ? byKey : verdict;
    }
    CheckedRound checked =
        new CheckedRound(result.number(), verdict, Invariants.findings(result.history()));
    if (keepsAll
        || !checked.isPass()
        || result.problem().isPresent()
        || result.unreadable().isPresent()) {
      HistoryFile.write(
          directory.resolve("history-" + result.number() + ".jsonl"), result.history());
    }
    if (!checked.isPass()) {
      Files.writeString(
          directory.resolve("verdict-" + result.number() + ".txt"),
          verdict + "\n" + checked.violatedInvariants() + "\n");
    }
    return checked;
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }
}
