import ByteCoding
import Testing

@Suite struct HTMLTextTests {
    @Test func `each character that HTML gives a meaning is escaped, and no other`() {
        #expect(
            HTMLText.escaped("<a href=\"x\" id='y'>&amp;</a>")
                == "&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;")
        #expect(HTMLText.escaped("Zoë – 東京\n") == "Zoë – 東京\n")
        #expect(HTMLText.escaped("") == "")
    }

    @Test func `a character that marks are joined to is escaped too`() {
        #expect(Array(HTMLText.escaped("<\u{301}\"\u{301}").utf8) == Array("&lt;\u{301}&quot;\u{301}".utf8))
    }
}
