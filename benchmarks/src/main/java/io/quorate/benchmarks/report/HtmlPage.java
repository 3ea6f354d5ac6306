package io.quorate.benchmarks.report;

import io.quorate.server.cli.format.TextTable;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;

/** A self-contained HTML page, built from top to bottom. */
public final class HtmlPage {
  private final String title;
  private final StringBuilder body = new StringBuilder();

  public HtmlPage(String title) {
    this.title = title;
  }

  public HtmlPage heading(String text) {
    return element("h2", text);
  }

  public HtmlPage paragraph(String text) {
    return element("p", text);
  }

  /** Adds preformatted text. */
  public HtmlPage verbatim(String text) {
    return element("pre", text);
  }

  public HtmlPage table(TextTable table) {
    body.append("<table>\n");
    Iterator<List<String>> lines = table.lines().iterator();
    line(lines.next(), "th");
    lines.forEachRemaining(line -> line(line, "td"));
    body.append("</table>\n");
    return this;
  }

  /**
   * @param svg an SVG document, which becomes a part of the page
   */
  public HtmlPage figure(String svg) {
    body.append("<figure>\n").append(svg).append("</figure>\n");
    return this;
  }

  public String render() {
    return String.format(
        Locale.ROOT,
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8"/>
        <title>%s</title>
        <style>
        body { font: 15px/1.5 Helvetica, Arial, sans-serif; color: #222; max-width: 1100px; margin: 2em auto; padding: 0 1em; }
        table { border-collapse: collapse; font-size: 13px; margin: 1em 0; }
        th, td { padding: 2px 10px; text-align: right; border-bottom: 1px solid #e6e6e6; }
        th:first-child, td:first-child { text-align: left; }
        figure { margin: 1em 0; display: inline-block; }
        pre { background: #f6f6f6; padding: 0.8em; overflow-x: auto; }
        </style>
        </head>
        <body>
        <h1>%s</h1>
        %s</body>
        </html>
        """,
        escaped(title),
        escaped(title),
        body);
  }

  private void line(List<String> cells, String element) {
    body.append("<tr>");
    for (String cell : cells) {
      body.append('<').append(element).append('>').append(escaped(cell));
      body.append("</").append(element).append('>');
    }
    body.append("</tr>\n");
  }

  private HtmlPage element(String name, String text) {
    body.append('<').append(name).append('>').append(escaped(text));
    body.append("</").append(name).append(">\n");
    return this;
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
