package io.quorate.rabia.codec;

import io.netty.buffer.ByteBuf;
import io.quorate.operation.DecodeException;
import io.quorate.rabia.protocol.Decided;
import io.quorate.rabia.protocol.Message;
import java.util.ArrayList;
import java.util.List;

/** The encoding of messages: a type byte, and the fields in order. Callable from any thread. */
public final class MessageCodec {
  private static final int CONTENT = 1;
  private static final int REQUEST = 2;
  private static final int PROPOSAL = 3;
  private static final int SKIP = 5;
  private static final int STATE = 6;
  private static final int VOTE = 7;
  private static final int DECISION = 8;
  private static final int INQUIRY = 9;
  private static final int FETCH_BODY = 10;
  private static final int FETCHED_BODY = 11;
  private static final int FETCH_DECISIONS = 12;
  private static final int DECISIONS = 13;
  private static final int SNAPSHOT_OFFER = 14;
  private static final int STATUS = 15;

  private MessageCodec() {}

  /**
   * Appends the encoding, which contains no length and no end mark.
   *
   * @throws IllegalArgumentException if the message could not be decoded again: a batch under the
   *     id of another one, or a member whose address has been resolved. Part of the encoding may
   *     have been written.
   */
  public static void write(Message message, ByteBuf to) {
    FieldWriter out = new FieldWriter(to);
    if (message instanceof Message.OfSlot ofSlot) {
      write(ofSlot, out);
    } else if (message instanceof Message.Request request) {
      out.oneByte(REQUEST).batch(request.batch());
    } else if (message instanceof Message.Skip skip) {
      out.oneByte(SKIP).position(skip.from()).signed(skip.to());
    } else if (message instanceof Message.FetchDecisions fetch) {
      out.oneByte(FETCH_DECISIONS).signed(fetch.from());
    } else if (message instanceof Message.Decisions decisions) {
      out.oneByte(DECISIONS).signed(decisions.from()).varint(decisions.decided().size());
      decisions.decided().forEach(decided -> out.outcome(decided.id(), decided.batch()));
    } else if (message instanceof Message.SnapshotOffer offer) {
      out.oneByte(SNAPSHOT_OFFER).checkpoint(offer.checkpoint());
    } else if (message instanceof Message.Status status) {
      out.oneByte(STATUS).position(status.executed());
    }
  }

  private static void write(Message.OfSlot message, FieldWriter out) {
    if (message instanceof Message.Content content) {
      out.oneByte(CONTENT).position(content.at()).batch(content.batch());
    } else if (message instanceof Message.Proposal proposal) {
      out.oneByte(PROPOSAL).position(proposal.at()).batchId(proposal.id());
    } else if (message instanceof Message.State state) {
      out.oneByte(STATE)
          .position(state.at())
          .varint(state.phase())
          .flag(state.one())
          .batchId(state.candidate());
    } else if (message instanceof Message.Vote vote) {
      out.oneByte(VOTE).position(vote.at()).varint(vote.phase());
      out.ballot(vote.ballot()).batchId(vote.candidate());
    } else if (message instanceof Message.Decision decision) {
      out.oneByte(DECISION).position(decision.at()).batchId(decision.id());
    } else if (message instanceof Message.Inquiry inquiry) {
      out.oneByte(INQUIRY).position(inquiry.at()).varint(inquiry.phase());
    } else if (message instanceof Message.FetchBody fetch) {
      out.oneByte(FETCH_BODY).position(fetch.at()).batchId(fetch.id());
    } else if (message instanceof Message.FetchedBody fetched) {
      out.oneByte(FETCHED_BODY).position(fetched.at()).batch(fetched.batch());
    }
  }

  /**
   * Reads the single message between the indices of the buffer, and advances the reader index past
   * it. The message holds no reference to the buffer.
   *
   * @throws DecodeException if the bytes are not exactly one message
   */
  public static Message read(ByteBuf from) {
    FieldReader in = new FieldReader(from);
    return in.complete(read(in.oneByte(), in));
  }

  private static Message read(int type, FieldReader in) {
    return switch (type) {
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
      default -> throw new DecodeException("Unknown message type " + type + ".");
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
