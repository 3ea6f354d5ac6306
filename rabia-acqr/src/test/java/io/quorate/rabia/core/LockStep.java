package io.quorate.rabia.core;

import io.quorate.consensus.KeyScope;
import io.quorate.consensus.Member;
import io.quorate.model.Key;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.rabia.core.step.Effect;
import io.quorate.rabia.core.step.Input;
import io.quorate.rabia.core.step.Lsn;
import io.quorate.rabia.protocol.Checkpoint;
import io.quorate.rabia.protocol.Configuration;
import io.quorate.rabia.protocol.LogRecord;
import io.quorate.rabia.protocol.Message;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * A group in which every message takes exactly {@link #DELAY} and every fsync exactly {@link
 * #FSYNC}, so that delays and fsyncs can be counted and runs can be compared as transcripts.
 */
final class LockStep {
  static final long DELAY = 1_000_000;
  static final long FSYNC = 1_000;

  private record Event(long at, long number, NodeId node, Input input) {}

  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingLong(Event::at).thenComparingLong(Event::number));
  private final Map<NodeId, Replica> replicas = new LinkedHashMap<>();
  private final Map<NodeId, List<Effect.Send>> unsent = new LinkedHashMap<>();
  private final Map<NodeId, Lsn> durable = new LinkedHashMap<>();
  private final Map<NodeId, List<String>> executed = new LinkedHashMap<>();
  private final List<String> transcript = new ArrayList<>();
  private final List<NodeId> down = new ArrayList<>();
  private long now;
  private long number;
  private long countStart;
  private int messages;
  private int records;

  LockStep(int replicas, Settings settings) {
    List<Member> members = new ArrayList<>();
    for (int i = 1; i <= replicas; i++) {
      members.add(new Member(new NodeId("n" + i), InetSocketAddress.createUnresolved("n" + i, 1)));
    }
    Checkpoint initial = Checkpoint.initial(Configuration.first(members));
    for (Member member : members) {
      NodeId id = member.node();
      unsent.put(id, new ArrayList<>());
      durable.put(id, Lsn.START);
      executed.put(id, new ArrayList<>());
      this.replicas.put(
          id,
          new Replica(
              id, 0, settings, initial, Position.NONE, command -> KeyScope.key(Key.utf8("k"))));
      step(id, new Input.Started());
    }
    run(3 * DELAY);
    reset();
  }

  /** Settings without resends and status reports; only the rounds of the protocol send messages. */
  static Settings withoutResends(Settings.Policy policy) {
    long never = 1_000_000 * DELAY;
    return new Settings(
        policy,
        1024,
        new Settings.Timing(3 * DELAY, 3 * DELAY, never, 20 * DELAY, never, never),
        Settings.Bounds.DEFAULT);
  }

  /** Starts the counters, the times and the transcript anew. */
  void reset() {
    countStart = now;
    messages = 0;
    records = 0;
    transcript.clear();
  }

  Replica replica(String node) {
    return replicas.get(new NodeId(node));
  }

  NodeId replicaId(String node) {
    return new NodeId(node);
  }

  void crash(String node) {
    down.add(new NodeId(node));
  }

  void propose(String node, String command) {
    ByteBuffer bytes = ByteBuffer.wrap(command.getBytes(StandardCharsets.UTF_8));
    step(new NodeId(node), new Input.Propose(List.of(bytes)));
  }

  /** Advances the time by {@code duration} nanoseconds. */
  void run(long duration) {
    long end = now + duration;
    while (!events.isEmpty() && events.peek().at() <= end) {
      Event event = events.poll();
      now = event.at();
      step(event.node(), event.input());
    }
    now = end;
  }

  /** Sends a tick to every replica. */
  void tick() {
    List.copyOf(replicas.keySet()).forEach(node -> step(node, new Input.Tick()));
  }

  /** The number of messages sent, counted once for each receiver. */
  int messages() {
    return messages;
  }

  /** The number of records that were not written lazily. */
  int urgentRecords() {
    return records;
  }

  /** The slots that each replica has executed, as {@code slot@time}, without null slots. */
  Map<NodeId, List<String>> executed() {
    return executed;
  }

  List<String> transcript() {
    return transcript;
  }

  private void step(NodeId node, Input input) {
    if (down.contains(node)) {
      return;
    }
    if (input instanceof Input.Durable through) {
      durable.put(node, through.through());
      List<Effect.Send> waiting = unsent.put(node, new ArrayList<>());
      waiting.forEach(send -> send(node, send));
    }
    for (Effect effect : replicas.get(node).step(now, input)) {
      carryOut(node, effect);
    }
  }

  private void schedule(long delay, NodeId node, Input input) {
    events.add(new Event(now + delay, number++, node, input));
  }

  private void carryOut(NodeId node, Effect effect) {
    if (effect instanceof Effect.Persist persist) {
      schedule(FSYNC, node, new Input.Durable(persist.lsn()));
      if (!persist.lazily()) {
        records++;
        note(node + " writes " + describe(persist.record()));
      }
    } else if (effect instanceof Effect.Send send) {
      send(node, send);
    } else if (effect instanceof Effect.Execute execute) {
      execute.batch().ifPresent(b -> executed.get(node).add(execute.at() + "@" + time()));
      execute.batch().ifPresent(b -> note(node + " executes " + execute.at() + " " + b.id()));
      schedule(0, node, new Input.Executed(execute.at()));
    }
  }

  private void send(NodeId node, Effect.Send send) {
    if (send.after().isAfter(durable.get(node))) {
      unsent.get(node).add(send);
      return;
    }
    messages += send.to().size();
    note(node + " -> " + send.to() + " " + describe(send.message()));
    send.to().forEach(to -> schedule(DELAY, to, new Input.Received(node, send.message())));
  }

  /** Delays and fsyncs since {@link #reset}. */
  private String time() {
    long elapsed = now - countStart;
    return elapsed / DELAY + "d+" + elapsed % DELAY / FSYNC + "f";
  }

  private void note(String line) {
    transcript.add(time() + " " + line);
  }

  private static String describe(Message message) {
    if (message instanceof Message.Content m) {
      return "CONTENT " + m.at() + " " + m.batch().id();
    } else if (message instanceof Message.Request m) {
      return "REQUEST " + m.batch().id();
    } else if (message instanceof Message.Proposal m) {
      return "PROPOSAL " + m.at() + " " + m.id();
    } else if (message instanceof Message.Skip m) {
      return "SKIP " + m.from() + ".." + m.to();
    } else if (message instanceof Message.State m) {
      return "STATE " + m.at() + " " + m.phase() + " " + (m.one() ? 1 : 0) + " " + m.candidate();
    } else if (message instanceof Message.Vote m) {
      return "VOTE " + m.at() + " " + m.phase() + " " + m.ballot() + " " + m.candidate();
    } else if (message instanceof Message.Decision m) {
      return "DECISION " + m.at() + " " + m.id();
    }
    return message.toString();
  }

  private static String describe(LogRecord record) {
    if (record instanceof LogRecord.OfSlot ofSlot) {
      return record.getClass().getSimpleName() + " " + ofSlot.at();
    }
    return record.getClass().getSimpleName();
  }
}
