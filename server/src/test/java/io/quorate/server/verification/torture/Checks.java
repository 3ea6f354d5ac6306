package io.quorate.server.verification.torture;

import io.quorate.server.verification.checker.LinearizabilityChecker;
import io.quorate.server.verification.checker.SearchLimits;
import io.quorate.server.verification.checker.Verdict;
import io.quorate.server.verification.history.HistoryFile;
import io.quorate.server.verification.invariants.Finding;
import io.quorate.server.verification.invariants.Invariants;
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
 * Checks the history of a round while the next one runs. Holds two histories at most: whoever hands
 * in a third waits. Used by one thread.
 */
final class Checks implements AutoCloseable {
  private final LinearizabilityChecker checker = new LinearizabilityChecker(SearchLimits.DEFAULT);
  private final ExecutorService thread = Executors.newSingleThreadExecutor();
  private final Path directory;
  private final boolean keepsAll;
  private final List<Checked> rounds = new ArrayList<>();
  private Optional<Future<Checked>> pending = Optional.empty();

  /**
   * What the check of one round found.
   *
   * @param verdict of the search for an order
   * @param broken rules that every linearizable history keeps and this one does not
   */
  record Checked(int round, Verdict verdict, List<Finding> broken) {
    boolean isViolation() {
      return verdict instanceof Verdict.Violation || !broken.isEmpty();
    }

    boolean isPass() {
      return verdict.isPass() && broken.isEmpty();
    }
  }

  /**
   * @param directory for the histories that do not pass
   * @param keepsAll whether to write the others too
   */
  Checks(Path directory, boolean keepsAll) {
    this.directory = directory;
    this.keepsAll = keepsAll;
  }

  /** Blocks until the round before is checked. */
  void begin(Round.Result result) throws IOException, InterruptedException {
    finish();
    Callable<Checked> check = () -> check(result);
    pending = Optional.of(thread.submit(check));
  }

  /** Blocks until all is checked. */
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

  /** Of all rounds that were checked. */
  List<Checked> rounds() {
    return List.copyOf(rounds);
  }

  boolean foundViolation() {
    return rounds.stream().anyMatch(Checked::isViolation);
  }

  private Checked check(Round.Result result) throws IOException {
    Verdict verdict = checker.checkAtomicity(result.history());
    if (verdict instanceof Verdict.Unknown) {
      // What is too hard for several keys at once may be a violation of one of them.
      Verdict ofKeys = checker.checkKeys(result.history());
      verdict = ofKeys instanceof Verdict.Violation ? ofKeys : verdict;
    }
    Checked checked = new Checked(result.number(), verdict, Invariants.findings(result.history()));
    if (keepsAll || !checked.isPass() || result.problem().isPresent()) {
      HistoryFile.write(
          directory.resolve("history-" + result.number() + ".jsonl"), result.history());
    }
    if (!checked.isPass()) {
      Files.writeString(
          directory.resolve("verdict-" + result.number() + ".txt"),
          verdict + "\n" + checked.broken() + "\n");
    }
    return checked;
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
