import ByteCoding
import Testing

@Suite struct HTMLEscapingTests {
    @Test func `HTML escaping replaces each character with a meaning in HTML, and no other`() {
        #expect(
            HTMLEscaping.escaped("<a href=\"x\" id='y'>&amp;</a>")
                == "&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;")
        #expect(HTMLEscaping.escaped("Zoë – 東京\n") == "Zoë – 東京\n")
        #expect(HTMLEscaping.escaped("") == "")
    }

    @Test func `HTML escaping also replaces a character that combining marks follow`() {
        #expect(Array(HTMLEscaping.escaped("<\u{301}\"\u{301}").utf8) == Array("&lt;\u{301}&quot;\u{301}".utf8))
    }
}
