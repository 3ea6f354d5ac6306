package io.quorate.consensus;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The starts of a node from its present disk: how many there were, and what tells the last of them
 * apart. A node that has an older copy of its disk lacks the later ones, however often it has
 * started from the copy; others that have recorded one of them recognize it (decision 0063). Pure.
 *
 * @param number of the newest start; 0 if starts are not recorded
 * @param ids the random ids of the newest starts, the newest first; at most {@link #IDS_MAX}
 */
public record Starts(long number, List<Long> ids) {
  /** Of so many starts the ids are kept and presented. */
  public static final int IDS_MAX = 64;

  /** No start is recorded; nothing is concluded from that. */
  public static final Starts NONE = new Starts(0, List.of());

  /**
   * One start.
   *
   * @param number counted from 1
   * @param id random, so that two starts of the same number from two copies differ
   */
  public record Start(long number, long id) {}

  public Starts {
    ids = List.copyOf(ids);
    if (number < 0 || ids.size() != Math.min(number, IDS_MAX)) {
      throw new IllegalArgumentException(number + " starts with " + ids.size() + " ids");
    }
  }

  /** The starts after the next one. */
  public Starts next(long id) {
    List<Long> next = new ArrayList<>(IDS_MAX);
    next.add(id);
    next.addAll(ids.subList(0, Math.min(ids.size(), IDS_MAX - 1)));
    return new Starts(number + 1, next);
  }

  /** The newest one. */
  public Optional<Start> newest() {
    return number == 0 ? Optional.empty() : Optional.of(new Start(number, ids.get(0)));
  }

  /**
   * Whether the disk with these starts can have everything that it had at another start. False only
   * if it has not: it is an older copy of the disk, or a copy that was used elsewhere. True also
   * for a start so long ago that its id is not kept.
   */
  public boolean mayFollow(Start recorded) {
    if (number == 0) {
      return true;
    }
    long ago = number - recorded.number();
    return ago >= 0 && (ago >= ids.size() || ids.get((int) ago) == recorded.id());
  }
}
