package io.quorate.storage.body;

/**
 * Where a record begins.
 *
 * @param segment the number of the segment
 * @param offset the offset of the record's header in bytes
 */
record Place(long segment, long offset) {}
