package io.quorate.storage.snapshot;

import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.protocol.operation.ClientId;
import io.quorate.protocol.operation.Operation;
import io.quorate.storage.command.AbsorbedState;
import io.quorate.storage.command.RegionShape;
import io.quorate.storage.context.StorageContext;
import io.quorate.storage.options.Keyspace;
import io.quorate.storage.rocks.Database;
import io.quorate.storage.rocks.Family;
import io.quorate.storage.rocks.MetaRows;
import io.quorate.storage.rocks.NativeScope;
import io.quorate.storage.session.MovedSession;
import io.quorate.storage.session.Session;
import io.quorate.storage.session.SessionFence;
import io.quorate.storage.session.SessionRows;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.rocksdb.ReadOptions;
import org.rocksdb.Snapshot;

/** Reads the state of a small region for the one that absorbs it. Blocks. */
public final class MergeExport {
  private final StorageContext context;
  private final GroupId region;
  private final Family family;

  public MergeExport(StorageContext context, GroupId region, Keyspace keyspace) {
    this.context = context;
    this.region = region;
    this.family = Family.of(keyspace);
  }

  /**
   * Reads shape, rows and sessions at one position. Stops, without contents, when these exceed the
   * maximum.
   *
   * @throws IOException if the database cannot be read, or there is no state
   */
  public MergeState read() throws IOException {
    try (NativeScope scope = context.database().child("merge export")) {
      Snapshot snapshot = context.database().snapshot(scope);
      ReadOptions view = context.database().readOptions(scope, snapshot);
      RegionShape shape =
          context
              .meta()
              .base(region, view)
              .map(MetaRows.Base::shape)
              .orElseThrow(() -> new IOException("Region " + region + " has no state yet."));
      int bytes = Operation.Absorb.STATE_BYTES_MAX - 2 * Integer.BYTES;
      Optional<List<AbsorbedState.Row>> rows = rows(scope, snapshot, shape.range(), bytes);
      if (rows.isEmpty()) {
        return new MergeState(shape, Optional.empty());
      }
      SessionFence fence =
          SessionFence.ofRow(
              region, context.database().get(Family.SESSIONS, SessionRows.fenceKey(region), view));
      int left = bytes - fence.size() - rows.get().stream().mapToInt(AbsorbedState.Row::size).sum();
      Optional<ByteBuffer> contents =
          sessions(scope, snapshot, view, left)
              .map(sessions -> new AbsorbedState(rows.get(), fence, sessions).encoded());
      return new MergeState(shape, contents);
    }
  }

  /** Empty if they take more bytes than are left. */
  private Optional<List<AbsorbedState.Row>> rows(
      NativeScope scope, Snapshot snapshot, KeyRange range, int bytes) throws IOException {
    List<AbsorbedState.Row> rows = new ArrayList<>();
    int left = bytes;
    Database.Cursor cursor =
        context
            .database()
            .cursor(
                scope,
                family,
                range.start().bytes(),
                range.end().map(Key::bytes),
                Optional.of(snapshot));
    for (; cursor.isAtRow(); cursor.next()) {
      AbsorbedState.Row row =
          new AbsorbedState.Row(Key.wrap(cursor.key()), ByteBuffer.wrap(cursor.value()));
      left -= row.size();
      if (left < 0) {
        return Optional.empty();
      }
      rows.add(row);
    }
    return Optional.of(rows);
  }

  /** Empty if they take more bytes than are left. */
  private Optional<List<MovedSession>> sessions(
      NativeScope scope, Snapshot snapshot, ReadOptions view, int bytes) throws IOException {
    List<MovedSession> sessions = new ArrayList<>();
    int left = bytes;
    Database.Cursor cursor =
        context
            .database()
            .cursor(
                scope,
                Family.SESSIONS,
                SessionRows.regionStart(region),
                Optional.of(SessionRows.sessionsEnd(region)),
                Optional.of(snapshot));
    for (; cursor.isAtRow(); cursor.next()) {
      ClientId client = SessionRows.client(cursor.key());
      MovedSession session = session(client, SessionRows.decode(cursor.value()), view);
      left -= session.size();
      if (left < 0) {
        return Optional.empty();
      }
      sessions.add(session);
    }
    return Optional.of(sessions);
  }

  private MovedSession session(ClientId client, Session session, ReadOptions view)
      throws IOException {
    SortedMap<Long, byte[]> results = new TreeMap<>(session.results());
    for (long sequence : session.ownRows()) {
      byte[] result =
          context
              .database()
              .get(Family.SESSIONS, SessionRows.resultKey(region, client, sequence), view)
              .orElseThrow(() -> new IOException("A stored result of " + client + " is missing."));
      results.put(sequence, result);
    }
    return new MovedSession(client, session.floor(), results);
  }
}
