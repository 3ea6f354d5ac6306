/**
 * Removes bodies of large values to which no row refers: which bodies are settled, which of these
 * are garbage, and the thread that searches for them belong here. The store of bodies belongs to
 * {@code body}, references in rows to {@code command}.
 */
package io.quorate.storage.garbage;
