package io.quorate.replication.transport;

import io.quorate.common.LogLimit;
import io.quorate.replication.transport.handshake.RefusalReason;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs refusals, once for each peer and reason, because a refused node retries for ever; altered
 * frames each time, as these are events of their own. Those of each reason up to a limit per
 * second, because a stranger may have any number of names, and must not hide others. Any thread.
 */
final class RefusalLog {
  private static final Logger LOG = LoggerFactory.getLogger(RefusalLog.class);

  /** Beyond this number the least recent refusal is removed, and logged again if it recurs. */
  private static final int LOGGED_MAX = 512;

  private record Refusal(String peer, RefusalReason reason, boolean byThisNode) {}

  private final Map<RefusalReason, LogLimit> refusing = limits();
  private final Map<RefusalReason, LogLimit> refused = limits();
  private final Map<Refusal, Boolean> logged =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Refusal, Boolean> eldest) {
          return size() > LOGGED_MAX;
        }
      };

  private static Map<RefusalReason, LogLimit> limits() {
    Map<RefusalReason, LogLimit> limits = new EnumMap<>(RefusalReason.class);
    for (RefusalReason reason : RefusalReason.values()) {
      limits.put(reason, new LogLimit());
    }
    return limits;
  }

  /**
   * @param peer the peer's node id, or its host before it has sent one
   */
  void refusing(String peer, Object address, RefusalReason reason, String detail) {
    if (isNew(new Refusal(peer, reason, true))) {
      refusing
          .get(reason)
          .log(
              leftOut ->
                  LOG.warn(
                      "Refused a node peer={} address={} reason={}: {}{}",
                      peer,
                      address,
                      reason,
                      detail,
                      LogLimit.text(leftOut)));
    }
  }

  void refusedBy(String peer, Object address, RefusalReason reason, String detail) {
    if (isNew(new Refusal(peer, reason, false))) {
      refused
          .get(reason)
          .log(
              leftOut ->
                  LOG.warn(
                      "A node refuses this one peer={} address={} reason={}: {}{}",
                      peer,
                      address,
                      reason,
                      detail,
                      LogLimit.text(leftOut)));
    }
  }

  private synchronized boolean isNew(Refusal refusal) {
    return refusal.reason() == RefusalReason.CHECKSUM || logged.put(refusal, true) == null;
  }
}
