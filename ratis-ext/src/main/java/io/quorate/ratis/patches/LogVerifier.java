package io.quorate.ratis.patches;

import io.quorate.common.DamagedLogException;
import io.quorate.common.DurableEnd;
import io.quorate.common.DurableEnd.Mark;
import io.quorate.common.DurableFiles;
import io.quorate.common.ReplicaReads;
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
import java.util.Locale;
import java.util.Optional;
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
 * Verifies the files of a group's log before Ratis opens them. Ratis treats a file that ends within
 * a record as the result of a torn write and drops that record, although it may have been
 * acknowledged; and it rejects a log whose last write was torn by a power loss. Here the former is
 * rejected, and the latter is truncated where it is torn, if that is not before the recorded end of
 * what was durable. The remaining entries are made durable, because Ratis assumes that they are.
 * Files before a gap, which an interrupted purge leaves, are deleted. If anything is damaged, no
 * file is changed.
 *
 * <p>Upstream: not reported. Fails without it: {@code LogVerifierTest}, {@code
 * LogFilesVerifierTest}. Can go when Ratis rejects a log that ends before what was acknowledged,
 * and drops a torn write after that.
 */
public final class LogVerifier {
  private static final Logger LOG = LoggerFactory.getLogger(LogVerifier.class);
  private static final Pattern CLOSED = Pattern.compile("log_(\\d+)-(\\d+)");
  private static final Pattern OPEN = Pattern.compile("log_inprogress_(\\d+)");
  private static final int CHECKSUM_BYTES = 4;

  private final SizeInBytes entryMax;

  /** A file of the log, with the index of its last entry if the file is closed. */
  private record Segment(Path file, long first, OptionalLong last) {
    boolean isOpen() {
      return last.isEmpty();
    }

    /** Whether no entry is missing between this file and the next one. */
    boolean isFollowedBy(Segment next) {
      return isOpen() || next.first() <= last.getAsLong() + 1;
    }
  }

  /**
   * The readable part at the beginning of a file.
   *
   * @param term of the last entry; 0 if there is none
   * @param isTorn whether what follows is an interrupted write
   */
  private record Readable(long entries, long bytes, long term, boolean isTorn) {
    static final Readable NOTHING = new Readable(0, 0, 0, false);
  }

  /**
   * @param entryBytesMax the maximum size of an entry, as it is configured in Ratis
   */
  public LogVerifier(long entryBytesMax) {
    this.entryMax = SizeInBytes.valueOf(entryBytesMax);
  }

  /**
   * Verifies the log whose files are in {@code directory}, if there is one, and makes it durable.
   * Blocks while it is read, and while its last file is written.
   *
   * @param durableIndex the state has all entries up to this index, durably
   * @return the term of the last entry; 0 if there is none
   * @throws DamagedLogException if something is missing that may have been acknowledged
   * @throws IOException if the log cannot be read or written; the next verification starts from the
   *     beginning
   */
  public long inspect(Path directory, long durableIndex) throws IOException {
    if (!Files.isDirectory(directory)) {
      return 0;
    }
    Mark mark = DurableEnd.read(directory).orElse(Mark.NONE);
    List<Segment> found = segments(directory);
    requireNewest(directory, found, mark);
    int purged = purged(found, durableIndex);
    List<Segment> segments = found.subList(purged, found.size());
    Readable end = Readable.NOTHING;
    long term = 0;
    for (int i = 0; i < segments.size(); i++) {
      boolean isLast = i == segments.size() - 1;
      Optional<Segment> next = isLast ? Optional.empty() : Optional.of(segments.get(i + 1));
      end = inspect(segments.get(i), next, mark);
      term = Math.max(term, end.term());
    }
    if (isBeforeSnapshot(directory, segments, end, durableIndex)) {
      discard(directory, found);
    } else {
      makeDurable(segments, end);
      for (Segment each : found.subList(0, purged)) {
        LOG.info("Deleting what an interrupted purge has left of a log file={}", each.file());
        Files.delete(each.file());
      }
      DurableFiles.syncDirectory(directory);
      if (mark.holds() && !segments.get(segments.size() - 1).isOpen()) {
        // Ratis opens no file of this log before it cuts one.
        DurableEnd.replace(directory, Mark.NONE);
      }
    }
    SnapshotMark.delete(directory);
    return term;
  }

  /**
   * Whether all of the log is in a snapshot that was installed, after which the log was not
   * discarded.
   *
   * @param end of the last file
   * @throws DamagedLogException if the log ends before the state for any other reason
   */
  private static boolean isBeforeSnapshot(
      Path directory, List<Segment> segments, Readable end, long durableIndex) throws IOException {
    OptionalLong snapshot = SnapshotMark.read(directory);
    if (segments.isEmpty() || segments.size() == 1 && end.entries() == 0) {
      return false;
    }
    Segment last = segments.get(segments.size() - 1);
    long lastIndex = last.first() + end.entries() - 1;
    if (lastIndex >= durableIndex) {
      return false;
    }
    if (snapshot.isPresent() && snapshot.getAsLong() == durableIndex) {
      return true;
    }
    throw new DamagedLogException(
        String.format(
            Locale.ROOT,
            "The Raft log ends with entry %d, in %s, and the state has entries up to %d: files of the log are missing, or older ones, and entries that this node acknowledged may be lost",
            lastIndex,
            last.file(),
            durableIndex));
  }

  /** Deletes a log of which the state has all entries. If that is interrupted, it is repeated. */
  private static void discard(Path directory, List<Segment> files) throws IOException {
    LOG.info("Discarding a log before an installed snapshot directory={}", directory);
    DurableEnd.replace(directory, Mark.NONE);
    for (Segment each : files) {
      Files.delete(each.file());
    }
    DurableFiles.syncDirectory(directory);
  }

  private static void makeDurable(List<Segment> segments, Readable end) throws IOException {
    for (int i = 0; i < segments.size() - 1; i++) {
      // The entries were on disk before the next file was created; the length of the file may not
      // be.
      DurableFiles.sync(segments.get(i).file());
    }
    if (!segments.isEmpty()) {
      Segment last = segments.get(segments.size() - 1);
      if (end.isTorn()) {
        cut(last.file(), end.bytes());
      }
      RecoveredFiles.rewrite(last.file(), end.bytes());
      renameToActualEnd(last, end.entries());
    }
  }

  private static void cut(Path file, long bytes) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      LOG.warn(
          "The last write to {} was interrupted and never acknowledged; truncating the file from {}"
              + " to {} bytes",
          file,
          channel.size(),
          bytes);
      channel.truncate(bytes);
    }
  }

  /** Whether a log has files, which it has once something was appended. Blocks. */
  public static boolean hasFiles(Path directory) throws IOException {
    return Files.isDirectory(directory) && !segments(directory).isEmpty();
  }

  private static void requireNewest(Path directory, List<Segment> segments, Mark mark)
      throws IOException {
    if (mark.holds() && segments.stream().noneMatch(each -> each.first() == mark.segment())) {
      throw new DamagedLogException(
          String.format(
              Locale.ROOT,
              "The Raft log file %s is missing, and entries in it that this node acknowledged may be lost",
              directory.resolve("log_inprogress_" + mark.segment())));
    }
  }

  /**
   * How many files are before the last gap. Ratis 3.3.0 purges the newest file first, so an
   * interrupted purge leaves the oldest ones, and a log with a gap, which it rejects.
   *
   * @throws DamagedLogException if the state lacks an entry in a gap: that was not purged
   */
  private static int purged(List<Segment> segments, long durableIndex) throws IOException {
    int begin = segments.size() - 1;
    while (begin > 0 && segments.get(begin - 1).isFollowedBy(segments.get(begin))) {
      begin--;
    }
    if (begin <= 0) {
      requireState(segments, durableIndex);
      return 0;
    }
    Segment next = segments.get(begin);
    Path last = segments.get(begin - 1).file();
    if (durableIndex < next.first() - 1) {
      throw new DamagedLogException(
          String.format(
              Locale.ROOT,
              "The Raft log files %s and %s do not follow each other, and the state has entries up to %d only: entries that this node acknowledged may be lost",
              last,
              next.file(),
              durableIndex));
    }
    return begin;
  }

  /** The log is purged behind the state only, so that an older state was restored, or is new. */
  private static void requireState(List<Segment> segments, long durableIndex) throws IOException {
    if (!segments.isEmpty() && durableIndex < segments.get(0).first() - 1) {
      throw new DamagedLogException(
          String.format(
              Locale.ROOT,
              "The Raft log begins with entry %d, in %s, and the state has entries up to %d only: the files of the state are missing, or older ones",
              segments.get(0).first(),
              segments.get(0).file(),
              durableIndex));
    }
  }

  /**
   * Completes a truncation that was interrupted between its two steps. Ratis would keep the old
   * name and create a file after it; the next verification would then miss the entries in between.
   */
  private static void renameToActualEnd(Segment segment, long entries) throws IOException {
    long end = segment.first() + entries - 1;
    if (!segment.isOpen() && entries > 0 && segment.last().getAsLong() != end) {
      Files.move(
          segment.file(),
          segment.file().resolveSibling("log_" + segment.first() + "-" + end),
          StandardCopyOption.ATOMIC_MOVE);
    }
  }

  /**
   * To be called when Ratis has closed a log: nothing cuts it before it is opened again, so that
   * the recorded end of what is durable holds unless Ratis has cut the file. Blocks.
   *
   * @throws IOException if that cannot be recorded; a log that is cut now is then not noticed
   */
  public static void closed(Path directory) throws IOException {
    Optional<Mark> mark = DurableEnd.read(directory);
    if (mark.isEmpty() || mark.get().holds()) {
      return;
    }
    for (Segment segment : segments(directory)) {
      if (segment.first() == mark.get().segment()
          && Files.size(segment.file()) >= mark.get().bytes()) {
        DurableEnd.replace(directory, new Mark(segment.first(), mark.get().bytes(), true));
      }
    }
  }

  /** The readable part of a file. */
  private Readable inspect(Segment segment, Optional<Segment> next, Mark mark) throws IOException {
    ReplicaReads.require(segment.file());
    try (FileChannel channel = FileChannel.open(segment.file(), StandardOpenOption.READ)) {
      ByteBuffer bytes = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
      Readable readable = hasHeader(segment, bytes) ? read(segment) : Readable.NOTHING;
      if (mark.isOf(segment.first()) && readable.bytes() < mark.bytes()) {
        throw damaged(
            segment.file(),
            readable.bytes(),
            String.format(
                Locale.ROOT,
                "after %d entries that can be read; it was durable up to byte %d",
                readable.entries(),
                mark.bytes()));
      }
      TornTail end = new TornTail(bytes, (int) readable.bytes());
      // Without a header, nothing but a part of it and zeros is in the file.
      if (readable.bytes() == 0 || end.isEmpty()) {
        requireAll(segment, next, readable);
        return readable;
      }
      if (!segment.isOpen() || next.isPresent() || !end.isInterruptedWrite()) {
        throw damaged(
            segment.file(),
            readable.bytes(),
            String.format(Locale.ROOT, "after %d entries that can be read", readable.entries()));
      }
      return new Readable(readable.entries(), readable.bytes(), readable.term(), true);
    }
  }

  /**
   * Whether the file has its header, which is durable before any entry is written.
   *
   * @throws DamagedLogException if the file begins with something else
   */
  private static boolean hasHeader(Segment segment, ByteBuffer file) throws IOException {
    byte[] start = new byte[Math.min(file.limit(), SegmentedRaftLogFormat.getHeaderLength())];
    file.get(0, start);
    int matching = SegmentedRaftLogFormat.matchHeader(start, 0, start.length);
    if (matching == SegmentedRaftLogFormat.getHeaderLength()) {
      return true;
    }
    if (!new TornTail(file, matching).isEmpty()) {
      throw damaged(segment.file(), matching, "in its header");
    }
    return false;
  }

  /**
   * Requires all entries in a closed file, and up to the next file: Ratis deletes a file without
   * entries, and accepts no gap. The last file may be shorter than its name states, because Ratis
   * truncates it before it renames it; it deletes a file instead of truncating it to nothing.
   */
  private static void requireAll(Segment segment, Optional<Segment> next, Readable readable)
      throws IOException {
    if (next.isEmpty()) {
      if (!segment.isOpen() && readable.entries() == 0) {
        throw damaged(segment.file(), readable.bytes(), "it has no entries");
      }
      return;
    }
    long end = segment.last().orElse(next.get().first() - 1);
    long expected = end - segment.first() + 1;
    if (readable.entries() != expected) {
      throw damaged(
          segment.file(),
          readable.bytes(),
          String.format(
              Locale.ROOT, "it has %d entries instead of %d", readable.entries(), expected));
    }
    if (end >= next.get().first()) {
      throw damaged(
          segment.file(),
          readable.bytes(),
          String.format(Locale.ROOT, "its last entries are in %s too", next.get().file()));
    }
  }

  private Readable read(Segment segment) throws IOException {
    Path file = segment.file();
    long[] bytes = {SegmentedRaftLogFormat.getHeaderLength()};
    long[] entries = {0};
    long[] term = {0};
    try {
      LogSegment.readSegmentFile(
          file.toFile(),
          LogSegmentPath.matchLogSegment(file).getStartEnd(),
          entryMax,
          CorruptionPolicy.WARN_AND_RETURN,
          null,
          entry -> {
            if (entries[0] == 0 && entry.getIndex() != segment.first()) {
              throw new IllegalStateException("it begins with entry " + entry.getIndex());
            }
            bytes[0] += size(entry);
            entries[0]++;
            term[0] = entry.getTerm();
          });
    } catch (IllegalStateException e) {
      // Ratis throws this if the indexes of two entries are not consecutive, too.
      throw damaged(file, bytes[0], String.valueOf(e.getMessage()));
    }
    return new Readable(entries[0], bytes[0], term[0], false);
  }

  private static DamagedLogException damaged(Path file, long offset, String detail) {
    return new DamagedLogException(
        String.format(
                Locale.ROOT,
                "The Raft log file %s is damaged at byte %d (%s), and entries that this node acknowledged",
                file,
                offset,
                detail)
            + " may be lost");
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
    } catch (IOException e) {
      throw ReplicaReads.failure(directory, e);
    }
    segments.sort(Comparator.comparingLong(Segment::first));
    return segments;
  }
}
