/**
 * A database for the tests of applications: {@link io.quorate.client.testing.EmbeddedCluster} runs
 * real nodes in the JVM of the test, {@link io.quorate.client.testing.QuorateContainer} runs one in
 * a container. Neither is for production.
 */
package io.quorate.client.testing;
