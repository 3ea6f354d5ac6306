package io.quorate.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.Command;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.MetricsSink;
import io.quorate.consensus.ProposeResult;
import io.quorate.model.GroupId;
import io.quorate.model.Position;
import io.quorate.ratis.settings.RatisSettings;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** The proposer alone; the test runs its tasks and ends its entries. */
class ProposerTest {
  private static final int KIB = 1024;

  /** An entry that was submitted to Ratis; the future ends it. */
  private record Submitted(
      PendingEntry entry, CompletableFuture<Optional<ConsensusException>> end) {
    List<String> commands() {
      return EntryCodec.decode(entry.getContent().asReadOnlyByteBuffer()).stream()
          .map(bytes -> StandardCharsets.UTF_8.decode(bytes).toString())
          .toList();
    }
  }

  /** The ends of waits of commands for others. */
  private final List<Runnable> waits = new ArrayList<>();

  private boolean hasRoom = true;

  private final Queue<Runnable> tasks = new ArrayDeque<>();
  private final List<Submitted> submitted = new ArrayList<>();
  private Proposer proposer =
      proposer(Map.of("entries-in-flight-max", "2", "queue-commands-max", "5"));

  @Test
  void aSingleCommandDoesNotWait() {
    propose("a");
    runTasks();
    assertThat(submitted).hasSize(1);
    assertThat(submitted.get(0).commands()).containsExactly("a");
  }

  @Test
  void commandsThatWaitForTheWindowShareTheNextEntryInOrder() {
    propose("a");
    runTasks();
    propose("b");
    runTasks();
    propose("c");
    propose("d");
    propose("e");
    runTasks();
    assertThat(submitted).hasSize(2);
    submitted.get(0).end().complete(Optional.empty());
    runTasks();
    assertThat(submitted).hasSize(3);
    assertThat(submitted.get(2).commands()).containsExactly("c", "d", "e");
  }

  @Test
  void duringAPauseNothingIsSubmittedAndNothingIsLost() {
    propose("a");
    runTasks();
    proposer.pause();
    propose("b");
    submitted.get(0).end().complete(Optional.empty());
    runTasks();
    assertThat(submitted).hasSize(1);

    proposer.resume();
    runTasks();
    assertThat(submitted).hasSize(2);
    assertThat(submitted.get(1).commands()).containsExactly("b");
  }

  @Test
  void anEntryIsBoundedInCommands() {
    proposer = proposer(Map.of("batch-commands-max", "2"));
    for (String command : List.of("a", "b", "c", "d", "e")) {
      propose(command);
    }
    runTasks();
    endWaits();
    assertThat(submitted.stream().map(Submitted::commands))
        .containsExactly(List.of("a", "b"), List.of("c", "d"), List.of("e"));
  }

  /** The clients of an entry send their next commands at about the same time. */
  @Test
  void commandsWaitForThoseThatAreExpected() {
    proposer = proposer(Map.of());
    proposeAndComplete(8);
    for (int i = 0; i < 5; i++) {
      propose("w" + i);
      assertThat(tasks).isEmpty();
    }
    propose("w5");
    runTasks();
    assertThat(submitted).hasSize(2);
    assertThat(submitted.get(1).commands()).hasSize(6);
    endWaits();
    assertThat(submitted).as("the wait has ended before").hasSize(2);
  }

  @Test
  void aWaitEndsWithItsTime() {
    proposer = proposer(Map.of());
    proposeAndComplete(8);
    propose("alone");
    runTasks();
    assertThat(submitted).hasSize(1);
    assertThat(waits).hasSize(1);
    endWaits();
    assertThat(submitted.get(1).commands()).containsExactly("alone");
  }

  /** What arrives while an entry is submitted is not submitted by itself. */
  @Test
  void commandsThatArriveBehindAnEntryWait() {
    proposer =
        proposer(
            Map.of(),
            () -> {
              if (submitted.isEmpty()) {
                propose("behind");
              }
            });
    for (int i = 0; i < 8; i++) {
      propose("c" + i);
    }
    runTasks();
    assertThat(submitted).hasSize(1);
    endWaits();
    assertThat(submitted.get(1).commands()).containsExactly("behind");
  }

  @Test
  void fewCommandsDoNotWait() {
    proposer = proposer(Map.of());
    proposeAndComplete(3);
    propose("next");
    runTasks();
    assertThat(submitted).hasSize(2);
    assertThat(waits).isEmpty();
  }

  private void proposeAndComplete(int commands) {
    for (int i = 0; i < commands; i++) {
      propose("c" + i);
    }
    runTasks();
    submitted.get(0).end().complete(Optional.empty());
  }

  private void endWaits() {
    List<Runnable> ended = List.copyOf(waits);
    waits.clear();
    ended.forEach(Runnable::run);
    runTasks();
  }

  @Test
  void anEntryIsBoundedInBytes() {
    proposer = proposer(Map.of("batch-size-max", "1KiB"));
    for (int i = 0; i < 3; i++) {
      propose("x".repeat(400));
    }
    runTasks();
    assertThat(submitted.stream().map(one -> one.commands().size())).containsExactly(2, 1);
    assertThat(submitted).allMatch(one -> one.entry().bytes() <= KIB + 5);
  }

  @Test
  void aCommandLargerThanABatchHasAnEntryOfItsOwn() {
    proposer = proposer(Map.of("batch-size-max", "1KiB"));
    propose("short");
    propose("x".repeat(10 * KIB));
    propose("short");
    runTasks();
    assertThat(submitted.stream().map(one -> one.commands().size())).containsExactly(1, 1, 1);
  }

  /** Their clients have given up: the work would be for nobody. */
  @Test
  void commandsThatAreWithdrawnWhileTheyWaitAreNotProposed() {
    fillWindow();
    Command first = new Command(utf8("first"));
    Command last = new Command(utf8("last"));
    CompletableFuture<ProposeResult> ofFirst = proposer.propose(first);
    CompletableFuture<ProposeResult> between = propose("between");
    CompletableFuture<ProposeResult> ofLast = proposer.propose(last);
    assertThat(first.withdraw()).isTrue();
    assertThat(last.withdraw()).isTrue();
    assertThat(first.withdraw()).as("withdrawn before").isFalse();
    submitted.get(0).end().complete(Optional.empty());
    runTasks();
    assertThat(submitted).hasSize(3);
    assertThat(submitted.get(2).commands()).containsExactly("between");
    assertThat(between).isNotDone();
    assertThat(failure(ofFirst)).isInstanceOf(ConsensusException.Unavailable.class);
    assertThat(failure(ofLast)).isInstanceOf(ConsensusException.Unavailable.class);
  }

  @Test
  void aQueueOfWithdrawnCommandsTakesNoEntryAndDoesNotStop() {
    fillWindow();
    Command withdrawn = new Command(utf8("withdrawn"));
    proposer.propose(withdrawn);
    assertThat(withdrawn.withdraw()).isTrue();
    submitted.get(0).end().complete(Optional.empty());
    runTasks();
    assertThat(submitted).hasSize(2);
    propose("next");
    runTasks();
    assertThat(submitted.get(2).commands()).containsExactly("next");
  }

  @Test
  void aCommandInAnEntryCannotBeWithdrawn() {
    Command command = new Command(utf8("a"));
    assertThat(command.withdraw()).as("not proposed").isFalse();
    proposer.propose(command);
    runTasks();
    assertThat(submitted).hasSize(1);
    assertThat(command.withdraw()).isFalse();
  }

  @Test
  void theQueueIsBoundedInCommands() {
    fillWindow();
    for (int i = 0; i < 5; i++) {
      assertThat(propose("waiting")).isNotDone();
    }
    assertThat(failure(propose("one too many")))
        .isInstanceOf(ConsensusException.Overloaded.class)
        .hasMessageContaining("raft.queue-commands-max");
  }

  @Test
  void theQueueIsBoundedInBytesButAcceptsASingleLargeCommand() {
    proposer = proposer(Map.of("entries-in-flight-max", "2", "queue-size-max", "64KiB"));
    fillWindow();
    assertThat(propose("x".repeat(65 * KIB))).isNotDone();
    assertThat(failure(propose("x")))
        .isInstanceOf(ConsensusException.Overloaded.class)
        .hasMessageContaining("raft.queue-size-max");
    submitted.get(0).end().complete(Optional.empty());
    runTasks();
    assertThat(propose("x")).as("once there is capacity again").isNotDone();
  }

  @Test
  void aCommandLargerThanAnEntryIsInvalid() {
    proposer = proposer(Map.of("entry-size-max", "64KiB"));
    int bytesMax = 64 * KIB - EntryCodec.overheadBytes();
    assertThat(propose("x".repeat(bytesMax))).isNotDone();
    assertThat(failure(propose("x".repeat(bytesMax + 1))))
        .isInstanceOf(ConsensusException.Invalid.class)
        .hasMessageContaining(bytesMax + " bytes");
  }

  @Test
  void eachCommandReceivesItsOwnResult() {
    CompletableFuture<ProposeResult> a = propose("a");
    CompletableFuture<ProposeResult> b = propose("b");
    runTasks();
    Position position = new Position(3, 7);
    PendingEntry entry = submitted.get(0).entry();
    entry.resultsAt(position).complete(1, utf8("for b"));
    assertThat(b).isCompletedWithValue(new ProposeResult(position, utf8("for b")));
    assertThat(a).isNotDone();
    entry.resultsAt(position).complete(0, utf8("for a"));
    assertThat(a).isCompletedWithValue(new ProposeResult(position, utf8("for a")));
    assertThat(entry.completed()).isCompleted();
  }

  @Test
  void aRejectedEntryFailsItsCommandsAndFreesTheWindow() {
    fillWindow();
    CompletableFuture<ProposeResult> waiting = propose("waiting");
    ConsensusException refusal = new ConsensusException.Unavailable("not now");
    CompletableFuture<ProposeResult> first = outcomes.get(0);
    submitted.get(0).end().complete(Optional.of(refusal));
    runTasks();
    assertThat(failure(first)).isSameAs(refusal);
    assertThat(waiting).isNotDone();
    assertThat(submitted.get(2).commands()).containsExactly("waiting");
  }

  @Test
  void aResultIsKeptWhenTheEntryFailsAfterwards() {
    CompletableFuture<ProposeResult> a = propose("a");
    CompletableFuture<ProposeResult> b = propose("b");
    runTasks();
    submitted.get(0).entry().resultsAt(new Position(1, 1)).complete(0, utf8("done"));
    submitted
        .get(0)
        .end()
        .complete(Optional.of(new ConsensusException.Indeterminate("leader lost", null)));
    assertThat(a).isCompleted();
    assertThat(failure(b)).isInstanceOf(ConsensusException.Indeterminate.class);
  }

  @Test
  void commandsWaitWhileTheLogHasNoRoom() {
    Proposer proposer = proposer(Map.of());
    hasRoom = false;
    proposer.propose(new Command(utf8("a")));
    runTasks();
    assertThat(submitted).isEmpty();
    hasRoom = true;
    proposer.submitMore();
    runTasks();
    assertThat(submitted).hasSize(1);
    proposer.submitMore();
    runTasks();
    assertThat(submitted).as("nothing waits").hasSize(1);
  }

  @Test
  void anExceptionFailsTheCommandAndLaterOnesAreSubmitted() {
    RatisSettings settings = settings(Map.of());
    List<PendingEntry> received = new ArrayList<>();
    Proposer throwing =
        new Proposer(
            settings,
            tasks::add,
            (task, nanos) -> waits.add(task),
            () -> true,
            entry -> {
              received.add(entry);
              if (received.size() == 1) {
                throw new IllegalStateException("the log is closed");
              }
              return new CompletableFuture<>();
            },
            new ProposerMetrics(MetricsSink.NONE, new GroupId(1)));
    CompletableFuture<ProposeResult> thrown = throwing.propose(new Command(utf8("a")));
    runTasks();
    assertThat(failure(thrown)).isInstanceOf(ConsensusException.Indeterminate.class);
    CompletableFuture<ProposeResult> next = throwing.propose(new Command(utf8("b")));
    runTasks();
    assertThat(received).hasSize(2);
    assertThat(next).isNotDone();
  }

  /** A stage wraps the exception that it fails with. */
  @Test
  void anUnexpectedFailureIsIndeterminate() {
    CompletableFuture<ProposeResult> outcome = propose("a");
    runTasks();
    IllegalStateException failure = new IllegalStateException("unexpected");
    submitted.get(0).end().completeExceptionally(new CompletionException(failure));
    assertThat(failure(outcome))
        .isInstanceOf(ConsensusException.Indeterminate.class)
        .hasCause(failure);
  }

  @Test
  void closingFailsAllCommandsAndRejectsNewOnes() {
    fillWindow();
    CompletableFuture<ProposeResult> waiting = propose("waiting");
    proposer.close();
    assertThat(failure(outcomes.get(0))).isInstanceOf(ConsensusException.Indeterminate.class);
    assertThat(failure(waiting)).isInstanceOf(ConsensusException.Unavailable.class);
    assertThat(failure(propose("late"))).isInstanceOf(ConsensusException.Unavailable.class);
    submitted.get(0).end().complete(Optional.empty());
    runTasks();
    assertThat(submitted).hasSize(2);
  }

  /** The group is closed after the batch has left the queue, before Ratis receives it. */
  @Test
  void aBatchFailsIfTheGroupClosesDuringItsSubmission() {
    proposer = proposer(Map.of(), () -> proposer.close());
    CompletableFuture<ProposeResult> outcome = propose("a");
    CompletableFuture<ProposeResult> second = propose("b");
    runTasks();
    assertThat(failure(outcome)).isInstanceOf(ConsensusException.class);
    assertThat(failure(second)).isInstanceOf(ConsensusException.class);
  }

  private final List<CompletableFuture<ProposeResult>> outcomes = new ArrayList<>();

  private void fillWindow() {
    for (int i = 0; i < 2; i++) {
      outcomes.add(propose("in flight"));
      runTasks();
    }
    assertThat(submitted).hasSize(2);
  }

  private CompletableFuture<ProposeResult> propose(String command) {
    return proposer.propose(new Command(utf8(command)));
  }

  private void runTasks() {
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
    }
  }

  private Proposer proposer(Map<String, String> overrides) {
    return proposer(overrides, () -> {});
  }

  private Proposer proposer(Map<String, String> overrides, Runnable beforeSubmit) {
    return new Proposer(
        settings(overrides),
        tasks::add,
        (task, nanos) -> waits.add(task),
        () -> hasRoom,
        entry -> {
          beforeSubmit.run();
          CompletableFuture<Optional<ConsensusException>> end = new CompletableFuture<>();
          submitted.add(new Submitted(entry, end));
          return end;
        },
        new ProposerMetrics(MetricsSink.NONE, new GroupId(1)));
  }

  private static RatisSettings settings(Map<String, String> overrides) {
    return RatisSettings.from(new EngineSettings("raft", new HashMap<>(overrides)));
  }

  private static ByteBuffer utf8(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  private static Throwable failure(CompletableFuture<?> future) {
    assertThat(future).isCompletedExceptionally();
    return future.handle((done, failure) -> failure).join();
  }
}
