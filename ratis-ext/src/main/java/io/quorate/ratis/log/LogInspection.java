package io.quorate.ratis.log;

import io.quorate.consensus.disk.DurableFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.server.RaftServerConfigKeys.Log.CorruptionPolicy;
import org.apache.ratis.server.raftlog.segmented.LogSegment;
import org.apache.ratis.server.raftlog.segmented.LogSegmentPath;
import org.apache.ratis.server.raftlog.segmented.SegmentedRaftLogFormat;
import org.apache.ratis.thirdparty.com.google.protobuf.CodedOutputStream;
import org.apache.ratis.util.SizeInBytes;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at the files of a group's log before Ratis opens them. Ratis takes a file that ends within
 * a record for one whose last write was interrupted, and drops that record, although it may have
 * been acknowledged; and it refuses a log whose last write was interrupted by a loss of power. Here
 * the former is refused, and the latter is cut where it broke off. What is left is made durable,
 * because Ratis takes it for that.
 */
public final class LogInspection {
  private static final Logger LOG = LoggerFactory.getLogger(LogInspection.class);
  private static final Pattern CLOSED = Pattern.compile("log_(\\d+)-(\\d+)");
  private static final Pattern OPEN = Pattern.compile("log_inprogress_(\\d+)");
  private static final int CHECKSUM_BYTES = 4;

  private final SizeInBytes entryMost;

  /** A file of the log, with the index of its last entry if no more are to be added to it. */
  private record Segment(Path file, long first, OptionalLong last) {
    boolean isOpen() {
      return last.isEmpty();
    }
  }

  /** How far a file can be read. */
  private record Readable(long entries, long bytes) {}

  /**
   * @param entryBytesMost the largest entry that Ratis is told of
   */
  public LogInspection(long entryBytesMost) {
    this.entryMost = SizeInBytes.valueOf(entryBytesMost);
  }

  /**
   * Inspects the log whose files are in {@code directory}, if there is one, and makes it durable.
   * Blocks while it is read, and while its last file is written.
   *
   * @throws DamagedLogException if something is missing that may have been acknowledged
   * @throws IOException if it cannot be read or written; the next inspection begins anew
   */
  public void inspect(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      return;
    }
    List<Segment> segments = segments(directory);
    for (int i = 0; i < segments.size(); i++) {
      boolean isLast = i == segments.size() - 1;
      Readable readable = inspect(segments.get(i), isLast);
      if (isLast) {
        RecoveredFiles.rewrite(segments.get(i).file(), readable.bytes());
        nameAsLongAsItIs(segments.get(i), readable.entries());
      } else {
        // Its entries were on disk before the next file was begun; its length may not be.
        DurableFiles.sync(segments.get(i).file());
      }
    }
    RecoveredFiles.rewriteMetadata(directory);
    DurableFiles.syncDirectory(directory);
  }

  /**
   * Ends a truncation that was interrupted between its two steps. Ratis would keep the old name,
   * and add a file behind it; the next inspection would then miss the entries in between.
   */
  private static void nameAsLongAsItIs(Segment segment, long entries) throws IOException {
    long end = segment.first() + entries - 1;
    if (!segment.isOpen() && entries > 0 && segment.last().getAsLong() != end) {
      Files.move(
          segment.file(),
          segment.file().resolveSibling("log_" + segment.first() + "-" + end),
          StandardCopyOption.ATOMIC_MOVE);
    }
  }

  /** How far a file can be read, once it is as it should be. */
  private Readable inspect(Segment segment, boolean isLast) throws IOException {
    try (FileChannel channel =
        FileChannel.open(segment.file(), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer bytes = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
      if (!hasHeader(segment, bytes)) {
        return new Readable(0, 0);
      }
      Readable readable = read(segment.file());
      BrokenEnd end = new BrokenEnd(bytes, (int) readable.bytes());
      if (end.isEmpty()) {
        requireAll(segment, isLast, readable);
        return readable;
      }
      if (!segment.isOpen() || !isLast || !end.isInterruptedWrite()) {
        throw new DamagedLogException(
            segment.file(),
            readable.bytes(),
            "after %d entries that can be read".formatted(readable.entries()));
      }
      LOG.warn(
          "The last write to {} was interrupted and never acknowledged; cutting the file from {} to"
              + " {} bytes",
          segment.file(),
          channel.size(),
          readable.bytes());
      channel.truncate(readable.bytes());
      return readable;
    }
  }

  /**
   * Whether the file was begun; its header is durable before any entry is written.
   *
   * @throws DamagedLogException if it has something else at its beginning
   */
  private static boolean hasHeader(Segment segment, ByteBuffer file) throws IOException {
    byte[] start = new byte[Math.min(file.limit(), SegmentedRaftLogFormat.getHeaderLength())];
    file.get(0, start);
    int matching = SegmentedRaftLogFormat.matchHeader(start, 0, start.length);
    if (matching == SegmentedRaftLogFormat.getHeaderLength()) {
      return true;
    }
    if (!new BrokenEnd(file, matching).isEmpty()) {
      throw new DamagedLogException(segment.file(), matching, "in its header");
    }
    return false;
  }

  /** The last file may be shorter than its name says: Ratis cuts it first, and renames it then. */
  private static void requireAll(Segment segment, boolean isLast, Readable readable)
      throws IOException {
    if (segment.isOpen() || isLast) {
      return;
    }
    long expected = segment.last().getAsLong() - segment.first() + 1;
    if (readable.entries() != expected) {
      throw new DamagedLogException(
          segment.file(),
          readable.bytes(),
          "it has %d entries instead of %d".formatted(readable.entries(), expected));
    }
  }

  private Readable read(Path file) throws IOException {
    long[] bytes = {SegmentedRaftLogFormat.getHeaderLength()};
    long[] entries = {0};
    try {
      LogSegment.readSegmentFile(
          file.toFile(),
          LogSegmentPath.matchLogSegment(file).getStartEnd(),
          entryMost,
          CorruptionPolicy.WARN_AND_RETURN,
          null,
          entry -> {
            bytes[0] += size(entry);
            entries[0]++;
          });
    } catch (IllegalStateException e) {
      // Ratis says so where the indices of two entries do not follow each other.
      throw new DamagedLogException(file, bytes[0], String.valueOf(e.getMessage()));
    }
    return new Readable(entries[0], bytes[0]);
  }

  private static long size(LogEntryProto entry) {
    int size = entry.getSerializedSize();
    return CodedOutputStream.computeUInt32SizeNoTag(size) + size + CHECKSUM_BYTES;
  }

  private static List<Segment> segments(Path directory) throws IOException {
    List<Segment> segments = new ArrayList<>();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        String name = file.getFileName().toString();
        Matcher closed = CLOSED.matcher(name);
        Matcher open = OPEN.matcher(name);
        if (closed.matches()) {
          segments.add(
              new Segment(
                  file,
                  Long.parseLong(closed.group(1)),
                  OptionalLong.of(Long.parseLong(closed.group(2)))));
        } else if (open.matches() && Files.size(file) > 0) {
          segments.add(new Segment(file, Long.parseLong(open.group(1)), OptionalLong.empty()));
        }
      }
    }
    segments.sort(Comparator.comparingLong(Segment::first));
    return segments;
  }
}
