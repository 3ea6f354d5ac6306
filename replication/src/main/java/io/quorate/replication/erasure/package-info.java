/**
 * Erasure codes of values: fragments of which any sufficient number restores the value, and their
 * checksums. Arithmetic and the layout of fragments belong here; the placement of fragments on
 * servers, their transfer and their storage do not.
 */
package io.quorate.replication.erasure;
