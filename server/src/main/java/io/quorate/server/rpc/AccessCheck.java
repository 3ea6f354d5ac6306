package io.quorate.server.rpc;

import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.Role.Administration;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Status;
import io.quorate.server.access.Permissions;
import io.quorate.server.access.Principal;
import io.quorate.server.rpc.request.Request;
import io.quorate.server.rpc.request.RequestRejected;
import java.util.Optional;
import java.util.function.Function;

/**
 * Refuses what somebody may not do, before anything of the database is looked at: what a request is
 * about by its opcode, and which rows it is about where it is routed. Every request passes here.
 */
final class AccessCheck {
  private AccessCheck() {}

  /** What a request does with rows. */
  sealed interface Need {
    Optional<String> refusal(Permissions permissions);
  }

  /** Reads one key. */
  record Read(Key key) implements Need {
    @Override
    public Optional<String> refusal(Permissions permissions) {
      return permissions.read(key);
    }
  }

  /** Reads all rows in a range. */
  record Scan(KeyRange range) implements Need {
    @Override
    public Optional<String> refusal(Permissions permissions) {
      return permissions.scan(range);
    }
  }

  /** Executes an operation. */
  record Write(Operation operation) implements Need {
    @Override
    public Optional<String> refusal(Permissions permissions) {
      return permissions.execute(operation);
    }
  }

  /**
   * @throws RequestRejected if the request is of a kind that its sender may not use
   */
  static void require(Request request) {
    require(request, kind(request.opcode()));
    request.admit();
  }

  /**
   * @throws RequestRejected if the sender of the request may not do this
   */
  static void require(Request request, Need need) {
    require(request, need::refusal);
  }

  private static void require(Request request, Function<Permissions, Optional<String>> refusal) {
    Principal sender = request.sender();
    Permissions permissions = sender.permissions();
    if (permissions.isEverything()) {
      return;
    }
    Optional<String> reason = refusal.apply(permissions);
    if (reason.isEmpty()) {
      return;
    }
    throw sender.isDecided()
        ? RequestRejected.of(
            Status.DENIED, "Access is denied: " + sender + " " + reason.get() + ".")
        : RequestRejected.elsewhere("This node does not know the users of the cluster yet.");
  }

  private static Function<Permissions, Optional<String>> kind(Opcode opcode) {
    return switch (opcode) {
      case HELLO, AUTHENTICATE, TOPOLOGY -> permissions -> Optional.empty();
      // Their handlers say what they need of which rows.
      case WRITE, GET, SCAN, SCAN_REVERSE, READ_REPLY -> permissions -> Optional.empty();
      case STATUS -> administer(Administration.STATUS);
      case CHANGE_NODES -> administer(Administration.NODES);
      case TRANSFER_LEADER, MOVE_REPLICA, SPLIT_REGION, MERGE_REGION ->
          administer(Administration.REGIONS);
      case VERIFY_REGION -> administer(Administration.VERIFY);
      case CHANGE_ACCESS -> administer(Administration.USERS);
      case ACCESS, CONFIRM_PLAN -> permissions -> Optional.of("may not use what only nodes do");
    };
  }

  private static Function<Permissions, Optional<String>> administer(Administration what) {
    return permissions -> permissions.administer(what);
  }
}
