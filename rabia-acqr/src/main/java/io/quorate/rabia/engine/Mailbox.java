package io.quorate.rabia.engine;

import io.quorate.common.Budget;
import io.quorate.model.NodeId;
import io.quorate.rabia.core.step.Input;
import io.quorate.rabia.protocol.Message;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Messages of other replicas that wait for this replica's thread, bounded in number and bytes. Any
 * thread adds; one thread polls. A message that exceeds a bound is dropped: the protocol tolerates
 * lost messages and repeats them.
 */
final class Mailbox {
  /** The estimated memory of a message, or of one of its decisions, without batch bodies. */
  private static final int MESSAGE_BYTES = 256;

  private record QueuedMessage(Input.Received input, int bytes) {}

  private final Budget budget;
  private final Queue<QueuedMessage> queue = new ConcurrentLinkedQueue<>();
  private final AtomicLong dropped = new AtomicLong();

  Mailbox(int messagesMax, long bytesMax) {
    this.budget = new Budget(messagesMax, bytesMax);
  }

  void add(NodeId from, Message message) {
    int size = size(message);
    if (!budget.tryAcquire(size)) {
      dropped.incrementAndGet();
      return;
    }
    queue.add(new QueuedMessage(new Input.Received(from, message), size));
  }

  /** Removes and returns the oldest message, or returns null. */
  Input.Received poll() {
    QueuedMessage next = queue.poll();
    if (next == null) {
      return null;
    }
    budget.release(next.bytes());
    return next.input();
  }

  boolean isEmpty() {
    return queue.isEmpty();
  }

  /** The number of messages dropped because the mailbox was full. */
  long dropped() {
    return dropped.get();
  }

  private static int size(Message message) {
    int parts = message instanceof Message.Decisions decisions ? decisions.decided().size() : 0;
    return (1 + parts) * MESSAGE_BYTES + message.bodyBytes();
  }
}
