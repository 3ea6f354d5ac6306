package io.quorate.rabia.transport;

import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells of refusals, once for each peer and reason: whoever is refused tries again and again. Any
 * thread.
 */
final class RefusalLog {
  private static final Logger LOG = LoggerFactory.getLogger(RefusalLog.class);

  /** With more than so many, the longest forgotten is told again when it comes again. */
  private static final int REMEMBERED_MAX = 512;

  private record Told(String who, RefusalReason reason, boolean byUs) {}

  private final Map<Told, Boolean> told =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Told, Boolean> eldest) {
          return size() > REMEMBERED_MAX;
        }
      };

  /**
   * @param who the peer's name, or its host where it has not said one
   */
  void refusing(String who, Object address, RefusalReason reason, String sentence) {
    if (isNew(new Told(who, reason, true))) {
      LOG.warn("Refused a node peer={} address={} reason={}: {}", who, address, reason, sentence);
    }
  }

  void refusedBy(String who, Object address, RefusalReason reason, String sentence) {
    if (isNew(new Told(who, reason, false))) {
      LOG.warn(
          "A node refuses this one peer={} address={} reason={}: {}",
          who,
          address,
          reason,
          sentence);
    }
  }

  private synchronized boolean isNew(Told refusal) {
    return told.put(refusal, true) == null;
  }
}
