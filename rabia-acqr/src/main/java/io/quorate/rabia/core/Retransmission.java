package io.quorate.rabia.core;

import io.quorate.model.NodeId;
import io.quorate.rabia.core.members.DelayEstimate;
import io.quorate.rabia.core.step.Lsn;
import io.quorate.rabia.core.step.OwnMessage;
import io.quorate.rabia.protocol.Message;
import java.util.List;

/** Resends this replica's own messages about undecided slots, and sends inquiries (T1, T2). */
final class Retransmission {
  private final Context context;
  private final SlotExecutor execution;
  private final Chooser chooser;

  /** The time from this replica's proposal to the decision (T1). */
  private final DelayEstimate decisionDelay;

  Retransmission(Context context, SlotExecutor execution, Chooser chooser) {
    this.context = context;
    this.execution = execution;
    this.chooser = chooser;
    long shortest = context.settings.timing().retransmission();
    this.decisionDelay = new DelayEstimate(shortest, shortest << Slot.RESEND_DOUBLINGS_MAX);
  }

  /** Measures how long the slot took, if this replica has proposed in it. */
  void observeDecision(Slot slot) {
    if (slot.hasProposed() && !context.effects.isReplaying()) {
      decisionDelay.observe(context.now - slot.proposedAt);
    }
  }

  /** Resends, and inquires, about the lowest undecided slots that are overdue (T1). */
  void resendOverdue() {
    int resent = 0;
    long frontier = context.window.frontier();
    for (long index = execution.delivered() + 1;
        index <= frontier && resent < context.settings.bounds().resentSlots();
        index++) {
      Slot slot = context.window.open(index, context.now);
      if (!slot.isDecided()
          && context.now - slot.sentAt >= slot.resendAfter(decisionDelay.timeout())) {
        slot.sentAt = context.now;
        slot.resends++;
        resent++;
        context.counters.repeated++;
        resendAndInquire(slot, slot.membership().others());
      }
    }
  }

  /** Resends and inquires immediately for a peer that has reconnected (T1). */
  void resendTo(NodeId peer) {
    long last =
        Math.min(
            context.window.frontier(),
            execution.delivered() + context.settings.bounds().resentSlots());
    for (long index = execution.delivered() + 1; index <= last; index++) {
      Slot slot = context.window.open(index, context.now);
      if (!slot.isDecided() && slot.membership().others().contains(peer)) {
        resendAndInquire(slot, List.of(peer));
      }
    }
  }

  private void resendAndInquire(Slot slot, List<NodeId> to) {
    resend(slot, slot.ownPhase(), to);
    context.effects.send(
        to, new Message.Inquiry(slot.at(), Math.max(1, slot.ownPhase())), Lsn.START);
  }

  /** Resends this replica's messages about a slot, from a phase on (T1). */
  void resend(Slot slot, int fromPhase, List<NodeId> to) {
    chooser.resend(slot, to);
    if (slot.hasProposed()) {
      resend(slot.ownProposal, to);
    }
    for (int phase = Math.max(1, fromPhase); phase <= slot.ownPhase(); phase++) {
      resendPhase(slot, phase, to);
    }
  }

  /** Sends this replica's own messages of an older phase to a sender that is in that phase (T2). */
  void resendOlderPhase(Slot slot, NodeId from, Message.Recorded received) {
    if (received.phase() > 0 && received.phase() < slot.ownPhase()) {
      resendPhase(slot, received.phase(), List.of(from));
    }
  }

  private void resendPhase(Slot slot, int phase, List<NodeId> to) {
    Phase sent = slot.phase(phase);
    for (OwnMessage own : new OwnMessage[] {sent.ownState, sent.ownVote}) {
      if (own != null) {
        resend(own, to);
      }
    }
  }

  /**
   * Resends a durable message. A message that waits for its record is sent with it, and need not be
   * sent twice.
   */
  private void resend(OwnMessage own, List<NodeId> to) {
    if (context.effects.isDurable(own.after())) {
      context.effects.send(to, own.message(), own.after());
    }
  }
}
