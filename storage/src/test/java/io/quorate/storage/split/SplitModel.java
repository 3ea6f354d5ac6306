package io.quorate.storage.split;

import io.quorate.storage.split.ModelRegion.Command;
import io.quorate.storage.split.ModelRegion.Outcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Regions with replicas on three nodes, and clients, under a random scheduler: requests and
 * responses are lost, delayed and repeated, nodes crash and lose what they have not flushed,
 * replicas lag, regions split, sessions expire, and clients learn of splits at any time. Consensus
 * is not modelled: a group has one log. A violation ends the run with an exception.
 */
final class SplitModel {
  /** A request on its way to a group; the client accepts the response unless the copy is stray. */
  private record Copy(int group, Command.Add add, boolean isStray) {}

  private record Response(Command.Add add, Outcome outcome) {}

  /** A position of the log of a group. */
  private record At(int group, int index) {}

  private static final int NODES = 3;
  private static final int CLIENTS = 3;
  private static final int KEYS = 16;
  private static final int STEPS = 4_000;

  private final class Node {
    Map<Integer, ModelRegion> states = new TreeMap<>();
    Map<Integer, ModelRegion> durable = new TreeMap<>();

    /** The groups of which the node has a log; durable. */
    final Set<Integer> opened = new TreeSet<>();

    void open(int group) {
      if (!is(SplitMutation.OPEN_WITHOUT_BASE)) {
        flush();
      }
      opened.add(group);
    }

    void flush() {
      durable = copy(states);
    }

    void crash() {
      states = copy(durable);
      for (int group : opened) {
        // What a group without a state begins with.
        states.computeIfAbsent(group, any -> new ModelRegion(group, ranges.get(group), KEYS));
      }
    }

    void apply(int group) {
      ModelRegion state = states.get(group);
      List<Tagged> log = logs.get(group);
      if (!opened.contains(group) || state.applied + 1 >= log.size()) {
        return;
      }
      Tagged next = log.get(state.applied + 1);
      if (next.command() instanceof Command.Split split) {
        state.childOf(split, mutation).ifPresent(child -> states.put(split.child(), child));
      }
      Outcome outcome = state.apply(next.command(), mutation);
      if (next.command() instanceof Command.Expire expire) {
        require(state.inactiveSince(expire.before()).isEmpty(), "an inactive session stays");
      }
      applied(new At(group, state.applied), next, outcome);
    }
  }

  /** A command with the request for which it is in the log. */
  private record Tagged(Command command, boolean isStray) {}

  private final Optional<SplitMutation> mutation;
  private final Random random;
  private final List<Node> nodes = new ArrayList<>();
  private final List<ModelClient> clients = new ArrayList<>();
  private final Map<Integer, List<Tagged>> logs = new TreeMap<>();
  private final Map<Integer, Integer> ranges = new HashMap<>();
  private final Map<At, Outcome> outcomes = new HashMap<>();
  private final List<Copy> network = new ArrayList<>();
  private final List<Copy> sent = new ArrayList<>();
  private final List<Response> responses = new ArrayList<>();
  private final Map<Integer, Integer> expected = new TreeMap<>();
  private final Set<String> executed = new HashSet<>();

  /** The regions by their first keys: of the newest splits, and as region 0 publishes them. */
  private final TreeMap<Integer, Integer> truth = new TreeMap<>(Map.of(0, 1));

  private TreeMap<Integer, Integer> published = new TreeMap<>(truth);

  SplitModel(long seed, Optional<SplitMutation> mutation) {
    this.random = new Random(seed);
    this.mutation = mutation;
    logs.put(1, new ArrayList<>());
    ranges.put(1, 0);
    for (int i = 0; i < NODES; i++) {
      Node node = new Node();
      node.states.put(1, new ModelRegion(1, 0, KEYS));
      node.open(1);
      node.flush();
      nodes.add(node);
    }
    for (int i = 0; i < CLIENTS; i++) {
      clients.add(new ModelClient(i, published, mutation));
    }
  }

  private boolean is(SplitMutation expectedMutation) {
    return mutation.equals(Optional.of(expectedMutation));
  }

  private static void require(boolean holds, String rule) {
    if (!holds) {
      throw new Violation(rule);
    }
  }

  private static Map<Integer, ModelRegion> copy(Map<Integer, ModelRegion> states) {
    Map<Integer, ModelRegion> copy = new TreeMap<>();
    states.forEach((group, state) -> copy.put(group, state.copy()));
    return copy;
  }

  /**
   * Runs the schedule.
   *
   * @throws Violation if a write takes effect twice or is forgotten, replicas differ, or a session
   *     does not expire
   */
  void run() {
    for (int i = 0; i < STEPS; i++) {
      step();
    }
    finish();
    Map<Integer, Integer> rows = new TreeMap<>();
    for (Node node : nodes) {
      rows.clear();
      node.states.values().forEach(state -> rows.putAll(state.rows));
      require(rows.equals(expected), "the sums are exact: " + rows + " for " + expected);
    }
  }

  private void step() {
    Node node = nodes.get(random.nextInt(NODES));
    ModelClient client = clients.get(random.nextInt(CLIENTS));
    switch (random.nextInt(40)) {
      case 0 -> split();
      case 1 -> published = new TreeMap<>(truth);
      case 2 -> client.learn(published);
      case 3 -> node.states.keySet().forEach(group -> openIfBegun(node, group));
      case 4 -> node.flush();
      case 5 -> {
        if (random.nextInt(3) == 0) {
          node.crash();
        }
      }
      case 6 -> expire();
      case 7 -> stray();
      case 8, 9, 10, 11 -> begin(client);
      case 12, 13, 14, 15, 16 -> send(client);
      case 17, 18, 19, 20, 21 -> deliver();
      case 22, 23, 24, 25, 26 -> respond();
      default -> node.apply(any(node.opened));
    }
  }

  private int any(Set<Integer> groups) {
    return List.copyOf(groups).get(random.nextInt(groups.size()));
  }

  private void openIfBegun(Node node, int group) {
    if (!node.opened.contains(group) && random.nextBoolean()) {
      node.open(group);
    }
  }

  private boolean serves(int group) {
    return nodes.stream().filter(node -> node.opened.contains(group)).count() > NODES / 2;
  }

  private void append(int group, Command command, boolean isStray) {
    if (serves(group)) {
      logs.get(group).add(new Tagged(command, isStray));
    }
  }

  /** One split at a time is planned: the one before is applied somewhere. */
  private void split() {
    int at = random.nextInt(KEYS);
    Map.Entry<Integer, Integer> whole = truth.floorEntry(at);
    int child = logs.size() + 1;
    if (whole.getKey() != at && serves(whole.getValue()) && logs.size() < 8) {
      append(whole.getValue(), new Command.Split(at, child), false);
      logs.put(child, new ArrayList<>());
      ranges.put(child, at);
      Node first = nodes.get(random.nextInt(NODES));
      while (first.opened.contains(whole.getValue()) && !first.states.containsKey(child)) {
        first.apply(whole.getValue());
      }
      truth.put(at, child);
    }
  }

  private void begin(ModelClient client) {
    client
        .begin(random.nextInt(KEYS))
        .ifPresent(write -> expected.merge(write.key, 1, Integer::sum));
  }

  private void send(ModelClient client) {
    List<ModelClient.Write> writes = List.copyOf(client.outstanding.values());
    if (!writes.isEmpty()) {
      ModelClient.Write write = writes.get(random.nextInt(writes.size()));
      Copy copy = new Copy(client.regionOf(write), client.command(write), false);
      network.add(copy);
      sent.add(copy);
    }
  }

  private void deliver() {
    if (!network.isEmpty()) {
      int index = random.nextInt(network.size());
      Copy copy = random.nextInt(4) == 0 ? network.get(index) : network.remove(index);
      append(copy.group(), copy.add(), copy.isStray());
    }
  }

  /** A copy of any request arrives at the region that has the key now. */
  private void stray() {
    if (!sent.isEmpty()) {
      Command.Add add = sent.get(random.nextInt(sent.size())).add();
      append(truth.floorEntry(add.key()).getValue(), add, true);
    }
  }

  /** The first replica that applies a command responds. */
  private void applied(At at, Tagged command, Outcome outcome) {
    Outcome before = outcomes.putIfAbsent(at, outcome);
    if (before != null) {
      require(before == outcome, "replicas compute one outcome");
    } else if (command.command() instanceof Command.Add add) {
      if (outcome == Outcome.EXECUTED) {
        require(
            executed.add(add.client() + ":" + add.sequence()), "a write takes effect once: " + add);
      }
      if (!command.isStray()) {
        responses.add(new Response(add, outcome));
      }
    }
  }

  private void respond() {
    if (!responses.isEmpty()) {
      Response response = responses.remove(random.nextInt(responses.size()));
      if (random.nextInt(4) > 0) {
        receive(response);
      }
    }
  }

  private void receive(Response response) {
    ModelClient client = clients.get(response.add().client());
    ModelClient.Write write = client.outstanding.get(response.add().sequence());
    if (write == null) {
      return;
    }
    switch (response.outcome()) {
      case EXECUTED, REPEATED -> client.end(write);
      case OUT_OF_RANGE -> client.learn(published);
      case FORGOTTEN, BEYOND_WINDOW, DONE ->
          throw new Violation(response.outcome() + " for an outstanding write: " + response.add());
    }
  }

  /**
   * Sessions of clients without outstanding writes expire when no copy of their requests is left,
   * as that takes longer than any copy exists.
   */
  private void expire() {
    int group = any(logs.keySet());
    ModelRegion state = nodes.get(0).states.get(group);
    if (state == null || !serves(group) || state.applied + 1 < logs.get(group).size()) {
      return;
    }
    int before = random.nextInt(logs.get(group).size() + 1);
    List<Integer> inactive = state.inactiveSince(before);
    if (inactive.stream().allMatch(client -> clients.get(client).outstanding.isEmpty())) {
      network.removeIf(copy -> inactive.contains(copy.add().client()));
      sent.removeIf(copy -> inactive.contains(copy.add().client()));
      append(group, new Command.Expire(before), false);
    }
  }

  /** Ends all faults: every write completes, and every replica applies everything. */
  private void finish() {
    published = new TreeMap<>(truth);
    applyAll();
    for (int round = 0; clients.stream().anyMatch(client -> !client.outstanding.isEmpty()); ) {
      require(round++ < 1_000, "every write ends once faults end");
      for (ModelClient client : clients) {
        client.learn(published);
        List.copyOf(client.outstanding.values())
            .forEach(write -> append(client.regionOf(write), client.command(write), false));
      }
      applyAll();
      responses.forEach(this::receive);
      responses.clear();
    }
  }

  private void applyAll() {
    for (Node node : nodes) {
      for (int group : logs.keySet()) {
        if (node.states.containsKey(group)) {
          node.open(group);
        }
        while (node.opened.contains(group)
            && node.states.get(group).applied + 1 < logs.get(group).size()) {
          node.apply(group);
        }
      }
    }
  }
}
