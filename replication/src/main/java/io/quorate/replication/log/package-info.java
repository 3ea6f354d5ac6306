/**
 * One log of all groups of a node. Engines use it through {@link
 * io.quorate.replication.log.SharedLog} and {@link io.quorate.replication.log.GroupLog}; the files
 * are in {@code segment}.
 *
 * <h2>Records</h2>
 *
 * <p>A group has <i>entries</i>, one for each index and in order, of which the last can be
 * truncated, or <i>events</i>, any number for an index; those below the group's low-water mark are
 * dead. Besides it has <i>states</i>, of which the latest of a key counts. What they mean is up to
 * the engine: whether a vote may replace another one is its rule.
 *
 * <p>A group that is removed and created again is another <i>generation</i>, and sees nothing of
 * the former one. The records of a generation are numbered in the order of the log, without a gap.
 *
 * <h2>Bases</h2>
 *
 * <p>A segment begins with the number of groups and, for each, its <i>base</i>: generation, number
 * of the last record, low-water mark, last and highest index, states. So what segments before it
 * say of a group, except for its live entries and events, is not needed any more.
 *
 * <h2>Damage</h2>
 *
 * <p>{@link io.quorate.replication.log.segment segment} says what is damage and what is a torn
 * write. A damaged record whose head is readable concerns its group, if it is live. Any other hole
 * concerns a group that existed before it
 *
 * <ul>
 *   <li>if the number of its next record is not the next one, or it has no record and no base after
 *       the hole; but
 *   <li>not if a later base states what is not an entry or event, and its low-water mark is above
 *       every index that the missing ones may have had.
 * </ul>
 *
 * <p>A group that is concerned is not opened, and a record says so from then on, since after the
 * next base nothing else would.
 *
 * <h2>Deletion</h2>
 *
 * <p>Only the oldest segment is deleted, so that what makes a record dead outlives it. What made
 * the records of a segment dead is durable before: the record that states the deletion is queued
 * after it. Live records of the oldest segment are appended once more where too many segments
 * exist; such a copy has the order of the record, and the index gets its place when it is durable.
 *
 * <h2>Threads</h2>
 *
 * <p>{@code quorate-node-log} alone writes. {@code quorate-node-log-purge} rewrites and deletes.
 * Groups are told on their own executors, and read on the threads that call. The index of a group
 * is under its monitor and changes when a record is appended; the bases are those of the written
 * records, and of the writing thread.
 */
package io.quorate.replication.log;
