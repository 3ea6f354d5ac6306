package io.quorate.server.admin;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.NodeAdministration;
import io.quorate.model.NodeId;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * What the admin server serves. All of it is called on threads of the server.
 *
 * @param self the node
 * @param health may block briefly
 * @param ready whether clients are served
 * @param metrics scraped for each request
 * @param cluster collects the states of all nodes, with their traffic; does not block. At most one
 *     collection is in progress, and at most one begins in a second
 * @param names whether this node is to be reached by a name, other than an address
 * @param nodes changes the nodes of the cluster; its calls end within {@link
 *     AdminServer#CHANGE_TIMEOUT}
 */
public record AdminContext(
    NodeId self,
    Supplier<Health> health,
    BooleanSupplier ready,
    PrometheusMeterRegistry metrics,
    Supplier<? extends CompletionStage<ClusterStatus>> cluster,
    Predicate<String> names,
    NodeAdministration nodes) {}
