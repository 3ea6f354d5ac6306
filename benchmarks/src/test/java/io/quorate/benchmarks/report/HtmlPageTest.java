package io.quorate.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.server.cli.format.TextTable;
import java.io.StringReader;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

class HtmlPageTest {

  @Test
  void thePageHasAllItsPartsAndEscapesText() throws Exception {
    String page =
        new HtmlPage("a < b")
            .paragraph("one & two")
            .heading("figures")
            .table(TextTable.ofFigures("load", "ops/s").add("<1 client>", "10"))
            .figure("<svg xmlns=\"http://www.w3.org/2000/svg\"/>\n")
            .render();

    Document document =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new InputSource(new StringReader(page)));
    assertThat(text(document, "h1")).isEqualTo("a < b");
    assertThat(text(document, "p")).isEqualTo("one & two");
    assertThat(text(document, "th")).isEqualTo("load");
    assertThat(text(document, "td")).isEqualTo("<1 client>");
    assertThat(document.getElementsByTagName("svg").getLength()).isEqualTo(1);
  }

  private static String text(Document document, String element) {
    return document.getElementsByTagName(element).item(0).getTextContent();
  }
}
