package io.quorate.rabia.core;

import io.quorate.consensus.NodeId;
import io.quorate.rabia.protocol.BatchId;
import io.quorate.rabia.protocol.Message;

/**
 * Fetches bodies that are missing (C8, O5, D3): after the time in which content comes by itself,
 * one fetch of a slot at a time, each with the time that bodies were measured to take, doubled for
 * every fetch before.
 */
final class BodyFetcher {
  private final Context context;

  /** From the first message about a slot to its content. */
  private final DelayEstimate contentDelay;

  /** From a fetch to the body. */
  private final DelayEstimate fetchDelay;

  BodyFetcher(Context context) {
    this.context = context;
    Settings.Timing timing = context.settings.timing();
    long longest = timing.retransmission() << Slot.REPEAT_DOUBLINGS_MAX;
    this.contentDelay = new DelayEstimate(timing.contentWait(), longest);
    this.fetchDelay = new DelayEstimate(timing.contentWait(), longest);
  }

  /** A message about a slot of the window has come, and has not been taken yet. */
  void observe(Slot slot, Message.OfSlot message) {
    if (message instanceof Message.Content content
        && context.bodies.get(content.batch().id()) == null) {
      contentDelay.observe(context.now - slot.openedAt);
    } else if (message instanceof Message.FetchedBody && slot.fetches > 0) {
      fetchDelay.observe(context.now - slot.fetchedAt);
    }
  }

  /** Whether content that was sent when the slot was opened should be here by now. */
  boolean isContentOverdue(Slot slot) {
    return context.now - slot.openedAt >= contentDelay.timeout();
  }

  /** Whether a fetch was sent whose body may still come. */
  boolean isOutstanding(Slot slot) {
    long timeout = fetchDelay.timeout() << Math.min(slot.fetches - 1, Slot.REPEAT_DOUBLINGS_MAX);
    return slot.fetches > 0 && context.now - slot.fetchedAt < timeout;
  }

  void fetch(Slot slot, NodeId from, BatchId id) {
    slot.fetches++;
    slot.fetchedAt = context.now;
    context.journal.send(from, new Message.FetchBody(slot.at(), id));
  }
}
