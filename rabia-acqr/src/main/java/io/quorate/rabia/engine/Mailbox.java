package io.quorate.rabia.engine;

import io.quorate.consensus.NodeId;
import io.quorate.rabia.core.Input;
import io.quorate.rabia.protocol.Decided;
import io.quorate.rabia.protocol.Message;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Messages of other replicas that wait for this replica's thread, bounded in number and bytes. Any
 * thread adds; one thread polls. A message that exceeds a bound is dropped: the protocol tolerates
 * lost messages and repeats them.
 */
final class Mailbox {
  /** The estimated memory of a message without batch bodies. */
  private static final int MESSAGE_BYTES = 256;

  private record QueuedMessage(Input.Received input, int bytes) {}

  private final int messagesMax;
  private final long bytesMax;
  private final Queue<QueuedMessage> queue = new ConcurrentLinkedQueue<>();
  private final AtomicInteger messages = new AtomicInteger();
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong dropped = new AtomicLong();

  Mailbox(int messagesMax, long bytesMax) {
    this.messagesMax = messagesMax;
    this.bytesMax = bytesMax;
  }

  void add(NodeId from, Message message) {
    int size = size(message);
    boolean full = messages.incrementAndGet() > messagesMax;
    full |= bytes.addAndGet(size) > bytesMax;
    if (full) {
      release(size);
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
    release(next.bytes());
    return next.input();
  }

  boolean isEmpty() {
    return queue.isEmpty();
  }

  /** The number of messages dropped because the mailbox was full. */
  long dropped() {
    return dropped.get();
  }

  private void release(int size) {
    messages.decrementAndGet();
    bytes.addAndGet(-size);
  }

  private static int size(Message message) {
    int body = 0;
    if (message instanceof Message.Content content) {
      body = content.batch().size();
    } else if (message instanceof Message.Request request) {
      body = request.batch().size();
    } else if (message instanceof Message.FetchedBody fetched) {
      body = fetched.batch().size();
    } else if (message instanceof Message.Decisions decisions) {
      for (Decided decided : decisions.decided()) {
        body += MESSAGE_BYTES + decided.batch().map(batch -> batch.size()).orElse(0);
      }
    }
    return MESSAGE_BYTES + body;
  }
}
