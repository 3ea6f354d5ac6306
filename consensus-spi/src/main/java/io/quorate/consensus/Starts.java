package io.quorate.consensus;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The starts of a node from its present disk: how many there were, and what tells the last of them
 * apart. A node renews its start while it runs. A node that has an older copy of its disk lacks the
 * later starts, and the later renewals of the one in which the copy was taken, however often it has
 * started from the copy; others that have recorded one of them recognize it (decision 0063). Pure.
 *
 * @param number of the newest start; 0 if starts are not recorded
 * @param runs of the newest starts, the newest first; at most {@link #KEPT_MAX}
 */
public record Starts(long number, List<Run> runs) {
  /** The name of the host's record of the starts, also in the engine's directory. */
  public static final String FILE = "starts";

  public static final String DRAFT = FILE + ".draft";

  /** So many starts are kept and presented. */
  public static final int KEPT_MAX = 64;

  /** Whether a file in the engine's directory is the host's record, or a draft of it. */
  public static boolean isRecord(Path file) {
    String name = file.getFileName().toString();
    return name.equals(FILE) || name.equals(DRAFT);
  }

  /** No start is recorded; nothing is concluded from that. */
  public static final Starts NONE = new Starts(0, List.of());

  /**
   * What is kept of a start.
   *
   * @param id random, so that two starts of the same number from two copies differ
   * @param renewals how often the node has renewed it; final once there is a later start
   */
  public record Run(long id, int renewals) {
    public Run {
      if (renewals < 0) {
        throw new IllegalArgumentException(renewals + " renewals of a start");
      }
    }
  }

  /**
   * One start, as far as it was renewed.
   *
   * @param number counted from 1
   */
  public record Start(long number, long id, int renewals) {}

  public Starts {
    runs = List.copyOf(runs);
    if (number < 0 || runs.size() != Math.min(number, KEPT_MAX)) {
      throw new IllegalArgumentException(number + " starts, of which " + runs.size() + " are kept");
    }
  }

  /** The starts after the next one. */
  public Starts next(long id) {
    List<Run> next = new ArrayList<>(KEPT_MAX);
    next.add(new Run(id, 0));
    next.addAll(runs.subList(0, Math.min(runs.size(), KEPT_MAX - 1)));
    return new Starts(number + 1, next);
  }

  /** The starts after the newest one was renewed once more; none if there are none. */
  public Starts renewed() {
    if (number == 0) {
      return this;
    }
    List<Run> renewed = new ArrayList<>(runs);
    renewed.set(0, new Run(runs.get(0).id(), Math.incrementExact(runs.get(0).renewals())));
    return new Starts(number, renewed);
  }

  /** The newest one. */
  public Optional<Start> newest() {
    return number == 0
        ? Optional.empty()
        : Optional.of(new Start(number, runs.get(0).id(), runs.get(0).renewals()));
  }

  /**
   * Whether the disk with these starts can have everything that it had at another start. False only
   * if it has not: it is an older copy of the disk, or a copy that was used elsewhere. True also
   * for a start so long ago that it is not kept.
   *
   * <p>Renewals are compared from the next start on only. A running node tells them on several
   * connections, which have no order, so these starts may have been sent before the renewal that
   * was recorded; and a node that was started from a copy has a later start.
   */
  public boolean mayFollow(Start recorded) {
    if (number == 0) {
      return true;
    }
    long ago = number - recorded.number();
    if (ago < 0 || ago >= runs.size()) {
      return ago >= 0;
    }
    Run run = runs.get((int) ago);
    return run.id() == recorded.id() && (ago == 0 || run.renewals() >= recorded.renewals());
  }

  /** Whether the newest of these starts, as far as it was renewed, is after one of this disk. */
  public boolean isAfter(Start recorded) {
    return number > recorded.number()
        || number == recorded.number() && runs.get(0).renewals() > recorded.renewals();
  }
}
