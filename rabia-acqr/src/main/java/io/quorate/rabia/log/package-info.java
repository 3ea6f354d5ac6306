/**
 * The durable log of a replica: its files, their recovery and their truncation. Other packages use
 * it through {@link io.quorate.rabia.log.ReplicaLog}. The content of records belongs to {@code
 * protocol}, their encoding to {@code codec}.
 *
 * <h2>Files</h2>
 *
 * <p>A directory holds segments, numbered from 1 without a gap; the oldest are deleted when nothing
 * in them is needed. All integers are big-endian.
 *
 * <pre>
 * segment := header(512) record* zero*
 * header  := "QRATELOG" version(i32) number(i64) first(i64) cluster(2 i64) group(i32)
 *            node(u8 length, 64) crc(i32) zero*
 * record  := length(i32) sequence(i64) durable(i64) payload-crc(i32) head-crc(i32) payload
 * </pre>
 *
 * <p>Checksums are CRC-32C. The head checksum of a record also covers the segment's number and the
 * record's offset, so that the head is invalid at any other place. Sequence numbers count records
 * since the log was created, over all runs; {@code first} is the number of a segment's first
 * record, and {@code durable} the last record that was durable when this one was written.
 *
 * <p>Zeros are written ahead of the records while groups are short, {@link
 * io.quorate.common.FillAhead}, so that most fsyncs then do not change the length of the file.
 *
 * <h2>Power loss</h2>
 *
 * <p>A segment is durable before the next one is begun. A broken record in any but the last segment
 * is therefore damage. In the last segment it is a <i>torn write</i>, and everything from it on is
 * cut, only if
 *
 * <ul>
 *   <li>no valid record after it states that it was durable already: pages of one unsynced write
 *       reach the disk in any order, but a later write proves that the fsync between had ended; and
 *   <li>it looks like an interrupted write: disks write whole sectors, so one of its sectors is all
 *       zeros, or the file ends within it. A single changed byte does not look like that.
 * </ul>
 *
 * <p>Everything else is {@link io.quorate.common.DamagedLogException}. In the segment alone, whole
 * sectors of the last acknowledged write that turned to zeros, and a file that lost its end, are
 * indistinguishable from an interrupted write as long as nothing was written after them. A file
 * outside of the directory states the last durable record, and a log that ends before it is damaged
 * ({@code LogEnd}). However the process ended, it states the last record that was reported durable;
 * after a power loss, that one or an earlier one.
 */
package io.quorate.rabia.log;
