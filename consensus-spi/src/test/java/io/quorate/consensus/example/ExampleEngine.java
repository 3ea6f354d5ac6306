package io.quorate.consensus.example;

import io.quorate.consensus.Capabilities;
import io.quorate.consensus.ConsensusEngine;
import io.quorate.consensus.ConsensusGroup;
import io.quorate.consensus.EngineContext;
import io.quorate.consensus.GroupSpec;
import io.quorate.consensus.ReplicatedStateMachine;
import io.quorate.model.GroupId;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The replicas of one node. */
final class ExampleEngine implements ConsensusEngine {
  private final EngineContext context;
  private final Capabilities capabilities;

  /** Guarded by this, as is the field below. */
  private final Map<GroupId, ExampleGroup> groups = new HashMap<>();

  private boolean isClosed;

  ExampleEngine(EngineContext context, Capabilities capabilities) {
    this.context = context;
    this.capabilities = capabilities;
  }

  @Override
  public Capabilities capabilities() {
    return capabilities;
  }

  @Override
  public synchronized ConsensusGroup open(GroupSpec spec, ReplicatedStateMachine machine)
      throws IOException {
    ExampleGroup present = groups.get(spec.group());
    if (isClosed || present != null && !present.isClosed()) {
      throw new IllegalStateException("Group " + spec.group() + " is open, or this node is closed");
    }
    ExampleGroup group = new ExampleGroup(context, SharedLog.of(spec), machine);
    groups.put(spec.group(), group);
    return group;
  }

  @Override
  public synchronized void remove(GroupId group) {
    ExampleGroup removed = groups.remove(group);
    if (removed != null) {
      removed.close();
    }
    SharedLog.remove(context.cluster(), group, context.self());
  }

  @Override
  public void close() {
    List<ExampleGroup> open;
    synchronized (this) {
      isClosed = true;
      open = List.copyOf(groups.values());
    }
    open.forEach(ExampleGroup::close);
  }
}
