package io.quorate.rabia.codec;

import io.quorate.consensus.Member;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.rabia.protocol.Ballot;
import io.quorate.rabia.protocol.Batch;
import io.quorate.rabia.protocol.BatchId;
import io.quorate.rabia.protocol.Body;
import io.quorate.rabia.protocol.Checkpoint;
import io.quorate.rabia.protocol.Checkpoint.ExecutedIncarnation;
import io.quorate.rabia.protocol.Configuration;
import io.quorate.rabia.protocol.Decided;
import io.quorate.rabia.protocol.LogRecord;
import io.quorate.rabia.protocol.Message;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;

/** Random messages and records; the bounds of value ranges are frequent. */
public final class RandomProtocol {
  private final Random random;

  public RandomProtocol(Random random) {
    this.random = random;
  }

  /** One message of every kind. */
  public List<Message> messages() {
    return List.of(
        new Message.Content(position(), batch()),
        new Message.Request(batch()),
        new Message.Proposal(position(), batchId()),
        skip(),
        new Message.State(position(), phase(), random.nextBoolean(), batchId()),
        new Message.Vote(position(), phase(), ballot(), batchId()),
        new Message.Decision(position(), batchId()),
        new Message.Inquiry(position(), phase()),
        new Message.FetchBody(position(), batchId()),
        new Message.FetchedBody(position(), batch()),
        new Message.FetchDecisions(number()),
        new Message.Decisions(number(), several(0, 5, this::decided)),
        new Message.SnapshotOffer(checkpoint()),
        new Message.Status(position()));
  }

  /** One record of every kind. */
  public List<LogRecord> records() {
    Decided proposed = decided();
    return List.of(
        reservation(),
        new LogRecord.Proposed(position(), proposed.id(), proposed.batch()),
        new LogRecord.StateChosen(position(), phase(), random.nextBoolean(), batchId()),
        new LogRecord.Voted(position(), phase(), ballot(), batchId()),
        new LogRecord.SlotDecided(position(), decided()),
        new LogRecord.Checkpointed(checkpoint(), reservation()));
  }

  private LogRecord.Reservation reservation() {
    return new LogRecord.Reservation(number(), number());
  }

  private Message.Skip skip() {
    return new Message.Skip(position(), number());
  }

  private long number() {
    return switch (random.nextInt(8)) {
      case 0 -> -1;
      case 1 -> Long.MAX_VALUE;
      case 2 -> Long.MIN_VALUE;
      case 3 -> random.nextLong();
      case 4 -> 0;
      default -> random.nextInt(1 << random.nextInt(31));
    };
  }

  private int phase() {
    return random.nextInt(10) == 0 ? Integer.MAX_VALUE : 1 + random.nextInt(300);
  }

  private Ballot ballot() {
    return Ballot.values()[random.nextInt(Ballot.values().length)];
  }

  public Position position() {
    return random.nextInt(10) == 0 ? Position.NONE : new Position(number(), number());
  }

  private NodeId node() {
    int length = random.nextInt(5) == 0 ? 64 : 1 + random.nextInt(8);
    StringBuilder name = new StringBuilder();
    for (int i = 0; i < length; i++) {
      name.append("abcXYZ019._-".charAt(random.nextInt(12)));
    }
    return new NodeId(name.toString());
  }

  private BatchId batchId() {
    return random.nextInt(4) == 0 ? BatchId.NONE : batch().id();
  }

  /** A batch of commands, which may be empty, or a reconfiguration. */
  public Batch batch() {
    Body body =
        random.nextInt(5) == 0
            ? new Body.Reconfiguration(number(), random.nextInt(3), members())
            : new Body.Commands(several(0, 6, this::command));
    return Batch.of(node(), number(), number() & Long.MAX_VALUE, number(), body);
  }

  private ByteBuffer command() {
    byte[] bytes = new byte[random.nextInt(4) == 0 ? 0 : random.nextInt(60)];
    random.nextBytes(bytes);
    ByteBuffer command = ByteBuffer.wrap(bytes);
    return random.nextBoolean() || bytes.length == 0 ? command : command.position(1);
  }

  private List<Member> members() {
    Map<NodeId, Member> members = new HashMap<>();
    for (int i = 0; i <= random.nextInt(Configuration.MEMBERS_MAX); i++) {
      NodeId node = node();
      String host = random.nextBoolean() ? "host-" + i + ".example" : "fe80::1%lö";
      int port = random.nextInt(1 << 16);
      members.put(node, new Member(node, InetSocketAddress.createUnresolved(host, port)));
    }
    return List.copyOf(members.values());
  }

  private Decided decided() {
    return switch (random.nextInt(3)) {
      case 0 -> Decided.NULL;
      case 1 -> new Decided(batchId(), Optional.empty());
      default -> decided(batch());
    };
  }

  private static Decided decided(Batch batch) {
    return new Decided(batch.id(), Optional.of(batch));
  }

  /** A random checkpoint, whose parts need not be consistent. */
  public Checkpoint checkpoint() {
    Map<NodeId, List<ExecutedIncarnation>> executed = new HashMap<>();
    for (int i = 0; i < random.nextInt(4); i++) {
      executed.put(node(), several(0, 4, this::executed));
    }
    return new Checkpoint(
        position(),
        several(1, 3, () -> new Configuration(number(), number(), members())),
        executed);
  }

  private ExecutedIncarnation executed() {
    return new ExecutedIncarnation(number(), number(), several(0, 5, this::number));
  }

  private <T> List<T> several(int min, int max, Supplier<T> one) {
    List<T> several = new ArrayList<>();
    for (int left = min + random.nextInt(max - min + 1); left > 0; left--) {
      several.add(one.get());
    }
    return several;
  }
}
