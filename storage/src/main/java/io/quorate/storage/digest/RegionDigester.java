package io.quorate.storage.digest;

import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import io.quorate.protocol.operation.RegionDigest;
import io.quorate.storage.context.StorageContext;
import io.quorate.storage.read.RowsGate;
import io.quorate.storage.rocks.Family;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/** The digests of one region. Any thread; nothing blocks. */
public final class RegionDigester {
  private final StorageContext context;
  private final Digests digests;
  private final RowsGate gate;
  private final GroupId group;
  private final Family family;

  public RegionDigester(
      StorageContext context, Digests digests, RowsGate gate, GroupId group, Family family) {
    this.context = context;
    this.digests = digests;
    this.gate = gate;
    this.group = group;
    this.family = family;
  }

  /**
   * Begins the digest of the state that is in the database now. To be called by the thread that has
   * applied a request for it, before it applies more.
   *
   * @param position the position of the state
   * @param range the keys of the region, also while it is frozen
   */
  public void begin(Position position, KeyRange range, List<Key> bounds) {
    digests.add(new DigestRun(context, gate, group, family, position, range, bounds));
  }

  /** The newest digest since the start; empty if there is none. */
  public Optional<RegionDigest> newest() {
    return digests.newest(group);
  }

  /** What part of a digest is computed, 0 to 1; empty if none is to be. */
  public OptionalDouble progress() {
    return digests.progress(group);
  }

  /** Forgets the newest digest: the state is removed. */
  public void forget() {
    digests.forget(group);
  }
}
