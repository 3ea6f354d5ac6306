package io.quorate.model;

import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * What the users with this role may do. Users with several roles may do what any of them allows;
 * nothing is allowed otherwise.
 *
 * @param name has from 1 to 64 letters, digits and {@code . _ -}
 * @param grants what is allowed with rows
 * @param administration what is allowed with the cluster
 */
public record Role(String name, List<Grant> grants, Set<Administration> administration) {
  /** The name of {@link #admin()}. */
  public static final String ADMIN = "admin";

  private static final String NAME = "[A-Za-z0-9._-]{1,64}";

  /** What may be done with rows. An operation that reads and writes needs both. */
  public enum DataRight {
    /** Reads of single keys, and what a write tells of the value before it. */
    READ,
    /** Writes of single keys, deletes included. */
    WRITE,
    /** Reads of all rows in a range, and so which keys there are. */
    SCAN
  }

  /** What may be done with the cluster. Each includes {@link #STATUS}. */
  public enum Administration {
    /** Changes of the nodes. */
    NODES,
    /** Splits and merges of regions, moves of their replicas and leaderships. */
    REGIONS,
    /** Changes of users and roles. Who has this may give himself everything else. */
    USERS,
    /** Comparisons of the replicas of a region. */
    VERIFY,
    /** The state of the nodes and regions, the bounds of regions included, which are keys. */
    STATUS
  }

  /**
   * What is allowed with the keys that begin with a prefix.
   *
   * @param prefix {@link Key#EMPTY} for all keys
   */
  public record Grant(Key prefix, Set<DataRight> rights) {
    public Grant {
      Objects.requireNonNull(prefix, "prefix must not be null");
      rights = Set.copyOf(Objects.requireNonNull(rights, "rights must not be null"));
    }
  }

  public Role {
    requireName(name);
    grants = List.copyOf(Objects.requireNonNull(grants, "grants must not be null"));
    administration =
        Set.copyOf(Objects.requireNonNull(administration, "administration must not be null"));
  }

  /** The role of the first user of a cluster, which allows everything. */
  public static Role admin() {
    return new Role(
        ADMIN,
        List.of(new Grant(Key.EMPTY, Set.of(DataRight.values()))),
        Set.of(Administration.values()));
  }

  /**
   * Checks the name of a role or a user.
   *
   * @throws IllegalArgumentException if it is not valid; the message is a sentence
   */
  public static String requireName(String name) {
    if (!Objects.requireNonNull(name, "name must not be null").matches(NAME)) {
      throw new IllegalArgumentException(
          "The name of a role or a user has from 1 to 64 letters, digits, dots, underscores and"
              + " hyphens; it was \""
              + name
              + "\".");
    }
    return name;
  }
}
