package io.quorate.storage.body;

/**
 * Where a body is stored.
 *
 * @param header of the record with the content, which names the body for which it was written
 * @param isLink whether the body has a record of its own that is a link to this one
 */
record StoredBody(Place place, RecordHeader header, boolean isLink) {

  StoredBody(Place place, RecordHeader header) {
    this(place, header, false);
  }

  /** The same content for a body with a link. */
  StoredBody linked() {
    return new StoredBody(place, header, true);
  }
}
