/**
 * The operations of the clients during a torture run, and the client that records them. Histories
 * themselves, and the threads that run workloads, do not belong here.
 */
package io.quorate.torture.workload;
