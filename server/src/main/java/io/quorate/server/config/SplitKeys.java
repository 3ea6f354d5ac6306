package io.quorate.server.config;

import io.quorate.common.Utf8;
import io.quorate.model.Key;
import io.quorate.protocol.operation.Limits;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** Parses the boundaries between regions: text, or {@code 0x} and hexadecimal digits. */
final class SplitKeys {
  private static final String HEX_PREFIX = "0x";

  private SplitKeys() {}

  /**
   * @param path the key's full name, for messages
   * @throws ConfigException if one is not a key, or they are not in ascending order
   */
  static List<Key> parse(String path, List<String> texts) {
    List<Key> keys = new ArrayList<>(texts.size());
    for (String text : texts) {
      Key key = parse(path, text);
      if (key.isEmpty() || key.size() > Limits.KEY_BYTES_MAX) {
        throw new ConfigException(
            "Key " + path + " holds keys of 1 to " + Limits.KEY_BYTES_MAX + " bytes.");
      }
      if (!keys.isEmpty() && keys.get(keys.size() - 1).compareTo(key) >= 0) {
        throw new ConfigException(
            "Key " + path + " lists keys in ascending order, each once; " + key + " is not.");
      }
      keys.add(key);
    }
    return keys;
  }

  private static Key parse(String path, String text) {
    try {
      return Key.wrap(
          text.startsWith(HEX_PREFIX)
              ? HexFormat.of().parseHex(text.substring(HEX_PREFIX.length()))
              : Utf8.bytes(text));
    } catch (IllegalArgumentException e) {
      throw new ConfigException(
          "Key "
              + path
              + " holds text, or 0x and an even number of hexadecimal digits; it was \""
              + text
              + "\".");
    }
  }
}
