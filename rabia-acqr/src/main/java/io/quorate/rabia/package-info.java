/**
 * The Rabia consensus engine. This package holds only what several of its packages share, such as
 * failpoints. The protocol is in {@code core}; the driver and the log have packages of their own.
 */
package io.quorate.rabia;
