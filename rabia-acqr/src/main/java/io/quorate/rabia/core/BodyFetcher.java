package io.quorate.rabia.core;

import io.quorate.model.NodeId;
import io.quorate.rabia.core.members.DelayEstimate;
import io.quorate.rabia.protocol.BatchId;
import io.quorate.rabia.protocol.Message;

/**
 * Fetches missing bodies (C8, O5, D3): after the time in which content arrives without a request,
 * and with one fetch of a slot in flight at a time. The timeout of a fetch follows the measured
 * time from fetch to body, and doubles with every earlier fetch of the slot.
 */
final class BodyFetcher {
  private final Context context;

  /** The time from the first message about a slot to its content. */
  private final DelayEstimate contentDelay;

  /** The time from a fetch to the body. */
  private final DelayEstimate fetchDelay;

  BodyFetcher(Context context) {
    this.context = context;
    Settings.Timing timing = context.settings.timing();
    long longest = timing.retransmission() << Slot.RESEND_DOUBLINGS_MAX;
    this.contentDelay = new DelayEstimate(timing.contentWait(), longest);
    this.fetchDelay = new DelayEstimate(timing.contentWait(), longest);
  }

  /** Observes a message about a slot of the window, before the message is processed. */
  void observe(Slot slot, Message.OfSlot message) {
    if (message instanceof Message.Content content
        && context.bodies.get(content.batch().id()) == null) {
      contentDelay.observe(context.now - slot.openedAt);
    } else if (message instanceof Message.FetchedBody && slot.fetches > 0) {
      fetchDelay.observe(context.now - slot.fetchedAt);
    }
  }

  /** Whether content that was sent when the slot was opened should have arrived by now. */
  boolean isContentOverdue(Slot slot) {
    return context.now - slot.openedAt >= contentDelay.timeout();
  }

  /** Whether a fetch is in flight and has not timed out. */
  boolean isOutstanding(Slot slot) {
    long timeout = fetchDelay.timeout() << Math.min(slot.fetches - 1, Slot.RESEND_DOUBLINGS_MAX);
    return slot.fetches > 0 && context.now - slot.fetchedAt < timeout;
  }

  void fetch(Slot slot, NodeId from, BatchId id) {
    slot.fetches++;
    slot.fetchedAt = context.now;
    context.effects.send(from, new Message.FetchBody(slot.at(), id));
  }
}
