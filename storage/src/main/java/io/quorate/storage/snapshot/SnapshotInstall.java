package io.quorate.storage.snapshot;

import io.quorate.common.DurableFiles;
import io.quorate.consensus.DamagedReplicaException;
import io.quorate.model.GroupId;
import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import io.quorate.storage.command.RegionShape;
import io.quorate.storage.context.OverlappingRangesException;
import io.quorate.storage.context.StorageContext;
import io.quorate.storage.context.Takeover;
import io.quorate.storage.options.Keyspace;
import io.quorate.storage.rocks.DatabaseBatch;
import io.quorate.storage.rocks.Family;
import io.quorate.storage.rocks.MetaRows;
import io.quorate.storage.session.SessionRows;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Replaces the state of one region by an exported snapshot, or by none. Blocks, and must not run
 * while the region is applied or read, except {@link #stage}.
 *
 * <p>Deleting the old rows and ingesting the new ones cannot be one atomic write. So the files are
 * first made durable in a staging directory, and then a marker with its name is made durable. From
 * then on every step is idempotent and can be repeated from the staging directory, until the marker
 * is removed in one write with the new position and shape.
 *
 * <p>The rows of the present range and of the new one are replaced, so a replica that skips a split
 * by a snapshot has none of the rows of the child afterwards. A replica that skips a merge ends the
 * state of the region that was absorbed ({@link Takeover}). The new range must not overlap that of
 * any other region of this node, which would have been split meanwhile in the state of the others,
 * or has begun by a later split than the snapshot contains.
 */
public final class SnapshotInstall {
  private final StorageContext context;
  private final GroupId region;
  private final Keyspace keyspace;
  private final Family family;

  public SnapshotInstall(StorageContext context, GroupId region, Keyspace keyspace) {
    this.context = context;
    this.region = region;
    this.keyspace = keyspace;
    this.family = Family.of(keyspace);
  }

  /**
   * Verifies an exported snapshot and moves its files, durably, to a new staging directory. Does
   * not change the state.
   *
   * @throws OverlappingRangesException if another region of this node, which this one has not
   *     absorbed, has keys of the snapshot; a later snapshot may not have them
   * @throws IOException if it is incomplete, of another region or position, or of a state that does
   *     not follow the present one
   */
  public MetaRows.InstallMarker stage(Path directory, Position position) throws IOException {
    SnapshotManifest manifest = SnapshotManifest.read(directory);
    Optional<MetaRows.Base> base = context.meta().base(region);
    manifest.requireFor(region, base.map(MetaRows.Base::shape), position);
    manifest.verifyFiles(directory);
    if (base.isEmpty()) {
      claim(manifest.shape());
    } else {
      context.ranges().requireAbsorbed(region, keyspace, manifest.shape());
    }
    reached(InstallStep.VERIFIED);
    Path staging = newStaging();
    for (SnapshotManifest.Table table : manifest.tables()) {
      moveDurably(directory.resolve(table.name()), staging.resolve(table.name()));
    }
    moveDurably(
        directory.resolve(SnapshotManifest.FILE_NAME), staging.resolve(SnapshotManifest.FILE_NAME));
    DurableFiles.syncDirectory(staging);
    DurableFiles.syncDirectory(context.staging());
    reached(InstallStep.STAGED);
    return new MetaRows.InstallMarker(position, staging.getFileName().toString());
  }

  /**
   * Takes the range of a region that has no state here, so that no other one begins with it.
   * Regions that it has absorbed end when it is installed.
   */
  private void claim(RegionShape shape) throws OverlappingRangesException {
    context.ranges().requireAbsorbed(region, keyspace, shape);
    if (context.ranges().other(region, keyspace, shape.range()).isEmpty()) {
      context.ranges().claim(region, keyspace, shape.range());
    }
  }

  private Path newStaging() throws IOException {
    int number = 1;
    while (Files.exists(context.staging().resolve(stagingPrefix() + number))) {
      number++;
    }
    return Files.createDirectory(context.staging().resolve(stagingPrefix() + number));
  }

  private String stagingPrefix() {
    return "region-" + region + "-";
  }

  private static void moveDurably(Path from, Path to) throws IOException {
    Files.move(from, to);
    DurableFiles.sync(to);
  }

  /**
   * Replaces the state by a staged snapshot, durably.
   *
   * @throws OverlappingRangesException if another region has the keys of this one since the
   *     snapshot was staged; nothing has changed
   */
  public void replace(MetaRows.InstallMarker marker) throws IOException {
    RegionShape shape = SnapshotManifest.read(staging(marker)).shape();
    if (context.ranges().gate(region).isAbsorbed()) {
      throw new OverlappingRangesException(region);
    }
    try (DatabaseBatch batch = context.database().batch();
        Takeover takeover = Takeover.begin(context, region, keyspace, shape)) {
      context.meta().putInstallMarker(batch, region, marker);
      takeover.addTo(batch);
      if (takeover.isAny() || context.meta().base(region).isEmpty()) {
        // So that no other region begins with these keys after a crash.
        context.meta().putBase(batch, region, new MetaRows.Base(keyspace, shape));
      }
      context.database().write(batch);
      if (takeover.isAny()) {
        takeover.written();
      }
    }
    context.flusher().flushAndAwait();
    reached(InstallStep.MARKED);
    install(marker, verified(staging(marker)));
  }

  /**
   * Completes an interrupted install, if there is one, durably, and removes leftover staging
   * directories.
   *
   * @throws DamagedReplicaException if the files of an interrupted install are not as they were
   *     received: of the state before and the one after it, neither is complete
   */
  public void resume() throws IOException {
    Optional<MetaRows.InstallMarker> marker = context.meta().installMarker(region);
    if (marker.isPresent()) {
      install(marker.get(), intact(staging(marker.get())));
    }
    dropStaging();
  }

  private static SnapshotManifest intact(Path staging) throws DamagedReplicaException {
    try {
      return verified(staging);
    } catch (IOException e) {
      throw new DamagedReplicaException(e);
    }
  }

  private static SnapshotManifest verified(Path staging) throws IOException {
    SnapshotManifest manifest = SnapshotManifest.read(staging);
    manifest.verifyFiles(staging);
    return manifest;
  }

  private void install(MetaRows.InstallMarker marker, SnapshotManifest manifest)
      throws IOException {
    Path staging = staging(marker);
    clear(manifest.shape().range());
    reached(InstallStep.CLEARED);
    ingest(family, manifest.files(staging, SnapshotManifest.Content.ROWS));
    reached(InstallStep.ROWS_TAKEN);
    ingest(Family.SESSIONS, manifest.files(staging, SnapshotManifest.Content.SESSIONS));
    reached(InstallStep.SESSIONS_TAKEN);
    try (DatabaseBatch batch = context.database().batch()) {
      context.meta().putApplied(batch, region, marker.position());
      context.meta().putBase(batch, region, new MetaRows.Base(keyspace, manifest.shape()));
      context.meta().deleteInstallMarker(batch, region);
      context.database().write(batch);
    }
    reached(InstallStep.POSITIONED);
    context.ranges().claim(region, keyspace, manifest.shape().range());
    context.flusher().flushAndAwait();
    context.ranges().flushed(region);
    reached(InstallStep.DURABLE);
    dropStaging();
    reached(InstallStep.DROPPED);
  }

  /**
   * Removes the state in one atomic write, durably, and what is left of installs; the next state
   * begins at {@link Position#NONE}. Of the rows only those of the present range are removed.
   */
  public void remove() throws IOException {
    try (DatabaseBatch batch = context.database().batch()) {
      Optional<MetaRows.Base> base = context.meta().base(region);
      if (base.isPresent()) {
        batch.deleteRows(family, base.get().shape().range());
      }
      deleteSessions(batch);
      context.meta().deleteBase(batch, region);
      context.meta().deleteApplied(batch, region);
      context.meta().deleteInstallMarker(batch, region);
      context.database().write(batch);
    }
    context.flusher().flushAndAwait();
    dropStaging();
  }

  private Path staging(MetaRows.InstallMarker marker) {
    return context.staging().resolve(marker.staging());
  }

  /** Removes the rows of the present range and of the new one, and the sessions. */
  private void clear(KeyRange newRange) throws IOException {
    try (DatabaseBatch batch = context.database().batch()) {
      Optional<MetaRows.Base> base = context.meta().base(region);
      if (base.isPresent()) {
        batch.deleteRows(family, base.get().shape().range());
      }
      batch.deleteRows(family, newRange);
      deleteSessions(batch);
      context.database().write(batch);
    }
  }

  private void deleteSessions(DatabaseBatch batch) throws IOException {
    batch.deleteRange(
        Family.SESSIONS, SessionRows.regionStart(region), SessionRows.regionEnd(region));
  }

  private void ingest(Family into, List<Path> files) throws IOException {
    if (!files.isEmpty()) {
      context.database().ingest(into, files);
    }
  }

  private void dropStaging() throws IOException {
    List<Path> leftover;
    try (Stream<Path> all = Files.list(context.staging())) {
      leftover =
          all.filter(path -> path.getFileName().toString().startsWith(stagingPrefix())).toList();
    }
    for (Path path : leftover) {
      DurableFiles.deleteTree(path);
    }
  }

  private void reached(InstallStep step) throws IOException {
    step.done.reached(region);
  }
}
