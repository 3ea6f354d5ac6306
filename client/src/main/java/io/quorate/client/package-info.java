/**
 * The Java client: {@link io.quorate.client.AsyncQuorateClient}, whose calls return futures, {@link
 * io.quorate.client.QuorateClient}, whose calls block, and their options, results and exceptions.
 * The packages in {@code internal} route requests to the regions and leaders of the cluster, retry
 * until a deadline, give every write a request id by which servers deduplicate it, and bound the
 * calls in flight. A failure is reported as a {@link io.quorate.client.QuorateException}, whose
 * subclass states whether the call may have taken effect.
 *
 * <p>The encoding of requests and responses belongs to {@code io.quorate.protocol.wire}, test
 * support to {@code io.quorate.testing}.
 */
@NullMarked
package io.quorate.client;

import org.jspecify.annotations.NullMarked;
