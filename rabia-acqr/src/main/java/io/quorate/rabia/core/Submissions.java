package io.quorate.rabia.core;

import io.quorate.rabia.protocol.Batch;
import io.quorate.rabia.protocol.Body;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * What this replica's clients want: commands that wait for a batch, and batches that wait for a
 * slot. Bounded in commands and bytes; batches have been admitted as commands.
 */
final class Submissions {
  private final Context context;
  private final ArrayDeque<ByteBuffer> commands = new ArrayDeque<>();
  private final ArrayDeque<Batch> batches = new ArrayDeque<>();
  private long bytes;
  private long incarnation;
  private long sequence;

  Submissions(Context context) {
    this.context = context;
  }

  void begin(long newIncarnation) {
    incarnation = newIncarnation;
    sequence = 0;
  }

  long incarnation() {
    return incarnation;
  }

  void propose(List<ByteBuffer> offered) {
    Settings.Bounds bounds = context.settings.bounds();
    Effect.Refused.Reason reason =
        context.membership.latest().includesSelf()
            ? Effect.Refused.Reason.FULL
            : Effect.Refused.Reason.NO_MEMBER;
    for (int i = 0; i < offered.size(); i++) {
      boolean full =
          commands.size() >= bounds.waitingCommands()
              || (!commands.isEmpty()
                  && bytes + offered.get(i).remaining() > bounds.waitingBytes());
      if (reason == Effect.Refused.Reason.NO_MEMBER || full) {
        context.journal.emit(new Effect.Refused(offered.size() - i, reason));
        return;
      }
      commands.add(offered.get(i));
      bytes += offered.get(i).remaining();
    }
  }

  /** One change of members at a time; while one waits, others are not taken. */
  void reconfigure(Body.Reconfiguration change) {
    if (batches.stream().noneMatch(b -> b.body() instanceof Body.Reconfiguration)) {
      batches.add(name(change));
    }
  }

  /** A batch that lost its slot is the next one again. */
  void again(Batch batch) {
    if (!batches.contains(batch)) {
      batches.addFirst(batch);
    }
  }

  boolean isEmpty() {
    return commands.isEmpty() && batches.isEmpty();
  }

  /** The next batch; there is one. */
  Batch next() {
    if (!batches.isEmpty()) {
      return batches.poll();
    }
    Settings.Bounds bounds = context.settings.bounds();
    List<ByteBuffer> taken = new ArrayList<>();
    long size = 0;
    while (!commands.isEmpty()
        && taken.size() < bounds.batchCommands()
        && (taken.isEmpty() || size + commands.peek().remaining() <= bounds.batchBytes())) {
      ByteBuffer command = commands.poll();
      size += command.remaining();
      taken.add(command);
    }
    bytes -= size;
    Batch batch = name(new Body.Commands(taken));
    context.journal.emit(new Effect.Batched(batch.id(), taken.size()));
    return batch;
  }

  private Batch name(Body body) {
    return Batch.of(context.self, incarnation, sequence++, context.now, body);
  }
}
