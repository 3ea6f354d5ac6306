package io.quorate.rabia.core;

import io.quorate.consensus.NodeId;
import io.quorate.rabia.protocol.LogRecord;
import io.quorate.rabia.protocol.Message;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Collects the effects of a step, numbers records, and keeps what the replica has said to itself
 * until the record it depends on is durable (P0).
 */
final class Journal {
  private final Counters counters;
  private final ArrayDeque<OwnMessage> unheard = new ArrayDeque<>();
  private List<Effect> effects = new ArrayList<>();
  private Lsn last = Lsn.START;
  private Lsn durable = Lsn.START;
  private boolean replaying = true;

  Journal(Counters counters) {
    this.counters = counters;
  }

  /** From now on records are written and messages sent. */
  void start() {
    replaying = false;
  }

  boolean isReplaying() {
    return replaying;
  }

  Lsn append(LogRecord record) {
    return append(record, false);
  }

  /** Appends a record that nothing waits for. */
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
    counters.messages += to.size();
    effects.add(new Effect.Send(to, message, after));
  }

  void send(NodeId to, Message message) {
    send(List.of(to), message, Lsn.START);
  }

  void emit(Effect effect) {
    effects.add(effect);
  }

  /** The replica is to hear this of itself when it is durable. */
  void hearLater(OwnMessage own) {
    unheard.add(own);
  }

  void durable(Lsn through) {
    if (through.isAfter(durable)) {
      durable = through;
    }
  }

  boolean isDurable(Lsn lsn) {
    return !lsn.isAfter(durable);
  }

  /** The oldest message of its own that the replica may hear now, or null. */
  OwnMessage nextHeard() {
    OwnMessage oldest = unheard.peek();
    return oldest != null && isDurable(oldest.after()) ? unheard.poll() : null;
  }

  List<Effect> drain() {
    List<Effect> drained = effects;
    effects = new ArrayList<>();
    return drained;
  }
}
