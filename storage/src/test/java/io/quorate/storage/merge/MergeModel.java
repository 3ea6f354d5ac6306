package io.quorate.storage.merge;

import static io.quorate.storage.split.Violation.require;

import io.quorate.model.GroupId;
import io.quorate.model.Position;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.RequestId;
import io.quorate.storage.command.AbsorbedState;
import io.quorate.storage.split.Violation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/**
 * Regions with replicas on three nodes, and clients, under a random scheduler: regions split and
 * merge, replicas lag and skip commands by snapshots, requests and responses are lost and late,
 * nodes know the topology of any time and propose what was planned then, late and repeatedly.
 * Consensus is not modelled: a region has one log. Nothing is lost at a node. What a command does
 * is decided by the classes of the state machine. A violation ends the run with an exception.
 */
final class MergeModel {
  private record Proposal(GroupId region, Operation operation) {}

  private record Response(RequestId tag, MergeNode.Decision decision) {}

  private static final GroupId FIRST = new GroupId(1);
  private static final int NODES = 3;
  private static final int CLIENTS = 3;
  private static final int CLIENTS_IN_ALL_MAX = 9;
  private static final int REGIONS_MAX = 5;
  private static final int UNDER_WAY_MAX = 12;
  private static final int STEPS = 2_000;
  private static final int ROUNDS_MAX = 60;

  private final Optional<MergeMutation> mutation;
  private final Random random;

  /** Whether clients end, and children inherit a part of the sessions: in every other schedule. */
  private final boolean sessionsEnd;

  /** The largest state that can be absorbed: some keys, and some results of each client. */
  private final int stateBytesMax;

  private final RegionLogs logs = new RegionLogs(FIRST);
  private final ModelHistory history = new ModelHistory();
  private final List<MergeNode> nodes = new ArrayList<>();

  /** Also those that are closed. */
  private final List<MergeClient> clients = new ArrayList<>();

  private final List<MergeClient> open = new ArrayList<>();

  /** The chance of each node to apply, of 8; so some are behind for a while. */
  private final int[] speeds = new int[NODES];

  private final List<MergeClient.Request> requests = new ArrayList<>();
  private final List<Response> responses = new ArrayList<>();
  private final List<Proposal> proposals = new ArrayList<>();
  private final List<MergeNode.Snapshot> snapshots = new ArrayList<>();
  private ModelTopology topology = ModelTopology.of(FIRST);

  MergeModel(long seed, Optional<MergeMutation> mutation) {
    this.random = new Random(seed);
    this.sessionsEnd = seed % 2 == 0;
    this.mutation = mutation;
    this.stateBytesMax = 130 + random.nextInt(120);
    for (int i = 0; i < NODES; i++) {
      nodes.add(new MergeNode(FIRST, logs, this::decided, !sessionsEnd, mutation));
      speeds[i] = 8;
    }
    for (int i = 0; i < CLIENTS; i++) {
      open();
    }
  }

  private void open() {
    MergeClient client = new MergeClient(clients.size(), topology, history, mutation);
    clients.add(client);
    open.add(client);
  }

  /** Another client takes the place of one that is closed. */
  private void close(MergeClient client) {
    if (clients.size() < CLIENTS_IN_ALL_MAX) {
      client.close(random).forEach(request -> keep(requests, request));
      open.remove(client);
      open();
    }
  }

  private boolean is(MergeMutation expected) {
    return mutation.equals(Optional.of(expected));
  }

  /**
   * Runs the schedule.
   *
   * @throws Violation if a write takes effect twice or is lost, a region ends or stays that should
   *     not, two regions have the same key, or a plan does not end
   */
  void run() {
    for (int i = 0; i < STEPS; i++) {
      step();
    }
    int rounds = 0;
    do {
      require(rounds++ < ROUNDS_MAX, () -> "everything ends once faults end: " + topology);
      finish();
    } while (!isQuiet());
    for (MergeNode node : nodes) {
      node.requireExact(history);
    }
    for (ModelTopology.Region region : topology.regions()) {
      require(
          nodes.stream()
                  .map(node -> node.contents(node.replicas().get(region.id())).encoded())
                  .distinct()
                  .count()
              == 1,
          () -> "the replicas of region " + region.id() + " are equal");
    }
  }

  private void step() {
    MergeNode node = any(nodes);
    MergeClient client = any(open);
    switch (random.nextInt(47)) {
      case 0, 1 -> plan();
      case 2, 3, 4 -> node.learn(topology);
      case 5, 6 -> client.learn(topology);
      case 7, 8, 9, 10, 11, 12 -> carryOut(node);
      case 13, 14, 15 -> deliverProposal();
      case 16 -> node.removeAbsorbed();
      case 17 -> anyReplica(node).ifPresent(replica -> keep(snapshots, node.snapshot(replica)));
      case 18, 19 -> installSnapshot(node);
      case 20 -> changeSpeedOrAbandon(client);
      case 21, 22, 23, 24, 25, 26 -> client.begin(1 + random.nextInt(ModelKeys.COUNT));
      case 27, 28, 29 -> client.sendAny(random).ifPresent(request -> keep(requests, request));
      case 30, 31, 32 -> deliverRequest();
      case 33, 34, 35 -> respond();
      case 36 -> node.applyBehind();
      case 37 -> expire(node);
      default -> apply(random.nextInt(NODES));
    }
  }

  private void changeSpeedOrAbandon(MergeClient client) {
    if (random.nextInt(4) == 0) {
      client.abandonAny(random);
    } else if (sessionsEnd && random.nextInt(4) == 0) {
      close(client);
    } else {
      speeds[random.nextInt(NODES)] = random.nextInt(9);
    }
  }

  /** Adds to what is under way, of which any may be lost. */
  private <T> void keep(List<T> underWay, T added) {
    if (underWay.size() == UNDER_WAY_MAX) {
      underWay.remove(random.nextInt(UNDER_WAY_MAX));
    }
    underWay.add(added);
  }

  private <T> T any(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  private Optional<MergeReplica> anyReplica(MergeNode node) {
    List<MergeReplica> replicas = List.copyOf(node.replicas().values());
    return replicas.isEmpty() ? Optional.empty() : Optional.of(any(replicas));
  }

  private void apply(int index) {
    if (random.nextInt(8) < speeds[index]) {
      anyReplica(nodes.get(index))
          .ifPresent(
              replica -> {
                for (int left = 1 + random.nextInt(3); left > 0; left--) {
                  nodes.get(index).apply(replica);
                }
              });
      nodes.get(index).requireNewest(history);
    }
  }

  private void decided(MergeNode.Decision decision) {
    RegionLog.Entry entry = decision.entry();
    RequestId tag = entry.command().tag();
    if (entry.command().operation() instanceof Operation.Increment increment) {
      if (decision.outcome() == Outcome.EXECUTED) {
        history.executed(tag, ModelKeys.number(increment.key()));
      }
      responses.add(new Response(tag, decision));
    }
  }

  /** Region 0 plans; with numbers from one sequence, and one plan of a region at a time. */
  private void plan() {
    int regions = topology.regions().size();
    ModelTopology next = topology;
    if (regions > 1 && random.nextInt(REGIONS_MAX) < regions - 1) {
      next = topology.mergePlanned(1 + random.nextInt(regions - 1));
    } else if (regions < REGIONS_MAX) {
      next = topology.splitPlanned(ModelKeys.key(1 + random.nextInt(ModelKeys.COUNT)));
    }
    topology = next;
    topology.plans().forEach(logs::planned);
  }

  /** A node does what is next for a plan that it knows. */
  private void carryOut(MergeNode node) {
    List<ModelTopology.Plan> plans = node.known().plans();
    if (!plans.isEmpty()) {
      carryOut(node, any(plans), random.nextBoolean());
    }
  }

  private void carryOut(MergeNode node, ModelTopology.Plan plan, boolean isForFirst) {
    if (plan instanceof ModelTopology.Plan.Merge merge) {
      MergeReplica replica = node.replicas().get(isForFirst ? merge.into() : merge.absorbed());
      if (replica != null && isForFirst) {
        absorb(node, merge, replica);
      } else if (replica != null) {
        freeze(node, merge, replica);
      }
      return;
    }
    ModelTopology.Plan.Split split = (ModelTopology.Plan.Split) plan;
    for (ModelTopology.Region region : node.known().regions()) {
      MergeReplica replica = node.replicas().get(region.id());
      if (region.plan().equals(Optional.of(plan)) && replica != null) {
        if (replica.shape.newestChange().compareTo(split.number()) >= 0) {
          topology = topology.completed(split);
        } else {
          propose(replica, new Operation.Split(split.at(), split.number()));
        }
      }
    }
  }

  private void absorb(MergeNode node, ModelTopology.Plan.Merge merge, MergeReplica into) {
    if (into.shape.newestChange().compareTo(merge.number()) >= 0) {
      topology = topology.completed(merge);
      return;
    }
    MergeReplica absorbed = node.replicas().get(merge.absorbed());
    if (absorbed == null) {
      return;
    }
    boolean isReady =
        is(MergeMutation.ABSORB_BEFORE_FREEZE)
            ? logs.of(absorbed.region).shape().newestChange().equals(merge.number())
            : absorbed.isFrozenBy(merge.number());
    AbsorbedState contents = node.contents(absorbed);
    if (isReady && !isTooLarge(contents)) {
      propose(
          into, new Operation.Absorb(merge.number(), absorbed.shape.range(), contents.encoded()));
    }
  }

  private void freeze(MergeNode node, ModelTopology.Plan.Merge merge, MergeReplica absorbed) {
    boolean isPast = absorbed.shape.newestChange().compareTo(merge.number()) >= 0;
    if (isPast && !absorbed.shape.isFrozen()) {
      topology = topology.givenUp(merge);
      return;
    }
    boolean isFrozen = absorbed.isFrozenBy(merge.number());
    boolean isTooLarge = isTooLarge(node.contents(absorbed));
    if (isFrozen && (isTooLarge || is(MergeMutation.GIVE_UP_ON_TIMEOUT))
        || isTooLarge && is(MergeMutation.GIVE_UP_BEFORE_FREEZE)) {
      propose(absorbed, new Operation.Unfreeze(merge.number()));
    } else if (!isFrozen) {
      propose(absorbed, new Operation.Freeze(merge.number()));
    }
  }

  private boolean isTooLarge(AbsorbedState state) {
    return state.encoded().remaining() > stateBytesMax;
  }

  private void propose(MergeReplica replica, Operation operation) {
    keep(proposals, new Proposal(replica.region, operation));
  }

  private void deliverProposal() {
    if (!proposals.isEmpty()) {
      int index = random.nextInt(proposals.size());
      Proposal next = random.nextInt(3) == 0 ? proposals.get(index) : proposals.remove(index);
      append(next);
    }
  }

  private void append(Proposal proposal) {
    append(proposal.region(), new ClientCommand(RequestId.NONE, proposal.operation()), 0);
  }

  /** Requests to regions without replicas are lost. */
  private void append(GroupId region, ClientCommand command, long attempt) {
    if (nodes.stream().anyMatch(node -> node.replicas().containsKey(region))) {
      logs.of(region).add(new RegionLog.Entry(command, attempt));
    }
  }

  /** Sessions expire at any position that a node has applied: nothing depends on the time. */
  private void expire(MergeNode node) {
    if (random.nextInt(3) == 0) {
      anyReplica(node)
          .filter(replica -> replica.applied >= 0)
          .ifPresent(
              replica -> {
                long before = 1 + random.nextInt(replica.applied + 1);
                propose(replica, new Operation.ExpireSessions(new Position(1, before)));
              });
    }
  }

  private void deliverRequest() {
    if (!requests.isEmpty()) {
      MergeClient.Request request = requests.remove(random.nextInt(requests.size()));
      append(request.region(), request.command(), request.attempt());
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
    clients.get((int) response.tag().client().low()).receive(response.tag(), response.decision());
  }

  private void installSnapshot(MergeNode node) {
    if (!snapshots.isEmpty()) {
      MergeNode.Snapshot snapshot = any(snapshots);
      if (node.isLater(snapshot)) {
        node.install(snapshot);
        node.requireNewest(history);
      }
    }
  }

  /** A round without faults. */
  private void finish() {
    for (MergeNode node : nodes) {
      node.learn(topology);
      for (ModelTopology.Plan plan : node.known().plans()) {
        carryOut(node, plan, true);
        carryOut(node, plan, false);
      }
      node.removeAbsorbed();
    }
    proposals.forEach(this::append);
    proposals.clear();
    for (MergeClient client : clients) {
      client.learn(topology);
      requests.addAll(client.sendAll());
    }
    while (!requests.isEmpty()) {
      deliverRequest();
    }
    for (MergeNode node : nodes) {
      node.applyBehind();
      for (MergeReplica replica : List.copyOf(node.replicas().values())) {
        while (node.replicas().get(replica.region) == replica && node.apply(replica)) {
          // Until another region has the keys, or nothing is left.
        }
      }
      node.requireNewest(history);
    }
    replaceMissing();
    responses.forEach(this::receive);
    responses.clear();
  }

  /** Replicas that a node lacks, or that cannot apply their logs, receive snapshots. */
  private void replaceMissing() {
    Map<GroupId, MergeNode.Snapshot> newest = new HashMap<>();
    for (MergeNode node : nodes) {
      for (MergeReplica replica : node.replicas().values()) {
        if (node.isNewest(replica)) {
          newest.computeIfAbsent(replica.region, any -> node.snapshot(replica));
        }
      }
    }
    for (MergeNode node : nodes) {
      newest.values().stream().filter(node::isLater).forEach(node::install);
    }
  }

  private boolean isQuiet() {
    return topology.plans().isEmpty()
        && clients.stream().allMatch(MergeClient::isIdle)
        && nodes.stream()
            .allMatch(
                node ->
                    node.replicas().size() == topology.regions().size()
                        && node.replicas().values().stream().allMatch(node::isNewest));
  }
}
