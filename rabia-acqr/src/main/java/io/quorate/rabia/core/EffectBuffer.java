package io.quorate.rabia.core;

import io.quorate.model.NodeId;
import io.quorate.rabia.core.step.Effect;
import io.quorate.rabia.core.step.Lsn;
import io.quorate.rabia.core.step.OwnMessage;
import io.quorate.rabia.protocol.LogRecord;
import io.quorate.rabia.protocol.Message;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Collects the effects of a step, numbers the records, and holds the replica's own messages until
 * the record that each of them depends on is durable (P0).
 */
final class EffectBuffer {
  private final Counters counters;
  private final ArrayDeque<OwnMessage> uncounted = new ArrayDeque<>();
  private List<Effect> effects = new ArrayList<>();
  private Lsn last = Lsn.START;
  private Lsn durable = Lsn.START;
  private boolean replaying = true;

  EffectBuffer(Counters counters) {
    this.counters = counters;
  }

  /** Enables records and messages: the replay is complete. */
  void start() {
    replaying = false;
  }

  boolean isReplaying() {
    return replaying;
  }

  Lsn append(LogRecord record) {
    return append(record, false);
  }

  /** Appends a record for which no message waits. */
  Lsn appendLazily(LogRecord record) {
    return append(record, true);
  }

  private Lsn append(LogRecord record, boolean lazily) {
    if (replaying) {
      return Lsn.START;
    }
    last = last.next();
    effects.add(new Effect.Persist(last, record, lazily));
    return last;
  }

  void send(List<NodeId> to, Message message, Lsn after) {
    if (replaying || to.isEmpty()) {
      return;
    }
    // A message cannot wait for a record that was not appended before it (P0).
    assert !after.isAfter(last) : after + " after " + last;
    counters.messages += to.size();
    effects.add(new Effect.Send(to, message, after));
  }

  void send(NodeId to, Message message) {
    send(List.of(to), message, Lsn.START);
  }

  void emit(Effect effect) {
    effects.add(effect);
  }

  /** Holds a message of this replica, to be counted by itself once its record is durable (P0). */
  void countWhenDurable(OwnMessage own) {
    uncounted.add(own);
  }

  void durable(Lsn through) {
    if (through.isAfter(durable)) {
      durable = through;
    }
  }

  boolean isDurable(Lsn lsn) {
    return !lsn.isAfter(durable);
  }

  /** Removes the oldest held message if its record is durable; null otherwise. */
  OwnMessage nextDurable() {
    OwnMessage oldest = uncounted.peek();
    return oldest != null && isDurable(oldest.after()) ? uncounted.poll() : null;
  }

  List<Effect> drain() {
    List<Effect> drained = effects;
    effects = new ArrayList<>();
    return drained;
  }
}
