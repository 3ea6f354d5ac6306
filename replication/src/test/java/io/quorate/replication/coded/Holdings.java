package io.quorate.replication.coded;

import io.quorate.consensus.BodyId;
import io.quorate.consensus.BodyReference;
import io.quorate.consensus.BodyStorage;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.replication.coded.round.HeldBody;
import io.quorate.replication.erasure.ErasureCodes;
import io.quorate.replication.erasure.ValueCoder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** What the stores of all replicas hold of one body, read without the engine. */
public final class Holdings {
  private static final ErasureCodes CODES = new ErasureCodes();

  private final BodyLayout layout;
  private final Map<NodeId, HeldBody> parts = new TreeMap<>();
  private final List<String> damaged = new ArrayList<>();

  private Holdings(BodyLayout layout) {
    this.layout = layout;
  }

  /** Reads the stores. Blocks on the disk. */
  public static Holdings of(
      GroupId group, BodyReference reference, Map<NodeId, ? extends BodyStorage> stores)
      throws IOException {
    Holdings holdings = new Holdings(BodyLayout.of(reference));
    BodyId id = reference.in(group);
    for (Map.Entry<NodeId, ? extends BodyStorage> store : stores.entrySet()) {
      Optional<HeldBody> held = store.getValue().get(id).map(HeldBody::of);
      held.ifPresent(part -> holdings.add(store.getKey(), part));
    }
    return holdings;
  }

  private void add(NodeId node, HeldBody part) {
    if (FoundParts.isIntact(part, layout.header())) {
      parts.put(node, part);
    } else {
      damaged.add(node + " has a damaged " + part.form() + " " + part.index());
    }
  }

  /** The parts that do not match their checksums. */
  public List<String> damaged() {
    return damaged;
  }

  /** The body as these nodes restore it; empty if what they hold does not suffice. */
  public Optional<ByteBuffer> restore(List<NodeId> nodes) throws IOException {
    FoundParts found = new FoundParts(layout.header());
    nodes.stream().map(parts::get).filter(part -> part != null).forEach(found::add);
    return found.areSufficient()
        ? Optional.of(found.restore(new ValueCoder(CODES::code)))
        : Optional.empty();
  }

  @Override
  public String toString() {
    Map<NodeId, String> forms = new TreeMap<>();
    parts.forEach((node, part) -> forms.put(node, part.form() + " " + part.index()));
    return forms + " " + damaged;
  }
}
