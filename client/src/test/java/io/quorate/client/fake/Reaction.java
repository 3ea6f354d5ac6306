package io.quorate.client.fake;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.quorate.client.wire.DataFrames;
import io.quorate.client.wire.Status;
import io.quorate.client.wire.v1.Failure;
import io.quorate.consensus.quorum.ReadReply;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** What a node does with a request instead of answering it properly. Called on its event loop. */
@FunctionalInterface
public interface Reaction {
  void to(FakeRequest request);

  /** Refuses without doing anything. */
  static Reaction refuse(Status status) {
    return refuse(status, Failure.newBuilder().setMessage("scripted " + status).build());
  }

  /** Refuses without doing anything. */
  static Reaction refuse(Status status, Failure failure) {
    return request -> request.refuse(status, failure);
  }

  /** Gives this share. */
  static Reaction share(ReadReply<Optional<byte[]>> share) {
    return request -> {
      ByteBuf body = Unpooled.buffer();
      DataFrames.writeShare(body, share, 0);
      request.respond(Status.OK, body);
    };
  }

  /** Does it and answers that it does not know whether it did. */
  static Reaction executeThenRefuse(Status status) {
    return request -> {
      request.execute();
      request.refuse(status, Failure.newBuilder().setMessage("scripted " + status).build());
    };
  }

  /** Closes the connection without doing anything. */
  static Reaction drop() {
    return FakeRequest::drop;
  }

  /** Does it, and closes the connection instead of answering. */
  static Reaction executeThenDrop() {
    return request -> {
      request.execute();
      request.drop();
    };
  }

  /** Never answers. */
  static Reaction swallow() {
    return request -> {};
  }

  /** Does it and never answers. */
  static Reaction executeThenSwallow() {
    return FakeRequest::execute;
  }

  /** Sends these bytes instead of an answer. */
  static Reaction send(byte[] bytes) {
    return request -> request.sendRaw(bytes);
  }

  /** Answers nothing until {@code count} requests have come, then all of them, the last first. */
  static Reaction gather(int count) {
    List<FakeRequest> held = new ArrayList<>();
    return request -> {
      held.add(request);
      if (held.size() == count) {
        Collections.reverse(held);
        held.forEach(FakeRequest::answer);
        held.clear();
      }
    };
  }
}
