import Testing
import WebAssets
import WebTransport

@Suite struct PageSecurityPolicyTests {
    @Test func `the strictest page policy allows styles and images of the server alone`() {
        #expect(
            PageSecurityPolicy().contentSecurityPolicy
                == "default-src 'none'; script-src 'none'; style-src 'self'; img-src 'self'; "
                + "form-action 'none'; base-uri 'none'; frame-ancestors 'none'")
        #expect(PageSecurityPolicy().headers["X-Content-Type-Options"] == "nosniff")
        #expect(PageSecurityPolicy().headers["Referrer-Policy"] == "no-referrer")
        #expect(PageSecurityPolicy().headers.firstFault == nil)
    }

    @Test func `a page policy can forbid scripts to make markup of texts`() {
        var policy = PageSecurityPolicy()
        policy.allowsScripts = true
        #expect(!policy.contentSecurityPolicy.contains("trusted-types"))
        policy.forbidsMarkupFromScripts = true
        #expect(policy.contentSecurityPolicy.hasSuffix("; require-trusted-types-for 'script'; trusted-types 'none'"))
    }

    @Test func `a page policy allows scripts and forms of the server by name, and inline scripts never`() {
        var policy = PageSecurityPolicy()
        policy.allowsScripts = true
        policy.allowsForms = true
        policy.allowsInlineImages = true
        #expect(policy.contentSecurityPolicy.contains("script-src 'self'; connect-src 'self';"))
        #expect(policy.contentSecurityPolicy.contains("form-action 'self'"))
        #expect(policy.contentSecurityPolicy.contains("img-src 'self' data:;"))
        #expect(!policy.contentSecurityPolicy.contains("unsafe"))
    }
}
