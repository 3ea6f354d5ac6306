package io.quorate.client.internal.call;

import io.quorate.client.QuorateException;
import io.quorate.model.NodeId;
import java.time.Duration;

/** The next step of a call after an attempt has failed. */
sealed interface RetryDecision {

  /** Send the request to this node immediately. */
  record Redirect(NodeId leader) implements RetryDecision {
    @Override
    public void accept(Visitor visitor) {
      visitor.redirect(this);
    }
  }

  /**
   * Make another attempt after a pause.
   *
   * @param elsewhere whether another replica is preferred to the last one
   * @param refreshTopology whether the topology may be out of date
   */
  record Retry(Duration pause, boolean elsewhere, boolean refreshTopology)
      implements RetryDecision {
    @Override
    public void accept(Visitor visitor) {
      visitor.retry(this);
    }
  }

  /** The call fails with this exception. */
  record GiveUp(QuorateException cause) implements RetryDecision {
    @Override
    public void accept(Visitor visitor) {
      visitor.giveUp(this);
    }
  }

  /** Carries out a decision of each kind. */
  interface Visitor {
    void redirect(Redirect decision);

    void retry(Retry decision);

    void giveUp(GiveUp decision);
  }

  void accept(Visitor visitor);
}
