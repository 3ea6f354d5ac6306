package io.quorate.storage;

import io.quorate.consensus.GroupId;
import io.quorate.consensus.Key;
import io.quorate.consensus.KeyRange;
import io.quorate.consensus.Position;
import io.quorate.consensus.disk.DurableFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;

/**
 * Replaces the state of one region by an exported one. Blocks, and must not run while the region is
 * applied or read, except {@link #stage}.
 *
 * <p>Deleting the old rows and taking over the new ones cannot be one atomic write. So the files
 * are first made durable in a staging directory, then a marker that names it is; from there on
 * every step can be done again from the staging directory until the marker is removed, in one write
 * with the new position.
 */
final class SnapshotInstall {
  private final StorageParts parts;
  private final GroupId region;
  private final KeyRange range;
  private final Family family;

  SnapshotInstall(StorageParts parts, GroupId region, KeyRange range, Family family) {
    this.parts = parts;
    this.region = region;
    this.range = range;
    this.family = family;
  }

  /**
   * Checks an exported snapshot and makes it durable in a new staging directory, moving its files
   * away. Changes nothing that is read.
   *
   * @throws IOException if it is not whole, or is of something else
   */
  MetaRows.InstallMarker stage(Path directory, Position position) throws IOException {
    SnapshotManifest manifest = SnapshotManifest.read(directory);
    manifest.requireFor(region, range, position);
    manifest.verifyFiles(directory);
    reached(InstallStep.VERIFIED);
    Path staging = newStaging();
    for (SnapshotManifest.Table table : manifest.tables()) {
      moveDurably(directory.resolve(table.name()), staging.resolve(table.name()));
    }
    moveDurably(
        directory.resolve(SnapshotManifest.FILE_NAME), staging.resolve(SnapshotManifest.FILE_NAME));
    DurableFiles.syncDirectory(staging);
    DurableFiles.syncDirectory(parts.staging());
    reached(InstallStep.STAGED);
    return new MetaRows.InstallMarker(position, staging.getFileName().toString());
  }

  private Path newStaging() throws IOException {
    int number = 1;
    while (Files.exists(parts.staging().resolve(stagingPrefix() + number))) {
      number++;
    }
    return Files.createDirectory(parts.staging().resolve(stagingPrefix() + number));
  }

  private String stagingPrefix() {
    return "region-" + region + "-";
  }

  private static void moveDurably(Path from, Path to) throws IOException {
    Files.move(from, to);
    DurableFiles.sync(to);
  }

  /** Replaces the state by a staged one, durably. */
  void replace(MetaRows.InstallMarker marker) throws IOException {
    try (DatabaseBatch batch = parts.database().batch(new DatabaseBatch.Scratch())) {
      parts.meta().putInstallMarker(batch, region, marker);
      parts.database().write(batch);
    }
    flush();
    reached(InstallStep.MARKED);
    takeOver(marker);
  }

  /** Ends an install that was cut off, durably, if there is one, and removes what others left. */
  void resume() throws IOException {
    Optional<MetaRows.InstallMarker> marker = parts.meta().installMarker(region);
    if (marker.isPresent()) {
      takeOver(marker.get());
    }
    dropStaging();
  }

  private void takeOver(MetaRows.InstallMarker marker) throws IOException {
    Path staging = parts.staging().resolve(marker.staging());
    SnapshotManifest manifest = SnapshotManifest.read(staging);
    manifest.verifyFiles(staging);
    clear();
    reached(InstallStep.CLEARED);
    ingest(family, manifest.files(staging, SnapshotManifest.Content.ROWS));
    reached(InstallStep.ROWS_TAKEN);
    ingest(Family.SESSIONS, manifest.files(staging, SnapshotManifest.Content.SESSIONS));
    reached(InstallStep.SESSIONS_TAKEN);
    try (DatabaseBatch batch = parts.database().batch(new DatabaseBatch.Scratch())) {
      parts.meta().putApplied(batch, region, marker.position());
      parts.meta().deleteInstallMarker(batch, region);
      parts.database().write(batch);
    }
    reached(InstallStep.POSITIONED);
    flush();
    reached(InstallStep.DURABLE);
    dropStaging();
    reached(InstallStep.DROPPED);
  }

  private void clear() throws IOException {
    byte[] start = range.start().bytes();
    Optional<byte[]> end =
        range.end().isPresent()
            ? range.end().map(Key::bytes)
            : parts.database().lastKey(family, start).map(last -> Key.wrap(last).next().bytes());
    try (DatabaseBatch batch = parts.database().batch(new DatabaseBatch.Scratch())) {
      if (end.isPresent()) {
        batch.deleteRange(family, start, end.get());
      }
      batch.deleteRange(
          Family.SESSIONS, SessionRows.regionStart(region), SessionRows.regionEnd(region));
      parts.database().write(batch);
    }
  }

  private void ingest(Family into, List<Path> files) throws IOException {
    if (!files.isEmpty()) {
      parts.database().ingest(into, files);
    }
  }

  /** Makes everything written durable. */
  void flush() throws IOException {
    try {
      parts.flusher().flush().toCompletableFuture().join();
    } catch (CompletionException e) {
      throw new IOException(e.getCause().getMessage(), e.getCause());
    }
  }

  private void dropStaging() throws IOException {
    List<Path> left;
    try (Stream<Path> all = Files.list(parts.staging())) {
      left = all.filter(path -> path.getFileName().toString().startsWith(stagingPrefix())).toList();
    }
    for (Path path : left) {
      DurableFiles.deleteTree(path);
    }
  }

  private void reached(InstallStep step) throws IOException {
    step.done.reached(region);
  }
}
