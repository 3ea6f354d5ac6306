/**
 * The files of the log of a node: format, writing, reading. Knows of groups only their numbers.
 *
 * <h2>Files</h2>
 *
 * <p>A directory holds segments, {@code NNNNNNNN.log}, numbered from 1. Each begins with what the
 * next sections of the log package call bases, and is durable so far before it is used; the one
 * before it is durable to its end then. All integers are big-endian.
 *
 * <pre>
 * segment := start(512) record* unused
 * start   := "QRNODLOG" version(i32) number(i64) salt(i64) cluster(2 i64) previous-end(i32)
 *            node(u8 length, 64) crc(i32) unused
 * record  := head(49) payload
 * head    := length(i32) payload-crc(i32) durable(i32) group(i32) generation(i32) type(u8)
 *            sequence(i64) epoch(i64) index(i64) head-crc(i32)
 * payload := [order(i64)] bytes
 * </pre>
 *
 * <p>Checksums are CRC-32C. That of a head also covers the salt, which is random and the same in
 * all segments of a log, the number of the segment and the offset: no bytes of a value are a head,
 * and no record is valid at another place. {@code durable} is the offset up to which this segment
 * was durable when the record was written, {@code previous-end} the end of the records of the
 * segment before. {@code order} is the sequence number that a rewritten record had first.
 *
 * <h2>What cannot be read</h2>
 *
 * <p>{@link io.quorate.replication.log.segment.ScannedSegment} divides a segment into records and
 * holes. What is not readable is damage as far as a later record, the start of the next segment or
 * the file outside of the directory states that it was durable. Otherwise it is a torn write, and
 * the segment ends before it. Which bytes stand there does not matter; zeros may stand there too,
 * which are written ahead of the records, {@link io.quorate.common.FillAhead}.
 */
package io.quorate.replication.log.segment;
