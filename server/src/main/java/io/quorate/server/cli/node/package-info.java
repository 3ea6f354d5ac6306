/**
 * The verb {@code node} and the verbs below it, which add nodes to a cluster and take them away:
 * each requests a change, and shows how the replicas follow. What is moved, and where to, is
 * decided by the cluster; no such decision belongs here.
 */
package io.quorate.server.cli.node;
