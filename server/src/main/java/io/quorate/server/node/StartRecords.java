package io.quorate.server.node;

import io.quorate.common.DurableFiles;
import io.quorate.common.Failpoint;
import io.quorate.consensus.Starts;
import io.quorate.server.config.StartupException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * The durable record of a node's starts, in its data directory and, if there is one, in its log
 * directory. Each start, and each renewal of it, is recorded before another node learns of it.
 * Blocks; any thread.
 *
 * <p>With two directories the record shows whether they were used together last: a change is
 * prepared in the data directory, recorded in the log directory, and then completed in the former.
 * A crash in between leaves the log directory behind by the change that is only prepared; any other
 * difference is an older copy of one of them.
 */
final class StartRecords {
  /** The file's name in each directory. */
  static final String FILE = "starts";

  /** A record is about to be made durable; the subject is its file. */
  static final Failpoint BEFORE_WRITE = Failpoint.named("server.starts.before-write");

  private final LockedDirectory data;
  private final Optional<LockedDirectory> log;

  StartRecords(LockedDirectory data, Optional<LockedDirectory> log) {
    this.data = data;
    this.log = log;
  }

  /**
   * Records a start durably.
   *
   * @param id of the start, random
   * @return all starts, with this one
   * @throws StartupException if a directory is an older copy, or its record is damaged
   */
  synchronized Starts begin(long id) throws IOException {
    return changed(starts -> starts.next(id));
  }

  /**
   * Renews the present start durably.
   *
   * @return all starts
   * @throws StartupException as for {@link #begin}
   */
  synchronized Starts renew() throws IOException {
    return changed(Starts::renewed);
  }

  private Starts changed(UnaryOperator<Starts> change) throws IOException {
    StartRecord ofData = read(data);
    requireNewest(ofData, data);
    if (log.isEmpty()) {
      return completed(new StartRecord(StartRecord.State.COMPLETE, change.apply(ofData.starts())));
    }
    StartRecord ofLog = read(log.get());
    requireNewest(ofLog, log.get());
    requireTogether(ofData, ofLog.starts());
    if (ofData.state() == StartRecord.State.PREPARED) {
      // Interrupted, and presented to nobody.
      recorded(ofData);
    }
    return recorded(new StartRecord(StartRecord.State.PREPARED, change.apply(ofData.starts())));
  }

  /** Records durably that the directories are an older copy, so that no later start uses them. */
  synchronized void outdated() throws IOException {
    write(data, read(data).as(StartRecord.State.OUTDATED));
  }

  private Starts recorded(StartRecord prepared) throws IOException {
    write(data, prepared);
    write(log.orElseThrow(), prepared.as(StartRecord.State.COMPLETE));
    return completed(prepared.as(StartRecord.State.COMPLETE));
  }

  private Starts completed(StartRecord record) throws IOException {
    write(data, record);
    return record.starts();
  }

  private void requireNewest(StartRecord record, LockedDirectory directory) {
    if (record.state() == StartRecord.State.OUTDATED) {
      throw new StartupException(
          directory.name()
              + " is an older copy of this node's disk, as another node has shown: what the node"
              + " has acknowledged since is not in it."
              + whatToDo());
    }
  }

  private void requireTogether(StartRecord ofData, Starts ofLog) {
    Starts starts = ofData.starts();
    boolean isBehindByPrepared =
        ofData.state() == StartRecord.State.PREPARED
            && (starts.equals(ofLog.next(starts.runs().get(0).id()))
                || starts.equals(ofLog.renewed()));
    if (starts.equals(ofLog) || isBehindByPrepared) {
      return;
    }
    boolean isLogOlder = ofLog.newest().map(starts::isAfter).orElse(true);
    LockedDirectory older = isLogOlder ? log.orElseThrow() : data;
    LockedDirectory newer = isLogOlder ? data : log.orElseThrow();
    throw new StartupException(
        older.name()
            + " is an older copy than "
            + newer.name()
            + ": the two were not used together at the last start."
            + whatToDo());
  }

  private String whatToDo() {
    return " Put the newest directories of this node in their place; if they are lost, empty "
        + data.root()
        + log.map(directory -> " and " + directory.root()).orElse("")
        + ", start the node, and accept it with \"node replace\".";
  }

  private StartRecord read(LockedDirectory directory) throws IOException {
    Path file = directory.root().resolve(FILE);
    if (!Files.exists(file)) {
      // Other nodes know if there was one.
      return StartRecord.NONE;
    }
    try {
      return StartRecord.decode(Files.readAllBytes(file));
    } catch (IOException e) {
      throw new StartupException(
          "The file " + file + " is damaged: " + e.getMessage() + "." + whatToDo());
    }
  }

  private static void write(LockedDirectory directory, StartRecord record) throws IOException {
    Path file = directory.root().resolve(FILE);
    BEFORE_WRITE.reached(file);
    DurableFiles.replace(
        file, directory.root().resolve(FILE + ".draft"), ByteBuffer.wrap(record.encoded()));
  }
}
