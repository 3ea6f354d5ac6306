package io.quorate.replication.log;

import io.quorate.replication.log.segment.RecordHead;
import io.quorate.replication.log.segment.RecordType;
import java.util.concurrent.CompletableFuture;

/**
 * A record on its way to the disk, and after that in the memory of recent records. What may change
 * is written under the group's monitor or by the log's thread, as said.
 */
final class QueuedRecord {
  /** Of a decoded entry and what refers to it, without its bytes. */
  private static final int FORM_BYTES = 256;

  /** What the writer keeps for the group; the log's own records have none. */
  final GroupBase base;

  /** The group whose index has this record. Null if none has. */
  GroupLog group;

  final int type;

  /** As it is in the record; the number of a rewritten record is a new one. */
  final long sequence;

  /** The first number of the record, by which the index has it. */
  final long order;

  final long epoch;
  final long index;
  final boolean isLazy;
  private final int length;

  /** Null when it is neither needed for writing nor kept in memory. Under the group's monitor. */
  byte[] bytes;

  /** What the engine has appended it with; null if nothing, or not in memory any more. As bytes. */
  Object form;

  /** Does not change when the form is dropped, so that what was added is what is subtracted. */
  private int overhead;

  /** The checksum of the payload, computed by the thread that appends; not of rewritten records. */
  int checksum;

  /** The next one of a list: of the queue, of what is not synced, or of the recent records. */
  QueuedRecord next;

  /** The place, when it is written. */
  int segment;

  int offset;

  /** Whether it is durable. Under the group's monitor. */
  boolean isDurable;

  /** Completes when it is durable; of records of the log itself and of removals. */
  CompletableFuture<Void> whenDurable;

  QueuedRecord(
      GroupBase base,
      GroupLog group,
      int type,
      long sequence,
      long order,
      long epoch,
      long index,
      byte[] bytes,
      boolean isLazy) {
    this.base = base;
    this.group = group;
    this.type = type;
    this.sequence = sequence;
    this.order = order;
    this.epoch = epoch;
    this.index = index;
    this.bytes = bytes;
    this.length = bytes.length;
    this.isLazy = isLazy;
  }

  /** The length of the bytes of the engine, also when they are not here any more. */
  int length() {
    return length;
  }

  /** What counts in memory: an estimate where there is a form, of which small entries have more. */
  int memoryBytes() {
    return length + overhead;
  }

  void setForm(Object of) {
    form = of;
    overhead = of == null ? 0 : FORM_BYTES;
  }

  /** The length of the record in the file. */
  int recordBytes() {
    return recordBytes(type, length);
  }

  static int recordBytes(int type, int length) {
    return RecordHead.BYTES + payloadBytes(type, length);
  }

  /** The length of the payload in the file. */
  static int payloadBytes(int type, int length) {
    return RecordType.isRewritten(type) ? Long.BYTES + length : length;
  }
}
