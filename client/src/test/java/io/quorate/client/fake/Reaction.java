package io.quorate.client.fake;

import com.google.protobuf.InvalidProtocolBufferException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.quorate.protocol.wire.DataFrames;
import io.quorate.protocol.wire.Status;
import io.quorate.protocol.wire.v1.Failure;
import io.quorate.protocol.wire.v1.NodeStatus;
import io.quorate.quorum.ReadReply;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** The scripted reaction of a node to a request. Called on the event loop of the node. */
@FunctionalInterface
public interface Reaction {
  void to(FakeRequest request);

  /** Responds with an error and does not execute the request. */
  static Reaction refuse(Status status) {
    return refuse(status, Failure.newBuilder().setMessage("scripted " + status).build());
  }

  /** Responds with an error and does not execute the request. */
  static Reaction refuse(Status status, Failure failure) {
    return request -> request.refuse(status, failure);
  }

  /** Responds with this read reply. */
  static Reaction readReply(ReadReply<Optional<byte[]>> reply) {
    return request -> {
      ByteBuf body = Unpooled.buffer();
      DataFrames.writeReply(body, reply, 0);
      request.respond(Status.OK, body);
    };
  }

  /** Responds to a request for the status with a changed one. */
  static Reaction changedStatus(Consumer<NodeStatus.Builder> change) {
    return request -> {
      try {
        NodeStatus.Builder status = NodeStatus.parseFrom(request.execute().nioBuffer()).toBuilder();
        change.accept(status);
        request.respond(Status.OK, Unpooled.wrappedBuffer(status.build().toByteArray()));
      } catch (InvalidProtocolBufferException e) {
        throw new IllegalStateException(e);
      }
    };
  }

  /** Executes the request and responds with an error. */
  static Reaction executeThenRefuse(Status status) {
    return request -> {
      request.execute();
      request.refuse(status, Failure.newBuilder().setMessage("scripted " + status).build());
    };
  }

  /** Closes the connection and does not execute the request. */
  static Reaction drop() {
    return FakeRequest::drop;
  }

  /** Executes the request and closes the connection without a response. */
  static Reaction executeThenDrop() {
    return request -> {
      request.execute();
      request.drop();
    };
  }

  /** Neither executes the request nor responds. */
  static Reaction swallow() {
    return request -> {};
  }

  /** Executes the request and does not respond. */
  static Reaction executeThenSwallow() {
    return FakeRequest::execute;
  }

  /** Sends these bytes instead of a response. */
  static Reaction send(byte[] bytes) {
    return request -> request.sendRaw(bytes);
  }

  /** Waits for {@code count} requests, then serves all of them in reverse order. */
  static Reaction gather(int count) {
    List<FakeRequest> held = new ArrayList<>();
    return request -> {
      held.add(request);
      if (held.size() == count) {
        Collections.reverse(held);
        held.forEach(FakeRequest::serve);
        held.clear();
      }
    };
  }
}
