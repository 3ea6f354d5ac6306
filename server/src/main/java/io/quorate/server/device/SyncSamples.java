package io.quorate.server.device;

import java.util.List;

/**
 * The fsyncs since the samples were last taken.
 *
 * @param completedNanos how long each completed one took, in their order
 * @param inProgressNanos for how long the present one has been in progress; 0 if there is none
 */
public record SyncSamples(List<Long> completedNanos, long inProgressNanos) {
  public SyncSamples {
    completedNanos = List.copyOf(completedNanos);
  }
}
