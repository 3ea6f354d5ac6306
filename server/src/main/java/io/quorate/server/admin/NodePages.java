package io.quorate.server.admin;

import io.quorate.client.InvalidRequestException;
import io.quorate.client.QuorateException;
import io.quorate.client.cluster.NodeAddress;
import io.quorate.client.cluster.NodeAdministration;
import io.quorate.client.cluster.PlannedChange;
import io.quorate.common.Failures;
import io.quorate.model.NodeId;
import io.quorate.server.cli.format.JsonText;
import io.quorate.server.cli.status.PlacementJson;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/**
 * Changes of the nodes, as "quorate node" makes them, and the changes of replicas that follow. Any
 * thread; does not block.
 */
final class NodePages {
  private static final String PREFIX = "/api/nodes/";
  private static final String DRY_RUN = "dry-run";

  private final NodeAdministration nodes;
  private final Executor threads;

  /** The last part of the path of a change, and the parameter that it needs. */
  private enum Change {
    ADD("address"),
    DRAIN("node"),
    UNDRAIN("node"),
    REMOVE("node"),
    REPLACE("address");

    private final String parameter;

    Change(String parameter) {
      this.parameter = parameter;
    }

    String path() {
      return PREFIX + name().toLowerCase(Locale.ROOT);
    }

    /**
     * @throws IllegalArgumentException if the argument names no node, or is no address
     */
    CompletableFuture<List<PlannedChange>> request(NodeAdministration nodes, String argument) {
      return switch (this) {
        case ADD -> nodes.add(NodeAddress.parse(argument));
        case DRAIN -> nodes.drain(new NodeId(argument));
        case UNDRAIN -> nodes.undrain(new NodeId(argument));
        case REMOVE -> nodes.remove(new NodeId(argument));
        case REPLACE -> nodes.replace(NodeAddress.parse(argument));
      };
    }
  }

  /**
   * @param threads create the pages
   */
  NodePages(NodeAdministration nodes, Executor threads) {
    this.nodes = nodes;
    this.threads = threads;
  }

  /** Whether a request with this path is for one of these pages. */
  static boolean has(String path) {
    return path.startsWith(PREFIX);
  }

  CompletionStage<AdminPage> page(AdminRequest request) {
    if (request.path().equals(PREFIX + "changes")) {
      return request.isChange() ? refusal(405, "Only GET is served here.") : list(nodes.preview());
    }
    for (Change change : Change.values()) {
      if (request.path().equals(change.path())) {
        return request.isChange()
            ? make(change, request.parameters())
            : refusal(405, "Only POST is served here.");
      }
    }
    return refusal(
        404, "There are changes (GET), and add, drain, undrain, remove and replace (POST).");
  }

  private CompletionStage<AdminPage> make(Change change, Map<String, String> parameters) {
    // A misspelled dry run must not be a change.
    if (!Set.of(change.parameter, DRY_RUN).containsAll(parameters.keySet())
        || !parameters.containsKey(change.parameter)) {
      return refusal(
          400,
          String.format(
              Locale.ROOT,
              "Parameters are %s, and %s, which is true or false.",
              change.parameter,
              DRY_RUN));
    }
    String dryRun = parameters.getOrDefault(DRY_RUN, "false");
    if (!Set.of("true", "false").contains(dryRun)) {
      return refusal(400, DRY_RUN + " is true or false.");
    }
    try {
      return list(
          change.request(
              dryRun.equals("true") ? nodes.dryRun() : nodes, parameters.get(change.parameter)));
    } catch (IllegalArgumentException e) {
      return refusal(400, e.getMessage());
    }
  }

  private CompletionStage<AdminPage> list(CompletableFuture<List<PlannedChange>> changes) {
    return changes.handleAsync(
        (planned, failure) ->
            failure == null ? listPage(planned) : failed(Failures.unwrap(failure)),
        threads);
  }

  private static AdminPage listPage(List<PlannedChange> changes) {
    return AdminPage.json(
        JsonText.line(Map.of("changes", changes.stream().map(PlacementJson::change).toList())));
  }

  private static AdminPage failed(Throwable failure) {
    if (failure instanceof InvalidRequestException) {
      return AdminPage.of(409, failure.getMessage());
    }
    if (failure instanceof QuorateException) {
      return AdminPage.of(503, failure.getMessage());
    }
    throw new CompletionException(failure);
  }

  private static CompletionStage<AdminPage> refusal(int code, String text) {
    return CompletableFuture.completedFuture(AdminPage.of(code, text));
  }
}
