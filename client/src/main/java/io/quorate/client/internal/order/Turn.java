package io.quorate.client.internal.order;

import io.quorate.client.Durations;
import io.quorate.client.UnavailableException;
import io.quorate.model.Key;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The part of one call in a {@link KeyOrder}. Used by the event loop only. */
public final class Turn {
  /** The place of a write among those of one key. */
  static final class Place {
    final Key key;
    final Turn turn;
    // Null if there is none.
    Place before;
    Place after;

    /**
     * The reads that wait until this write and those before it have ended; null if there are none.
     */
    Set<Turn> readers;

    Place(Key key, Turn turn, Place before) {
      this.key = key;
      this.turn = turn;
      this.before = before;
      if (before != null) {
        before.after = this;
        turn.behind++;
      }
    }

    boolean isBehindDoubt() {
      return before != null && before.turn.doubt.isPresent();
    }
  }

  private final KeyOrder order;
  final OrderedCall call;

  /** One for each key of a write; none of a read. */
  final List<Place> places;

  /** The places that are not the first of their keys; of a read, 1 while it waits. */
  int behind;

  boolean ended;

  /** Of a write whose call has ended and left it in doubt: it keeps its places. */
  Optional<Doubt> doubt = Optional.empty();

  /** Whether the write in doubt goes on, for the sake of one that waits. */
  boolean goesOn;

  /** Those with which a read waits; null unless it waits. */
  Set<Turn> readers;

  Turn(KeyOrder order, OrderedCall call, int keys) {
    this.order = order;
    this.call = call;
    this.places = new ArrayList<>(keys);
  }

  public boolean hasCome() {
    return behind == 0;
  }

  /** To be called when the call has ended and, if it is a write, no copy of it takes effect now. */
  public void end() {
    order.end(this);
  }

  /** To be called instead of {@link #end} when the call has ended and its write may take effect. */
  public void endInDoubt(Doubt left) {
    order.endInDoubt(this, left);
  }

  /** The failure of a call whose deadline passes before its turn. */
  public UnavailableException expired(Duration deadline) {
    String obstacle =
        places.stream()
            .filter(place -> place.before != null)
            .max(Comparator.comparing(Place::isBehindDoubt))
            .map(Turn::obstacle)
            .orElse("an earlier write to its key has not ended.");
    return new UnavailableException(
        "The call was not sent within "
            + Durations.text(deadline)
            + " and has had no effect, since calls of this client are in order and "
            + obstacle);
  }

  private static String obstacle(Place place) {
    return place.isBehindDoubt()
        ? "the outcome of an earlier write to " + place.key + " is unknown."
        : "an earlier write to " + place.key + " has not ended.";
  }

  /** The failure of a call that waits for a write which the client gives up. */
  static UnavailableException givenUp() {
    return new UnavailableException(
        "The call was not sent and has had no effect, since calls of this client are in order and"
            + " the outcome of an earlier write to its key can never be known.");
  }
}
