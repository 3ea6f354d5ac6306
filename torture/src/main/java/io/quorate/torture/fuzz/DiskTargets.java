package io.quorate.torture.fuzz;

import static io.quorate.torture.fuzz.FuzzTargets.buffer;
import static io.quorate.torture.fuzz.FuzzTargets.hidden;
import static io.quorate.torture.fuzz.FuzzTargets.into;
import static io.quorate.torture.fuzz.FuzzTargets.reads;
import static io.quorate.torture.fuzz.FuzzTargets.target;
import static io.quorate.torture.fuzz.FuzzTargets.written;

import io.quorate.common.Bytes;
import io.quorate.common.Checksums;
import io.quorate.common.DecodeException;
import io.quorate.model.GroupId;
import io.quorate.rabia.codec.RecordCodec;
import io.quorate.rabia.protocol.LogRecord;
import io.quorate.replication.log.segment.RecordHead;
import io.quorate.storage.command.AbsorbedState;
import io.quorate.storage.command.RowFormat;
import io.quorate.storage.session.Session;
import io.quorate.storage.session.SessionFence;
import io.quorate.storage.session.SessionRows;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Records of logs, rows, and what a snapshot states of itself. */
final class DiskTargets {
  private static final int SEGMENT_CHECKED_BYTES = 113;
  private static final int SEGMENT_START_BYTES = 512;
  private static final int BASE = 5;

  private DiskTargets() {}

  static List<Target> all() {
    Class<DecodeException> ours = DecodeException.class;
    return List.of(
        target(
            "rabia-record",
            FuzzTargets.netty(RecordCodec::read),
            written(LogRecord.class, (to, record) -> RecordCodec.write(record, to)),
            ours),
        reads("raft-entry", hidden("ratis.EntryCodec", "decode"), IllegalArgumentException.class),
        reads("raft-log-entry", logEntry(), IOException.class),
        segmentStart(),
        logRecord(),
        groupBase(),
        manifest(),
        reads("body-record", bodyRecord()),
        target(
            "session-row",
            SessionRows::decode,
            into(Session.class, SessionRows::encode),
            IOException.class),
        target(
            "session-fence",
            input -> SessionFence.ofRow(new GroupId(1), Optional.of(input)),
            into(SessionFence.class, SessionFence::encoded),
            IOException.class),
        target(
            "absorbed-state",
            buffer(AbsorbedState::decode),
            into(AbsorbedState.class, AbsorbedState::encoded),
            ours),
        reads("typed-row", buffer(RowFormat.TYPED::stored), UncheckedIOException.class),
        reads("region-base", regionBase(), IOException.class));
  }

  private static Target.Decoder logEntry() {
    Hidden decoder = Hidden.of("ratis.log.LogEntries", "decode", byte[].class);
    return input -> decoder.call(null, (Object) input);
  }

  /** The start of a segment; its length and its checksum are set. */
  private static Target segmentStart() {
    Hidden decoder =
        Hidden.of("replication.log.segment.SegmentStart", "decode", Path.class, ByteBuffer.class);
    return reads(
        "segment-start",
        input -> {
          ByteBuffer start = ByteBuffer.wrap(Arrays.copyOf(input, SEGMENT_START_BYTES));
          int checksum = Checksums.of(start.slice(0, SEGMENT_CHECKED_BYTES));
          return decoder.call(null, Path.of("log"), start.putInt(SEGMENT_CHECKED_BYTES, checksum));
        },
        IOException.class);
  }

  /** The head of a record of the shared log, at the start of its segment; its checksum is set. */
  private static Target logRecord() {
    Class<?> checksums = Hidden.type(RecordHead.class.getName() + "$HeadChecksum");
    Hidden checksum = Hidden.of(checksums, "of", ByteBuffer.class, int.class, int.class);
    Hidden inSegment = Hidden.of(RecordHead.class, "at", ByteBuffer.class, int.class, checksums);
    Hidden alone = Hidden.of(RecordHead.class, "of", ByteBuffer.class, int.class, checksums);
    return target(
        "log-record",
        input -> {
          int checked = RecordHead.BYTES - Integer.BYTES;
          ByteBuffer head = ByteBuffer.allocate(RecordHead.BYTES);
          head.put(0, input, 0, Math.min(input.length, checked));
          Object sums = Hidden.make("replication.log.segment.RecordHead$HeadChecksum", 1L, 1L);
          head.putInt(checked, (int) checksum.call(sums, head, 0, 0));
          inSegment.call(null, head, 0, sums);
          return ((Optional<?>) alone.call(null, head, 0, sums)).orElseThrow();
        },
        value -> encoded((RecordHead) value));
  }

  private static byte[] encoded(RecordHead head) throws Throwable {
    ByteBuffer to = ByteBuffer.allocate(RecordHead.BYTES);
    ((RecordHead.Encoder) Hidden.make("replication.log.segment.RecordHead$Encoder", 1L, 1L))
        .encode(
            to,
            0,
            head.length(),
            head.payloadChecksum(),
            head.durable(),
            head.group(),
            head.generation(),
            head.type(),
            head.sequence(),
            head.at().epoch(),
            head.at().index());
    return to.array();
  }

  private static Target groupBase() {
    Hidden decoder =
        Hidden.of(
            "replication.log.GroupBase",
            "decode",
            int.class,
            int.class,
            long.class,
            int.class,
            byte[].class);
    Hidden encoder = Hidden.of("replication.log.GroupBase", "encode");
    return target(
        "group-base",
        input -> decoder.call(null, 1, 1, 1L, BASE, input),
        value -> (byte[]) encoder.call(value));
  }

  /** The manifest of a snapshot, without its checksum. */
  private static Target manifest() {
    Hidden encoder = Hidden.of("storage.snapshot.SnapshotManifest", "encoded");
    return target(
        "manifest",
        hidden("storage.snapshot.SnapshotManifest", "decode"),
        value -> {
          byte[] encoded = Bytes.of((ByteBuffer) encoder.call(value));
          return Arrays.copyOf(encoded, encoded.length - Integer.BYTES);
        },
        BufferUnderflowException.class,
        IllegalArgumentException.class,
        IOException.class);
  }

  /** The header of a body, whose reader has as many bytes as it needs. */
  private static Target.Decoder bodyRecord() {
    Class<?> side = Hidden.type("io.quorate.storage.body.RecordHeader$Side");
    Hidden decoder = Hidden.of("storage.body.RecordHeader", "decode", side, ByteBuffer.class);
    return input ->
        decoder.call(null, side.getEnumConstants()[0], ByteBuffer.wrap(Arrays.copyOf(input, 64)));
  }

  private static Target.Decoder regionBase() {
    Hidden decoder = Hidden.of("storage.rocks.MetaRows", "decodeBase", byte[].class);
    return input -> decoder.call(null, (Object) input);
  }
}
