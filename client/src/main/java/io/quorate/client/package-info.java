/**
 * The Java client.
 *
 * <p>{@link io.quorate.client.AsyncQuorateClient} does the work on one event loop; {@link
 * io.quorate.client.QuorateClient} is the same with calls that block. Both find the cluster's
 * regions and leaders by themselves, retry until a deadline, and give every write a number that
 * makes it take effect once however often it is sent. What goes wrong arrives as a {@link
 * io.quorate.client.QuorateException}, whose kind says what may have happened.
 */
package io.quorate.client;
