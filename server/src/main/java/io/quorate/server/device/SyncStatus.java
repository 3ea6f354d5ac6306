package io.quorate.server.device;

/**
 * The fsyncs of a device so far.
 *
 * @param averageNanos moving average of the time of an fsync, over about the last 8; 0 before the
 *     first has completed
 * @param inProgressNanos for how long the present one has been in progress; 0 if there is none
 * @param completed number that have succeeded
 * @param failed number that have failed with an I/O error
 */
public record SyncStatus(long averageNanos, long inProgressNanos, long completed, long failed) {}
