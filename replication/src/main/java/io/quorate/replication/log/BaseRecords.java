package io.quorate.replication.log;

import io.quorate.replication.log.segment.GrowingSegment;
import io.quorate.replication.log.segment.RecordHead;
import io.quorate.replication.log.segment.RecordType;
import io.quorate.replication.log.segment.SegmentStart;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Encodes the records with which a segment begins. */
final class BaseRecords {
  private BaseRecords() {}

  /**
   * The records that state what is known of all groups.
   *
   * @param purged the last deleted segment
   * @param generation the generation of the next group
   * @return ready to be written after the start of the segment
   */
  static ByteBuffer encode(
      SegmentStart start, long purged, int generation, Collection<GroupBase> bases) {
    List<byte[]> payloads = new ArrayList<>(bases.size());
    int length = RecordHead.BYTES;
    for (GroupBase base : bases) {
      byte[] payload = base.encode();
      payloads.add(payload);
      length = Math.addExact(length, RecordHead.BYTES + payload.length);
    }
    ByteBuffer to = ByteBuffer.allocate(length);
    RecordHead.Encoder encoder = GrowingSegment.encoderOf(start);
    int none = RecordHead.checksum(new byte[0]);
    int group = RecordHead.NO_GROUP;
    int at = SegmentStart.BYTES;
    encoder.encode(
        to, at, 0, none, at, group, 0, RecordType.BASES, generation, bases.size(), purged);
    int next = 0;
    for (GroupBase base : bases) {
      byte[] payload = payloads.get(next++);
      encoder.encode(
          to,
          at + to.position(),
          payload.length,
          RecordHead.checksum(payload),
          at,
          base.group,
          base.generation,
          base.type(),
          base.sequence(),
          0,
          0);
      to.put(payload);
    }
    return to.flip();
  }
}
