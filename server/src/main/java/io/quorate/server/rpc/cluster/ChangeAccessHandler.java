package io.quorate.server.rpc.cluster;

import io.quorate.protocol.wire.v1.ChangeAccessRequest;
import io.quorate.server.access.AccessRequests;
import io.quorate.server.rpc.request.Request;
import io.quorate.server.rpc.request.RequestHandler;
import io.quorate.server.rpc.request.RequestRejected;
import java.util.Optional;
import java.util.concurrent.Executor;

/** Changes users and roles, for operators. */
final class ChangeAccessHandler implements RequestHandler {
  private final MetadataLookup metadataLookup;
  private final Optional<AccessRequests> requests;
  private final Executor readers;

  /**
   * @param requests empty in a cluster without security
   * @param readers execute what reads the disk
   */
  ChangeAccessHandler(
      MetadataLookup metadataLookup, Optional<AccessRequests> requests, Executor readers) {
    this.metadataLookup = metadataLookup;
    this.requests = requests;
    this.readers = readers;
  }

  @Override
  public void handle(Request request) {
    AccessRequests changes =
        requests.orElseThrow(
            () ->
                RequestRejected.invalid(
                    "This cluster has no security, so that anyone may do everything; set"
                        + " security.certificates first."));
    ChangeAccessRequest message = request.message(ChangeAccessRequest.parser());
    request.describe(subject(message));
    changes.change(metadataLookup.serving(), message, readers).whenComplete(request::end);
  }

  private static String subject(ChangeAccessRequest message) {
    return switch (message.getChangeCase()) {
      case SET_ROLE -> "set role " + message.getSetRole().getName();
      case SET_USER ->
          "set user "
              + message.getSetUser().getName()
              + " with roles "
              + String.join(",", message.getSetUser().getRolesList());
      case REMOVE_ROLE -> "remove role " + message.getRemoveRole();
      case REMOVE_USER -> "remove user " + message.getRemoveUser();
      case LIST -> "list";
      case CHANGE_NOT_SET -> "nothing";
    };
  }
}
