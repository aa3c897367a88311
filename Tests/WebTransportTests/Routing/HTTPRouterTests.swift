import TestSupport
import Testing

@testable import WebTransport

@Suite struct HTTPRouterTests {
    private func answer(_ router: HTTPRouter, _ method: HTTPMethod, _ path: String) async throws -> HTTPResponse {
        await router.respond(to: HTTPRequest(method, try RequestTarget(parsing: path)))
    }

    @Test func `the first route whose path pattern matches answers, with its parameters`() async throws {
        var router = HTTPRouter()
        router.on(.get, "/") { _ in HTTPResponse(200, text: "root") }
        router.on(.get, "/a/:id") { HTTPResponse(200, text: "a \($0.parameters["id"] ?? "")") }
        router.on(.get, "/a/b") { _ in HTTPResponse(200, text: "never") }
        router.on(.get, "/files/*") { HTTPResponse(200, text: "files \($0.parameters["*"] ?? "")") }
        #expect(try await answer(router, .get, "/").text == "root")
        #expect(try await answer(router, .get, "/a/b").text == "a b")
        #expect(try await answer(router, .get, "/a/b%2Fc").status == 404)
        #expect(try await answer(router, .get, "/a/").status == 404)
        #expect(try await answer(router, .get, "/files/x/y").text == "files x/y")
        #expect(try await answer(router, .get, "/files").text == "files ")
        #expect(try await answer(router, .get, "/b").status == 404)
    }

    @Test func `a wrong HTTP method is answered with the allowed ones, and HEAD like GET`() async throws {
        var router = HTTPRouter()
        router.on(.put, "/a") { _ in HTTPResponse(201) }
        router.on(.get, "/a") { _ in HTTPResponse(200) }
        let refused = try await answer(router, .delete, "/a")
        #expect(refused.status == 405)
        #expect(refused.headers["allow"] == "GET, PUT")
        #expect(try await answer(router, .head, "/a").status == 200)
    }

    @Test func `a request that no route matches goes to the fallback`() async throws {
        let router = HTTPRouter { _ in HTTPResponse(200, text: "fallback") }
        #expect(try await answer(router, .get, "/any").text == "fallback")
    }

    @Test(
        .shows("W6"),
        arguments: [
            (HTTPRouter.WebSocketOrigins.same, nil, true), (.same, "http://a.example", true),
            (.same, "https://a.example", false),
            (.same, "http://b.example", false), (.same, "null", false), (.any, "null", true),
            (.listed(["https://b.example"]), "https://b.example", true),
            (.listed(["https://b.example"]), "https://a.example", false),
            (.listed([]), nil, true),
        ] as [(HTTPRouter.WebSocketOrigins, String?, Bool)])
    func `pages of other origins open no WebSocket unless they are allowed`(
        origins: HTTPRouter.WebSocketOrigins, origin: String?, isWelcome: Bool
    ) throws {
        var router = HTTPRouter()
        router.webSocket("/", origins: origins) { _ in }
        var headers: HTTPHeaders = [
            "host": "a.example", "sec-websocket-version": "13", "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
        ]
        headers["origin"] = origin
        let request = HTTPRequest(.get, try RequestTarget(parsing: "/"), headers: headers)
        guard case .failure(let refusal) = router.socketRoute(for: request) else {
            #expect(isWelcome)
            return
        }
        #expect(!isWelcome)
        #expect(refusal.response.status == 403)
    }
}
