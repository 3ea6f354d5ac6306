package io.quorate.server.node.directory;

import io.quorate.common.DurableFiles;
import io.quorate.common.Failpoint;
import io.quorate.consensus.Starts;
import io.quorate.server.config.StartupException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The durable record of a node's starts, in its data directory and in the directories of the logs
 * and of the rows. Each start, and each renewal of it, is recorded before another node learns of
 * it. Blocks; any thread.
 *
 * <p>The records show whether the directories were used together last: a change is prepared in the
 * data directory, recorded in the others, and then completed in the former. A crash in between
 * leaves one behind by the change that is only prepared; any other difference is an older copy.
 */
public final class StartRecords {
  /** The file's name in each directory. */
  public static final String FILE = Starts.FILE;

  /**
   * A directory that is used together with the data directory.
   *
   * @param name in messages
   */
  record Part(Path path, String name) {}

  /** A record is about to be made durable; the subject is its file. */
  static final Failpoint BEFORE_WRITE = Failpoint.named("server.starts.before-write");

  private final LockedDirectory data;
  private final List<Part> parts;

  /**
   * @param parts exist; one without entries has no record, and is not missed here
   */
  StartRecords(LockedDirectory data, List<Part> parts) {
    this.data = data;
    this.parts = List.copyOf(parts);
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
    StartRecord ofData = read(data.root());
    requireNewest(ofData);
    for (Part part : parts) {
      if (hasEntries(part.path())) {
        requireTogether(ofData, part);
      }
    }
    if (ofData.state() == StartRecord.State.PREPARED) {
      // Interrupted, and presented to nobody.
      recorded(ofData);
    }
    return recorded(new StartRecord(StartRecord.State.PREPARED, change.apply(ofData.starts())));
  }

  /** Records durably that the directories are an older copy, so that no later start uses them. */
  synchronized void outdated() throws IOException {
    write(data.root(), read(data.root()).as(StartRecord.State.OUTDATED));
  }

  private Starts recorded(StartRecord prepared) throws IOException {
    StartRecord complete = prepared.as(StartRecord.State.COMPLETE);
    write(data.root(), prepared);
    for (Part part : parts) {
      write(part.path(), complete);
    }
    write(data.root(), complete);
    return complete.starts();
  }

  private static boolean hasEntries(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.findAny().isPresent();
    }
  }

  private void requireNewest(StartRecord record) {
    if (record.state() == StartRecord.State.OUTDATED) {
      throw new StartupException(
          data.name()
              + " is an older copy of this node's disk, as another node has shown: what the node"
              + " has acknowledged since is not in it."
              + whatToDo());
    }
  }

  private void requireTogether(StartRecord ofData, Part part) throws IOException {
    Starts starts = ofData.starts();
    Starts ofPart = read(part.path()).starts();
    boolean isBehindByPrepared =
        ofData.state() == StartRecord.State.PREPARED
            && (starts.equals(ofPart.next(starts.runs().get(0).id()))
                || starts.equals(ofPart.renewed()));
    if (starts.equals(ofPart) || isBehindByPrepared) {
      return;
    }
    boolean isPartOlder = ofPart.newest().map(starts::isAfter).orElse(true);
    throw new StartupException(
        (isPartOlder ? part.name() : data.name())
            + " is an older copy than "
            + (isPartOlder ? data.name() : part.name())
            + ": the two were not used together at the last start."
            + whatToDo());
  }

  private String whatToDo() {
    return " Put the newest directories of this node in their place; if they are lost, empty "
        + data.root()
        + parts.stream()
            .map(Part::path)
            .filter(path -> !path.startsWith(data.root()))
            .map(path -> " and " + path)
            .collect(Collectors.joining())
        + ", start the node, and accept it with \"node replace\".";
  }

  private StartRecord read(Path directory) throws IOException {
    Path file = directory.resolve(FILE);
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

  private static void write(Path directory, StartRecord record) throws IOException {
    Path file = directory.resolve(FILE);
    BEFORE_WRITE.reached(file);
    DurableFiles.replace(file, directory.resolve(Starts.DRAFT), ByteBuffer.wrap(record.encoded()));
  }
}
