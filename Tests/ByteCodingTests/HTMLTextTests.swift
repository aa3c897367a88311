import ByteCoding
import Testing

@Suite struct HTMLTextTests {
    @Test func `HTML escaping replaces each character with a meaning in HTML, and no other`() {
        #expect(
            HTMLText.escaped("<a href=\"x\" id='y'>&amp;</a>")
                == "&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;")
        #expect(HTMLText.escaped("Zoë – 東京\n") == "Zoë – 東京\n")
        #expect(HTMLText.escaped("") == "")
    }

    @Test func `HTML escaping also replaces a character that combining marks follow`() {
        #expect(Array(HTMLText.escaped("<\u{301}\"\u{301}").utf8) == Array("&lt;\u{301}&quot;\u{301}".utf8))
    }
}
