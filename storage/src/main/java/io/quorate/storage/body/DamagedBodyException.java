package io.quorate.storage.body;

import io.quorate.consensus.BodyId;
import java.io.IOException;

/** The bytes of a body differ from those that were written; other bodies are unaffected. */
public final class DamagedBodyException extends IOException {
  private static final long serialVersionUID = 1L;

  DamagedBodyException(BodyId body, Place place) {
    super(
        "Body "
            + body.epoch()
            + "."
            + body.number()
            + " of region "
            + body.group()
            + " is damaged in segment "
            + place.segment()
            + " at "
            + place.offset()
            + ".");
  }
}
