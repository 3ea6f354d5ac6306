package io.quorate.replication.proposals;

import io.quorate.consensus.Command;
import io.quorate.consensus.ConsensusException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The commands of a group that wait to be proposed (ADR 0093). Users take turns, and so do the
 * connections of each: whoever has many commands waits for them himself. Those of one connection
 * leave in the order in which they came. Bounded in commands and bytes, and in time: a command that
 * would wait for longer than its caller does is refused as it comes; so is one behind a queue that
 * has stood still for so long. Pure; not thread-safe.
 *
 * @param <W> what waits
 */
public final class CommandQueue<W extends CommandQueue.Waiting> {
  /** What a command costs beside its bytes. */
  private static final int COMMAND_COST = 256;

  /** Whoever has this part of the bounds leaves as much to the others. */
  private static final int RESERVE_DIVISOR = 8;

  private static final Duration RETRY_AFTER_MIN = Duration.ofMillis(20);
  private static final Duration RETRY_AFTER_MAX = Duration.ofSeconds(1);

  private final String section;
  private final int commandsMax;
  private final long bytesMax;
  private final Map<Object, User<W>> users = new HashMap<>();
  private final Turns<User<W>> turns = new Turns<>();
  private final DrainRate rate = new DrainRate();
  private int commands;
  private long bytes;

  /** A command in a queue. */
  public interface Waiting {
    /** Whoever sent it. */
    Command.Source source();

    int bytes();
  }

  /** The connections of a user that have commands in the queue. */
  private static final class User<W extends Waiting> extends Turns.Taker {
    final Map<Command.Source, Flow<W>> flows = new HashMap<>();
    final Turns<Flow<W>> turns = new Turns<>();

    @Override
    long nextCost() {
      return turns.next().nextCost();
    }
  }

  /** The commands of a connection. */
  private static final class Flow<W extends Waiting> extends Turns.Taker {
    final ArrayDeque<W> waiting = new ArrayDeque<>();
    long bytes;

    @Override
    long nextCost() {
      return costOf(waiting.element().bytes());
    }

    long cost() {
      return bytes + (long) waiting.size() * COMMAND_COST;
    }
  }

  /**
   * @param section of the configuration that has the bounds, for messages
   * @param commandsMax maximum number of commands
   * @param bytesMax maximum bytes of all; a command may have more if no other one waits
   */
  public CommandQueue(String section, int commandsMax, long bytesMax) {
    this.section = section;
    this.commandsMax = commandsMax;
    this.bytesMax = bytesMax;
  }

  private static long costOf(int bytes) {
    return (long) bytes + COMMAND_COST;
  }

  /**
   * Why a command must not be added now.
   *
   * @param waitNanosMax as {@link Command#waitNanosMax}
   * @return empty if it may be
   */
  public Optional<ConsensusException> refusal(
      Command.Source source, int size, long waitNanosMax, long nowNanos) {
    if (commands == 0) {
      return Optional.empty();
    }
    User<W> user = users.get(source.user());
    Flow<W> flow = user == null ? null : user.flows.get(source);
    if (isFull(flow, size)) {
      return Optional.of(full());
    }
    long stalledNanos = rate.stalledNanos(nowNanos);
    if (stalledNanos > waitNanosMax) {
      return Optional.of(stalled(stalledNanos));
    }
    long waitNanos = rate.nanosFor(costBefore(user, flow, size));
    return waitNanos <= waitNanosMax
        ? Optional.empty()
        : Optional.of(tooLong(waitNanos, waitNanosMax));
  }

  /** The refusal by a bound in commands or bytes. */
  public ConsensusException full() {
    return new ConsensusException.Overloaded(
        "The queue of proposals is full ("
            + section
            + ".queue-commands-max, "
            + section
            + ".queue-size-max).",
        RETRY_AFTER_MIN);
  }

  /** Another replica may serve it: this one may hang. */
  private static ConsensusException stalled(long nanos) {
    return new ConsensusException.Unavailable(
        String.format(
            Locale.ROOT,
            "No write of this region has left the queue of this replica for %,d ms; this one had no"
                + " effect.",
            TimeUnit.NANOSECONDS.toMillis(nanos)));
  }

  private static ConsensusException tooLong(long waitNanos, long waitNanosMax) {
    Duration after = Duration.ofNanos(waitNanos - waitNanosMax);
    return new ConsensusException.Overloaded(
        String.format(
            Locale.ROOT,
            "The writes of this region that wait take about %,d ms, and this one may wait for %,d ms;"
                + " it had no effect.",
            TimeUnit.NANOSECONDS.toMillis(waitNanos),
            TimeUnit.NANOSECONDS.toMillis(waitNanosMax)),
        after.compareTo(RETRY_AFTER_MIN) < 0
            ? RETRY_AFTER_MIN
            : after.compareTo(RETRY_AFTER_MAX) > 0 ? RETRY_AFTER_MAX : after);
  }

  private boolean isFull(Flow<W> flow, int more) {
    boolean isLarge =
        flow != null
            && (flow.waiting.size() >= commandsMax / RESERVE_DIVISOR
                || flow.bytes >= bytesMax / RESERVE_DIVISOR);
    int commandsLeft = isLarge ? commandsMax / RESERVE_DIVISOR : 0;
    long bytesLeft = isLarge ? bytesMax / RESERVE_DIVISOR : 0;
    return commands >= commandsMax - commandsLeft || bytes + more > bytesMax - bytesLeft;
  }

  /** What leaves the queue until a command that comes now has, if all go on as now. */
  private long costBefore(User<W> user, Flow<W> flow, int more) {
    long all = bytes + (long) commands * COMMAND_COST;
    long own = flow == null ? 0 : flow.cost();
    long usersThen = turns.size() + (user == null ? 1 : 0);
    long flowsThen = user == null ? 1 : user.turns.size() + (flow == null ? 1 : 0);
    return costOf(more) + Math.min(all, own + (own + costOf(more)) * (usersThen * flowsThen - 1));
  }

  /** Adds a command, whatever {@link #refusal} says. */
  public void add(W command, long nowNanos) {
    if (commands == 0) {
      rate.begin(nowNanos);
    }
    User<W> user = users.get(command.source().user());
    if (user == null) {
      user = new User<>();
      users.put(command.source().user(), user);
    }
    Flow<W> flow = user.flows.get(command.source());
    if (flow == null) {
      flow = new Flow<>();
      user.flows.put(command.source(), flow);
    }
    boolean isFirst = flow.waiting.isEmpty();
    flow.waiting.add(command);
    flow.bytes += command.bytes();
    commands++;
    bytes += command.bytes();
    if (isFirst) {
      if (user.turns.size() == 0) {
        turns.join(user);
      }
      user.turns.join(flow);
    }
  }

  /** What leaves next; null if the queue is empty. */
  public W peek() {
    return commands == 0 ? null : turns.next().turns.next().waiting.element();
  }

  /** Removes what leaves next; null if the queue is empty. */
  public W poll(long nowNanos) {
    if (commands == 0) {
      return null;
    }
    User<W> user = turns.next();
    Flow<W> flow = user.turns.next();
    W command = flow.waiting.remove();
    long cost = costOf(command.bytes());
    flow.bytes -= command.bytes();
    commands--;
    bytes -= command.bytes();
    rate.drained(cost, nowNanos);
    user.turns.pay(cost);
    turns.pay(cost);
    if (flow.waiting.isEmpty()) {
      user.turns.leave();
      user.flows.remove(command.source());
      if (user.turns.size() == 0) {
        turns.leave();
        users.remove(command.source().user());
      }
    }
    return command;
  }

  public int size() {
    return commands;
  }

  public boolean isEmpty() {
    return commands == 0;
  }

  /** Of the commands, without what they cost beside. */
  public long bytes() {
    return bytes;
  }
}
