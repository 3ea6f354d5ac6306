package io.quorate.server.access;

import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.Role;
import io.quorate.model.Role.Administration;
import io.quorate.model.Role.DataRight;
import io.quorate.protocol.operation.Operation;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * What somebody may do: everything, or what some roles allow. Immutable. The methods return why
 * something is refused, as the rest of a sentence about him that names nothing but what he has
 * named himself; empty if it is allowed.
 */
public final class Permissions {
  public static final Permissions EVERYTHING = new Permissions(true, List.of());
  public static final Permissions NOTHING = new Permissions(false, List.of());

  private final boolean isAll;
  private final KeyRanges reads;
  private final KeyRanges writes;
  private final KeyRanges scans;
  private final Set<Administration> administration = EnumSet.noneOf(Administration.class);

  private Permissions(boolean isAll, Collection<Role> roles) {
    this.isAll = isAll;
    this.reads = ranges(roles, DataRight.READ);
    this.writes = ranges(roles, DataRight.WRITE);
    this.scans = ranges(roles, DataRight.SCAN);
    roles.forEach(role -> administration.addAll(role.administration()));
    if (!administration.isEmpty()) {
      administration.add(Administration.STATUS);
    }
  }

  static Permissions of(Collection<Role> roles) {
    return new Permissions(false, roles);
  }

  private static KeyRanges ranges(Collection<Role> roles, DataRight right) {
    return KeyRanges.of(
        roles.stream()
            .flatMap(role -> role.grants().stream())
            .filter(grant -> grant.rights().contains(right))
            .map(grant -> KeyRange.ofPrefix(grant.prefix()))
            .toList());
  }

  /** Whether nothing is refused, so that nothing need be hidden. */
  public boolean isEverything() {
    return isAll;
  }

  /** Whether the bounds of all regions may be seen. */
  public boolean seesCluster() {
    return administer(Administration.STATUS).isEmpty();
  }

  /** The keys of which this allows anything. */
  KeyRanges visible() {
    return reads.and(writes).and(scans);
  }

  /** A read of one key. */
  public Optional<String> read(Key key) {
    return isAll || reads.contains(key) ? Optional.empty() : Optional.of("may not read " + key);
  }

  /** A read of all rows in a range. */
  public Optional<String> scan(KeyRange range) {
    return isAll || scans.covers(range)
        ? Optional.empty()
        : Optional.of("may not scan all of " + range);
  }

  public Optional<String> administer(Administration what) {
    return isAll || administration.contains(what)
        ? Optional.empty()
        : Optional.of(
            "may not use what needs the right \"" + what.name().toLowerCase(Locale.ROOT) + "\"");
  }

  /** An operation of a client, with all its parts. */
  public Optional<String> execute(Operation operation) {
    if (isAll) {
      return Optional.empty();
    }
    return switch (operation.kind()) {
      case PUT, DELETE, APPEND, INCREMENT -> write(((Operation.OnKey) operation).key());
      // What they return is of the value before, and so is whether they take effect.
      case INCREMENT_AND_GET, GET_AND_PUT, COMPARE_AND_SET -> {
        Key key = ((Operation.OnKey) operation).key();
        yield write(key).or(() -> read(key));
      }
      case BATCH ->
          ((Operation.Batch) operation)
              .operations().stream().map(this::execute).flatMap(Optional::stream).findFirst();
      // An entry of the log, and so for those alone who may cause entries.
      case END_SESSION ->
          writes.isEmpty() ? Optional.of("may not write anything") : Optional.empty();
      case EXPIRE_SESSIONS, PUT_BODY, RESOLVED, SPLIT, FREEZE, UNFREEZE, ABSORB, DIGEST ->
          Optional.of("may not use what only servers do");
    };
  }

  private Optional<String> write(Key key) {
    return writes.contains(key) ? Optional.empty() : Optional.of("may not write " + key);
  }
}
