package io.quorate.server.admin;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The files of the console, from the jar. They are listed here, so that a path never names any
 * other file. Loaded once; about 100 KiB.
 */
final class ConsoleFiles {
  private static final String DIRECTORY = "console/";
  private static final String HTML = "text/html; charset=utf-8";
  private static final String SCRIPT = "text/javascript; charset=utf-8";
  private static final String STYLE = "text/css; charset=utf-8";
  private static final String IMAGE = "image/svg+xml";

  /** A browser requests nothing from elsewhere, and a file again whenever the page is loaded. */
  private static final Map<String, String> HEADERS =
      Map.of(
          "cache-control",
          "no-cache",
          "content-security-policy",
          "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
              + " object-src 'none'",
          "referrer-policy",
          "no-referrer",
          "x-content-type-options",
          "nosniff");

  private static final Map<String, AdminPage> PAGES = load();

  private ConsoleFiles() {}

  /** Returns the file of a path; empty if there is none. Any thread; does not block. */
  static Optional<AdminPage> page(String path) {
    return Optional.ofNullable(PAGES.get(path));
  }

  private static Map<String, AdminPage> load() {
    Map<String, AdminPage> pages = new HashMap<>();
    pages.put("/", file("index.html", HTML));
    pages.put("/icon.svg", file("icon.svg", IMAGE));
    for (String style : new String[] {"console.css", "uPlot.min.css"}) {
      pages.put("/" + style, file(style, STYLE));
    }
    for (String script :
        new String[] {
          "console.js",
          "cluster.js",
          "changes.js",
          "charts.js",
          "dom.js",
          "format.js",
          "header.js",
          "nodes.js",
          "regions.js",
          "traffic.js",
          "uPlot.iife.min.js"
        }) {
      pages.put("/" + script, file(script, SCRIPT));
    }
    return Collections.unmodifiableMap(pages);
  }

  private static AdminPage file(String name, String type) {
    try (InputStream file = ConsoleFiles.class.getResourceAsStream(DIRECTORY + name)) {
      if (file == null) {
        throw new IllegalStateException("The program lacks its file " + name);
      }
      return new AdminPage(200, type, file.readAllBytes(), Optional.empty(), HEADERS);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
