/** Faults that are injected into a cluster of processes, one class a kind. */
package io.quorate.server.verification.nemesis;
