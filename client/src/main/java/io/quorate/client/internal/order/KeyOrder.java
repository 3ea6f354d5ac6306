package io.quorate.client.internal.order;

import io.quorate.client.internal.order.Turn.Place;
import io.quorate.model.Key;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * The order of calls, key by key. The turn of a write comes when every earlier write of each of its
 * keys has ended and is not in doubt. The turn of a read comes when the calls of the earlier writes
 * of its key have ended; nothing waits for a read.
 *
 * <p>A write in doubt keeps its places. While others wait behind it, it goes on for as long as the
 * first of these may wait.
 *
 * <p>Whoever calls bounds the calls that wait. A key takes memory only while a write to it waits,
 * goes on or is in doubt; the client bounds those in doubt. A turn comes in a task of its own, so
 * that no chain of calls becomes a chain of frames. Used by the event loop only.
 */
public final class KeyOrder {
  /** The pause before a write in doubt goes on that could not within the time that it was given. */
  private static final long AGAIN_MILLIS = 100;

  private static final Duration LEFT_MIN = Duration.ofMillis(1);

  private final ScheduledExecutorService loop;

  /** The last place of each key. */
  private final Map<Key, Place> last = new HashMap<>();

  private final Queue<Turn> due = new ArrayDeque<>();
  private boolean isDueScheduled;

  public KeyOrder(ScheduledExecutorService loop) {
    this.loop = loop;
  }

  /**
   * A write comes behind the earlier ones of its keys.
   *
   * @param keys without duplicates
   * @return whose turn {@linkplain Turn#hasCome may have come}, which the call is not told then
   */
  public Turn write(Collection<Key> keys, OrderedCall call) {
    Turn turn = new Turn(this, call, keys.size());
    for (Key key : keys) {
      Place place = new Place(key, turn, last.get(key));
      last.put(key, place);
      turn.places.add(place);
    }
    turn.places.forEach(this::goOnBefore);
    return turn;
  }

  /** As {@link #write}, for a read. */
  public Turn read(Key key, OrderedCall call) {
    Turn turn = new Turn(this, call, 0);
    Place place = last.get(key);
    if (place != null && isOpen(place)) {
      turn.behind = 1;
      join(place, turn);
    }
    return turn;
  }

  /** The keys that take memory. */
  public int keys() {
    return last.size();
  }

  private static boolean isOpen(Place place) {
    return place.turn.doubt.isEmpty();
  }

  private static void join(Place place, Turn reader) {
    if (place.readers == null) {
      place.readers = new LinkedHashSet<>();
    }
    place.readers.add(reader);
    reader.readers = place.readers;
  }

  void end(Turn turn) {
    turn.ended = true;
    if (turn.readers != null) {
      turn.readers.remove(turn);
    }
    turn.places.forEach(this::remove);
  }

  void endInDoubt(Turn turn, Doubt doubt) {
    turn.doubt = Optional.of(doubt);
    turn.places.forEach(place -> passReaders(place, null));
    doubt.whenEnded(end -> doubtEnded(turn, end.isGivenUp()));
    goOn(turn);
  }

  private void remove(Place place) {
    Place before = place.before;
    Place after = place.after;
    if (before != null) {
      before.after = after;
    }
    if (after != null) {
      after.before = before;
    } else if (before != null) {
      last.put(place.key, before);
    } else {
      last.remove(place.key);
    }
    passReaders(place, before);
    if (after != null && before == null) {
      step(after.turn);
    } else if (after != null) {
      goOnBefore(after);
    }
  }

  /**
   * @param before what the reads of a place wait for now; null for nothing
   */
  private void passReaders(Place place, Place before) {
    Set<Turn> readers = place.readers;
    place.readers = null;
    if (readers == null) {
      return;
    }
    if (before == null || !isOpen(before)) {
      readers.forEach(this::step);
    } else if (before.readers == null) {
      before.readers = readers;
    } else {
      boolean fewer = readers.size() < before.readers.size();
      Set<Turn> few = fewer ? readers : before.readers;
      before.readers = fewer ? before.readers : readers;
      few.forEach(reader -> join(before, reader));
    }
  }

  /** One place less is before it. */
  private void step(Turn turn) {
    if (--turn.behind > 0) {
      return;
    }
    due.add(turn);
    if (!isDueScheduled) {
      isDueScheduled = true;
      loop.execute(this::takeTurns);
    }
  }

  private void takeTurns() {
    isDueScheduled = false;
    for (int left = due.size(); left > 0; left--) {
      Turn turn = due.remove();
      if (!turn.ended) {
        turn.call.turnHasCome();
      }
    }
  }

  private void goOnBefore(Place place) {
    if (place.isBehindDoubt()) {
      goOn(place.before.turn);
    }
  }

  /** Goes on with a write in doubt, if another one waits for it. */
  private void goOn(Turn inDoubt) {
    if (inDoubt.ended || inDoubt.goesOn) {
      return;
    }
    Optional<OrderedCall> waiting =
        inDoubt.places.stream()
            .filter(place -> place.after != null)
            .map(place -> place.after.turn.call)
            .max(Comparator.comparing(OrderedCall::left));
    if (waiting.isEmpty()) {
      return;
    }
    inDoubt.goesOn = true;
    Duration left = waiting.get().left();
    inDoubt
        .doubt
        .orElseThrow()
        .outcome(left.compareTo(LEFT_MIN) < 0 ? LEFT_MIN : left)
        .whenComplete((outcome, failure) -> attempted(inDoubt, waiting.get()));
  }

  /** If the outcome is known, the end of the doubt is told apart. */
  private void attempted(Turn inDoubt, OrderedCall by) {
    long pauseMillis = by.left().compareTo(LEFT_MIN) < 0 ? 0 : AGAIN_MILLIS;
    loop.schedule(
        () -> {
          inDoubt.goesOn = false;
          goOn(inDoubt);
        },
        pauseMillis,
        TimeUnit.MILLISECONDS);
  }

  private void doubtEnded(Turn turn, boolean isGivenUp) {
    turn.ended = true;
    if (isGivenUp) {
      Set<OrderedCall> waiting = new LinkedHashSet<>();
      for (Place first : turn.places) {
        for (Place place = first.after; place != null; place = place.after) {
          waiting.add(place.turn.call);
        }
      }
      waiting.forEach(call -> call.turnNeverComes(Turn.givenUp()));
    }
    end(turn);
  }
}
