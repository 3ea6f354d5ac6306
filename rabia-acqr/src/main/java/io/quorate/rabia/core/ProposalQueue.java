package io.quorate.rabia.core;

import io.quorate.rabia.core.step.Effect;
import io.quorate.rabia.protocol.Batch;
import io.quorate.rabia.protocol.Body;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The commands of this replica's clients that wait for a batch, and the batches that wait for a
 * slot. The commands are bounded in number and bytes; batches are not, because their commands have
 * been admitted already.
 */
final class ProposalQueue {
  private final Context context;
  private final ArrayDeque<ByteBuffer> commands = new ArrayDeque<>();
  private final ArrayDeque<Batch> batches = new ArrayDeque<>();
  private long bytes;
  private long incarnation;
  private long sequence;

  ProposalQueue(Context context) {
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
        context.configurations.latest().includesSelf()
            ? Effect.Refused.Reason.FULL
            : Effect.Refused.Reason.NO_MEMBER;
    for (int i = 0; i < offered.size(); i++) {
      boolean full =
          commands.size() >= bounds.waitingCommands()
              || (!commands.isEmpty()
                  && bytes + offered.get(i).remaining() > bounds.waitingBytes());
      if (reason == Effect.Refused.Reason.NO_MEMBER || full) {
        context.effects.emit(new Effect.Refused(offered.size() - i, reason));
        return;
      }
      commands.add(offered.get(i));
      bytes += offered.get(i).remaining();
    }
  }

  /** Queues a configuration change. While one is queued, further ones are dropped. */
  void reconfigure(Body.Reconfiguration change) {
    if (batches.stream().noneMatch(b -> b.body() instanceof Body.Reconfiguration)) {
      batches.add(toBatch(change));
    }
  }

  /** Queues a batch that lost its slot ahead of all others. */
  void requeue(Batch batch) {
    if (!batches.contains(batch)) {
      batches.addFirst(batch);
    }
  }

  boolean isEmpty() {
    return commands.isEmpty() && batches.isEmpty();
  }

  /** Removes the next batch. The queue must not be empty. */
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
    Batch batch = toBatch(new Body.Commands(taken));
    context.effects.emit(new Effect.Batched(batch.id(), taken.size()));
    return batch;
  }

  private Batch toBatch(Body body) {
    return Batch.of(context.self, incarnation, sequence++, context.now, body);
  }
}
