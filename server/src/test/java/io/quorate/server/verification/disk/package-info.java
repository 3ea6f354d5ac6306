/** A disk for each node of a cluster of processes, which can fill up, stall, lose power and rot. */
package io.quorate.server.verification.disk;
