package io.quorate.storage;

import io.quorate.consensus.Position;
import io.quorate.operation.MalformedException;
import io.quorate.operation.Operation;
import io.quorate.operation.TaggedOperation;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Says of committed commands, in their order and before they are applied, what applying them will
 * do. It passes them through the same check as the applier (PROTOCOLS B4), with sessions that are
 * ahead of the applier's by the commands that wait. One thread at a time.
 *
 * <p>A command's answer is known in advance, and is "done", where three things hold, none of which
 * applying can still change:
 *
 * <ul>
 *   <li>the operation is result-free, which means that it cannot fail (B1);
 *   <li>its keys are in the region's range, which is fixed;
 *   <li>the session lets it take effect, or it has done so before with this answer (B7). Which of
 *       these it is depends on the commands before it alone, and those are committed.
 * </ul>
 *
 * <p>Everything else waits for the applier's answer: a request that is malformed, forgotten, beyond
 * its client's window or what a region remembers, outside the range, and one that repeats a request
 * with an answer of another kind.
 */
final class Admission {
  /**
   * @param effects what it does to rows, in this order and together; empty if nothing
   * @param done whether it will be answered as done; otherwise that is not known yet
   */
  record Verdict(List<Operation.OnKey> effects, boolean done) {
    private static final Verdict UNKNOWN = new Verdict(List.of(), false);
    private static final Verdict REPEATED = new Verdict(List.of(), true);
  }

  private final SessionTable sessions;
  private final Execution execution;

  /**
   * @param sessions as they are at the applied position; the admission's own from now on
   */
  Admission(SessionTable sessions, Execution execution) {
    this.sessions = sessions;
    this.execution = execution;
  }

  Verdict admit(ByteBuffer command, Position at) {
    TaggedOperation request;
    try {
      request = TaggedOperation.decode(command);
    } catch (MalformedException e) {
      // Answered by the applier, which says why.
      return Verdict.UNKNOWN;
    }
    if (!request.tag().isTracked()) {
      return effect(request.operation());
    }
    return switch (sessions.arrived(request.tag(), at)) {
      case TAKES_EFFECT -> {
        Verdict verdict = effect(request.operation());
        sessions.remember(request.tag(), verdict.done() ? Answers.DONE : Session.IN_OWN_ROW);
        yield verdict;
      }
      case REPEATED ->
          sessions.answered(request.tag()).filter(Answers::isDone).isPresent()
              ? Verdict.REPEATED
              : Verdict.UNKNOWN;
      case FORGOTTEN, BEYOND_WINDOW, FULL -> Verdict.UNKNOWN;
    };
  }

  private Verdict effect(Operation operation) {
    if (operation instanceof Operation.Batch batch) {
      return execution.accepts(batch) ? new Verdict(batch.operations(), true) : Verdict.UNKNOWN;
    } else if (operation instanceof Operation.ExpireSessions expire) {
      sessions.expire(expire.before(), client -> {});
      return new Verdict(List.of(), true);
    }
    Operation.OnKey onKey = (Operation.OnKey) operation;
    return execution.accepts(onKey)
        ? new Verdict(List.of(onKey), !operation.resultNeedsState())
        : Verdict.UNKNOWN;
  }
}
