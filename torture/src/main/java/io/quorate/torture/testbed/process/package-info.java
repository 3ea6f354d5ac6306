/**
 * Processes of the testbed: programs of the system that set it up, and the shares of the processors
 * that nodes have. The processes of the nodes themselves do not belong here; they are those of
 * local clusters.
 */
package io.quorate.torture.testbed.process;
