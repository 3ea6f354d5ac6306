/**
 * Durable store of the bodies of large values, which travel beside the consensus log: segment files
 * of records with a header on both sides, their recovery, what is known to be lost of them, the
 * index over them in memory and the return of their space belong here. Which body a value consists
 * of, and which bodies are garbage, does not: the owner knows both. Rows belong to {@code rocks}.
 */
package io.quorate.storage.body;
