package io.quorate.client;

import io.quorate.consensus.NodeId;
import java.time.Duration;

/** What to do with a call after an attempt ended without success. */
sealed interface Decision {

  /** Try this node at once. */
  record Redirect(NodeId leader) implements Decision {}

  /**
   * Try once more after a pause.
   *
   * @param elsewhere whether to prefer another replica to the one asked last
   * @param refreshMap whether the map of the cluster may be out of date
   */
  record Retry(Duration pause, boolean elsewhere, boolean refreshMap) implements Decision {}

  /** The call ends with this. */
  record GiveUp(QuorateException why) implements Decision {}
}
