/** Rounds of workloads under faults, each checked: the torture of a cluster. */
package io.quorate.server.verification.torture;
