package io.quorate.rabia.codec;

import io.netty.buffer.ByteBuf;
import io.quorate.common.DecodeException;
import io.quorate.rabia.protocol.Decided;
import io.quorate.rabia.protocol.Message;
import java.util.ArrayList;
import java.util.List;

/** The encoding of messages: a type byte, and the fields in order. Callable from any thread. */
public final class MessageCodec {
  private MessageCodec() {}

  /**
   * Appends the encoding, which contains no length and no end mark.
   *
   * @throws IllegalArgumentException if the message could not be decoded again: a batch under the
   *     id of another one, or a member whose address has been resolved. Part of the encoding may
   *     have been written.
   */
  public static void write(Message message, ByteBuf to) {
    write(message, new FieldWriter(to).oneByte(message.kind().code()));
  }

  private static FieldWriter write(Message message, FieldWriter out) {
    return switch (message.kind()) {
      case CONTENT -> {
        Message.Content content = (Message.Content) message;
        yield out.position(content.at()).batch(content.batch());
      }
      case REQUEST -> out.batch(((Message.Request) message).batch());
      case PROPOSAL -> {
        Message.Proposal proposal = (Message.Proposal) message;
        yield out.position(proposal.at()).batchId(proposal.id());
      }
      case SKIP -> {
        Message.Skip skip = (Message.Skip) message;
        yield out.position(skip.from()).signed(skip.to());
      }
      case STATE -> {
        Message.State state = (Message.State) message;
        out.position(state.at()).varint(state.phase());
        yield out.flag(state.one()).batchId(state.candidate());
      }
      case VOTE -> {
        Message.Vote vote = (Message.Vote) message;
        out.position(vote.at()).varint(vote.phase());
        yield out.ballot(vote.ballot()).batchId(vote.candidate());
      }
      case DECISION -> {
        Message.Decision decision = (Message.Decision) message;
        yield out.position(decision.at()).batchId(decision.id());
      }
      case INQUIRY -> {
        Message.Inquiry inquiry = (Message.Inquiry) message;
        yield out.position(inquiry.at()).varint(inquiry.phase());
      }
      case FETCH_BODY -> {
        Message.FetchBody fetch = (Message.FetchBody) message;
        yield out.position(fetch.at()).batchId(fetch.id());
      }
      case FETCHED_BODY -> {
        Message.FetchedBody fetched = (Message.FetchedBody) message;
        yield out.position(fetched.at()).batch(fetched.batch());
      }
      case FETCH_DECISIONS -> out.signed(((Message.FetchDecisions) message).from());
      case DECISIONS -> {
        Message.Decisions decisions = (Message.Decisions) message;
        out.signed(decisions.from()).varint(decisions.decided().size());
        decisions.decided().forEach(decided -> out.outcome(decided.id(), decided.batch()));
        yield out;
      }
      case SNAPSHOT_OFFER -> out.checkpoint(((Message.SnapshotOffer) message).checkpoint());
      case STATUS -> out.position(((Message.Status) message).executed());
    };
  }

  /**
   * Reads the single message between the indices of the buffer, and advances the reader index past
   * it. The message holds no reference to the buffer.
   *
   * @throws DecodeException if the bytes are not exactly one message
   */
  public static Message read(ByteBuf from) {
    FieldReader in = new FieldReader(from);
    return in.complete(read(kind(in.oneByte()), in));
  }

  private static Message.Kind kind(int code) {
    return Message.Kind.of(code)
        .orElseThrow(() -> new DecodeException("Unknown message type " + code + "."));
  }

  private static Message read(Message.Kind kind, FieldReader in) {
    return switch (kind) {
      case CONTENT -> new Message.Content(in.position(), in.batch());
      case REQUEST -> new Message.Request(in.batch());
      case PROPOSAL -> new Message.Proposal(in.position(), in.batchId());
      case SKIP -> new Message.Skip(in.position(), in.signed());
      case STATE -> new Message.State(in.position(), in.phase(), in.flag(), in.batchId());
      case VOTE -> new Message.Vote(in.position(), in.phase(), in.ballot(), in.batchId());
      case DECISION -> new Message.Decision(in.position(), in.batchId());
      case INQUIRY -> new Message.Inquiry(in.position(), in.phase());
      case FETCH_BODY -> new Message.FetchBody(in.position(), in.batchId());
      case FETCHED_BODY -> new Message.FetchedBody(in.position(), in.batch());
      case FETCH_DECISIONS -> new Message.FetchDecisions(in.signed());
      case DECISIONS -> new Message.Decisions(in.signed(), decided(in));
      case SNAPSHOT_OFFER -> new Message.SnapshotOffer(in.checkpoint());
      case STATUS -> new Message.Status(in.position());
    };
  }

  private static List<Decided> decided(FieldReader in) {
    List<Decided> decided = new ArrayList<>();
    for (int left = in.count(); left > 0; left--) {
      decided.add(in.outcome());
    }
    return decided;
  }
}
