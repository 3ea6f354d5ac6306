package io.quorate.storage.digest;

import io.quorate.consensus.GroupId;
import io.quorate.consensus.Key;
import io.quorate.consensus.KeyRange;
import io.quorate.consensus.Position;
import io.quorate.operation.RegionDigest;
import io.quorate.storage.context.StorageContext;
import io.quorate.storage.read.RowsGate;
import io.quorate.storage.rocks.Family;
import java.util.List;
import java.util.Optional;

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

  /** Whether a digest is computed, or waits. */
  public boolean isComputing() {
    return digests.isComputing(group);
  }

  /** Forgets the newest digest: the state is removed. */
  public void forget() {
    digests.forget(group);
  }
}
