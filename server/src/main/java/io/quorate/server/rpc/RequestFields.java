package io.quorate.server.rpc;

import io.quorate.client.RegionEpoch;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.NodeId;
import java.util.function.Supplier;

/**
 * Fields of the requests of operators and nodes. Each method throws {@link RequestRejected} if the
 * field is invalid.
 */
final class RequestFields {
  private RequestFields() {}

  static NodeId node(String name) {
    return valid(() -> new NodeId(name));
  }

  static GroupId region(int number) {
    if (number < 0) {
      throw RequestRejected.invalid("A region's number is 0 or greater, not " + number + ".");
    }
    return new GroupId(number);
  }

  static RegionEpoch epoch(long value) {
    return valid(() -> new RegionEpoch(value));
  }

  private static <T> T valid(Supplier<T> field) {
    try {
      return field.get();
    } catch (IllegalArgumentException e) {
      throw RequestRejected.invalid(e.getMessage() + ".");
    }
  }
}
