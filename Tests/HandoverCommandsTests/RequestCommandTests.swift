import ByteCoding
import CommandTestSupport
import CryptoSuite
import Determinism
import Foundation
import JSON
import Presentations
import Terminal
import TestSupport
import Testing

/// `receive` with a request, `send` with a wallet, and what both say.
@Suite struct RequestCommandTests {
    private let handOver: HandOver
    private let issuer: PresentationSigningKey
    private let holder: PresentationSigningKey

    init() throws {
        handOver = try HandOver()
        issuer = try PresentationSigningKey(seed: Secret(copying: [UInt8](repeating: 1, count: 32)))
        holder = try PresentationSigningKey(seed: Secret(copying: [UInt8](repeating: 2, count: 32)))
    }

    /// A folder with one credential and its holder's key, and a trust file for its issuer.
    private func wallet(_ subject: JSONObject) throws -> (folder: String, trust: String) {
        var subject = subject
        subject["id"] = .string(holder.identifier)
        let credential = try issuer.token(
            type: "vc+jwt",
            JSONObject(present: [
                "@context": ["https://www.w3.org/ns/credentials/v2"], "type": ["VerifiableCredential"],
                "issuer": .string(issuer.identifier), "credentialSubject": .object(subject),
            ]))
        var jwk = holder.publicJWK.object ?? JSONObject()
        jwk["d"] = "AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI"
        try FileManager.default.createDirectory(
            atPath: "\(handOver.folder.path)/wallet", withIntermediateDirectories: true)
        _ = try handOver.folder.write("wallet/card.jwt", credential)
        _ = try handOver.folder.write("wallet/holder.jwk", jwk.encoded)
        _ = try handOver.folder.write("wallet/notes.txt", Array("no credential".utf8))
        let trust = try handOver.folder.write("trust.txt", Array("issuer \(issuer.identifier)\n".utf8))
        return ("\(handOver.folder.path)/wallet", trust)
    }

    private func send(_ folder: String, to uri: String, _ arguments: [String] = []) async -> CommandRun {
        await CommandRun.run(
            ["send", "--wallet", folder, "--to", uri, "--air", handOver.airPath, "--yes"] + arguments)
    }

    @Test(.shows("TUV-012"))
    func `receive --ask shows its request in the wallet, and keeps an answer whose credential is genuine`() async throws
    {
        let (folder, trust) = try wallet(JSONObject(present: ["name": "Ada", "ageOver18": true]))
        let (uri, receiving) = try await handOver.receive(
            ["--ask", "age-over-18,name", "--check", "--trust", trust, "--accept", "always"])
        #expect(uri.hasSuffix("&request=1"))
        let sent = await send(folder, to: uri)
        let received = await receiving.value
        #expect(sent.status == 0, "\(sent.talk)")
        #expect(received.status == 0, "\(received.talk)")
        #expect(sent.talk.contains("signed by    unsigned"))
        #expect(
            sent.talk.contains("would send   card.jwt; asked for: credentialSubject.ageOver18, credentialSubject.name"))
        #expect(sent.talk.contains("The verifier has the whole answer."))
        #expect(received.talk.contains("The credential is genuine"))
        #expect(try handOver.folder.names(in: "inbox").count == 1)
    }

    /// A folder with an SD-JWT whose three claims are disclosures, and its holder's key.
    private func memberWallet() throws -> (folder: String, trust: String) {
        let (folder, trust) = try wallet(JSONObject(present: ["name": "Ada"]))
        try FileManager.default.removeItem(atPath: "\(folder)/card.jwt")
        let claims: [(String, JSONValue)] = [
            ("given_name", "Ada"), ("birth_date", "1990-01-01"), ("ageOver18", true),
        ]
        let disclosures = claims.map { name, value in
            Base64URL.encode(JSONValue.array([.string("salt of \(name)"), .string(name), value]).encoded)
        }
        let digests = disclosures.map { JSONValue.string(Base64URL.encode(SHA256.hash(Array($0.utf8)))) }
        let token = try issuer.token(
            type: "dc+sd-jwt",
            JSONObject(present: [
                "iss": .string(issuer.identifier), "vct": "https://example.org/member", "_sd": .array(digests),
                "cnf": ["jwk": holder.publicJWK],
            ]))
        let text = String(decoding: token, as: UTF8.self) + "~" + disclosures.map { $0 + "~" }.joined()
        _ = try handOver.folder.write("wallet/member.sdjwt", Array(text.utf8))
        return (folder, trust)
    }

    @Test func `send discloses only the requested claims of an SD-JWT, and lists the withheld ones`() async throws {
        let (folder, trust) = try memberWallet()
        let (uri, receiving) = try await handOver.receive(
            ["--ask", "age-over-18", "--check", "--trust", trust, "--accept", "always"])
        let sent = await send(folder, to: uri)
        let received = await receiving.value
        #expect(sent.status == 0 && received.status == 0, "\(sent.talk)\(received.talk)")
        #expect(sent.talk.contains("would send   member.sdjwt; asked for: ageOver18"), "\(sent.talk)")
        #expect(sent.talk.contains("stays here   2 claims (given_name, birth_date)"))
        #expect(received.talk.contains("answer       age over 18: yes\n"), "\(received.talk)")
        #expect(!sent.talk.contains("sends too"))
        let kept = try #require(try handOver.folder.names(in: "inbox").first)
        let answer = try JSONValue(parsing: handOver.folder.read("inbox/\(kept)"))
        let token = try #require(answer["vp_token"]?["credential"]?[0]?.string)
        let payload = try JSONValue(
            parsing: #require(Base64URL.decode(String(token.split(separator: ".")[1]))))
        let presented = try #require(payload["verifiableCredential"]?[0]?["id"]?.string)
        #expect(presented.split(separator: "~").count == 2)
    }

    @Test func `receive shows the answer to its request above the credential's other claims`() async throws {
        let (folder, _) = try wallet(JSONObject(present: ["name": "Ada\u{202E}", "ageOver18": true]))
        let (uri, receiving) = try await handOver.receive(["--ask", "age-over-18,name", "--accept", "always"])
        #expect(await send(folder, to: uri).status == 0)
        let talk = await receiving.value.talk
        let answer = try #require(talk.range(of: #"answer       age over 18: yes; name: Ada\u{202E}"#), "\(talk)")
        let issuer = try #require(talk.range(of: "issuer       "))
        #expect(answer.lowerBound < issuer.lowerBound)
    }

    @Test func `the example wallet answers a request at the first try, and its credential is genuine`() async throws {
        let examples = OutsideVectors.packageRoot.appending(path: "Examples").path()
        let (uri, receiving) = try await handOver.receive([
            "--ask", "age-over-18", "--check", "--trust", "\(examples)/credentials/trust.txt", "--accept", "always",
        ])
        let sent = await send("\(examples)/wallet", to: uri)
        let received = await receiving.value
        #expect(sent.status == 0 && received.status == 0, "\(sent.talk)\(received.talk)")
        #expect(sent.talk.contains("stays here   4 claims (given_name, "), "\(sent.talk)")
        #expect(received.talk.contains("answer       age over 18: yes\n"))
        #expect(received.talk.contains("The credential is genuine"))
    }

    @Test func `the lists of disclosed and withheld claims are an event of send --json`() async throws {
        let (folder, _) = try memberWallet()
        let (uri, receiving) = try await handOver.receive(["--ask", "age-over-18", "--accept", "never"])
        let sent = await send(folder, to: uri, ["--json"])
        _ = await receiving.value
        let line = try #require(sent.lines.first { $0.contains("\"event\":\"disclosure\"") }, "\(sent.output)")
        #expect(try EventsManual().complaints(about: line) == [])
        let event = try JSONValue(parsing: line)
        #expect(event["asked"] == ["ageOver18"])
        #expect(event["unasked"] == [])
        #expect(event["withheld"] == ["given_name", "birth_date"])
    }

    @Test(arguments: [(["y", "y"], true), (["y", ""], false), (["y", "n"], false), (["n"], false)])
    func `send asks again before it discloses unrequested claims that cannot be withheld`(
        _ answers: [String], _ isSent: Bool
    ) async throws {
        let (folder, _) = try wallet(JSONObject(present: ["name": "Ada", "ageOver18": true, "email": "a@b.example"]))
        var setup = CommandRun.Setup()
        setup.isTerminal = true
        setup.answers = ["y"] + answers
        setup.variables["NO_COLOR"] = "1"
        let (uri, receiving) = try await handOver.receive(["--ask", "age-over-18", "--accept", "always"])
        let line = ["send", "--wallet", folder, "--to", uri, "--air", handOver.airPath]
        let sent = await CommandRun.run(line, setup)
        let received = await receiving.value
        let list = "2 claims (credentialSubject.name, credentialSubject.email)"
        #expect(sent.words.contains("sends too \(list), not asked for: this format cannot leave claims out"))
        let isAskedAgain = sent.words.contains("It did not ask for \(list). Send that too? [y/N]")
        #expect(isAskedAgain == (answers.count == 2), "\(sent.talk)")
        #expect(received.status == 0 || received.code == "answer.refused")
        #expect((received.status == 0) == isSent, "\(received.talk)")
    }

    @Test func `an empty answer of the operator accepts a genuine credential`() async throws {
        let (folder, trust) = try wallet(JSONObject(present: ["name": "Ada"]))
        var setup = CommandRun.Setup()
        setup.isTerminal = true
        setup.answers = [""]
        setup.variables["NO_COLOR"] = "1"
        let (uri, receiving) = try await handOver.receive(["--ask", "name", "--check", "--trust", trust], setup)
        #expect(await send(folder, to: uri).status == 0)
        let received = await receiving.value
        #expect(received.status == 0 && received.talk.contains("Accept it? [Y/n] "), "\(received.talk)")
    }

    @Test func `a wallet without the requested claim refuses, and receive ends with answer.refused`()
        async throws
    {
        let (folder, _) = try wallet(JSONObject(present: ["name": "Ada"]))
        let (uri, receiving) = try await handOver.receive(["--ask", "age-over-18"])
        let sent = await send(folder, to: uri)
        let received = await receiving.value
        #expect(sent.status == 0, "\(sent.talk)")
        #expect(sent.talk.contains("missing      credentialSubject.ageOver18"))
        #expect(sent.talk.contains("Declined. The verifier got your reason"))
        #expect(received.code == "answer.refused")
        #expect(received.talk.contains("access_denied: The wallet has no credential that fits."))
        #expect(try handOver.folder.names(in: "inbox").isEmpty)
    }

    @Test func `send --refuse refuses the request with the given reason`() async throws {
        let (folder, _) = try wallet(JSONObject(present: ["name": "Ada"]))
        let (uri, receiving) = try await handOver.receive(["--ask", "name"])
        #expect(await send(folder, to: uri, ["--refuse", "not here"]).status == 0)
        #expect(await receiving.value.talk.contains("access_denied: not here"))
    }

    @Test func `send shows a request's unknown signer as unknown, and a trusted one by its name`()
        async throws
    {
        let (folder, trust) = try wallet(JSONObject(present: ["name": "Ada"]))
        let jwk = #"{"kty":"OKP","crv":"Ed25519","d":"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE"}"#
        let key = try handOver.folder.write("key.jwk", Array(jwk.utf8))
        for known in [false, true] {
            let (uri, receiving) = try await handOver.receive(["--ask", "name", "--request-key", key])
            let sent = await send(folder, to: uri, known ? ["--trust", trust] : [])
            #expect(sent.status == 0, "\(sent.talk)")
            #expect(sent.talk.contains("signed by    unknown: did:jwk:") == !known)
            #expect(await receiving.value.status == 0)
        }
    }

    @Test func `a credential about another subject is sent after a warning, and refused by the verifier`() async throws
    {
        let (folder, _) = try wallet(JSONObject(present: ["name": "Ada"]))
        try FileManager.default.removeItem(atPath: "\(folder)/holder.jwk")
        let (uri, receiving) = try await handOver.receive(["--ask", "name"])
        let sent = await send(folder, to: uri)
        #expect(
            sent.talk.contains(
                "The verifier will refuse this. The presenter is not the subject of a credential inside. "
                    + "The folder has no holder.jwk."), "\(sent.talk)")
        #expect(sent.code == "send.rejected")
        #expect(await receiving.value.code == "answer.presentation")
    }

    @Test func `send abbreviates the P-256 signer of a request, and inspect shows it whole`()
        async throws
    {
        let (folder, _) = try wallet(JSONObject(present: ["name": "Ada"]))
        let signer = try PresentationSigningKey(p256: Secret(copying: [UInt8](repeating: 3, count: 32)))
        var jwk = signer.publicJWK.object ?? JSONObject()
        jwk["d"] = "AwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwM"
        let key = try handOver.folder.write("p256.jwk", jwk.encoded)
        let (uri, receiving) = try await handOver.receive(["--ask", "name", "--request-key", key])
        let sent = await send(folder, to: uri)
        #expect(sent.status == 0, "\(sent.talk)")
        #expect(await receiving.value.status == 0)
        let shown = String(signer.identifier.prefix(28)) + "…" + String(signer.identifier.suffix(27))
        #expect(sent.talk.contains("signed by    unknown: \(shown), not pinned by you"), "\(sent.talk)")
        #expect(!sent.talk.contains(signer.identifier))
        #expect(!sent.talk.contains("warning"))

        let content = try PresentationRequestWriter(presets: [.name])
            .request(verifierKey: [UInt8](repeating: 7, count: 32), nonce: "nonce-of-the-request", key: signer).content
        let file = try handOver.folder.write("request.jwt", content)
        let trust = try handOver.folder.write("signers.txt", Array("issuer \(signer.identifier)\n".utf8))
        let unknown = await CommandRun.run("inspect", file)
        #expect(unknown.output.contains("unknown: \(signer.identifier), not pinned by you"), "\(unknown.talk)")
        let known = await CommandRun.run("inspect", file, "--trust", trust)
        #expect(known.output.contains("  signed by     \(signer.identifier)\n"), "\(known.talk)")
    }

    @Test func `receive --ask refuses a file instead of an answer, and says that the request was not answered`()
        async throws
    {
        let file = try handOver.file()
        let (uri, receiving) = try await handOver.receive(["--ask", "name"])
        let sent = await handOver.send(file.path, to: uri)
        #expect(sent.code == "send.rejected")
        #expect(await receiving.value.code == "answer.malformed")
    }

    /// Starts `receive --json` and waits for its first code.
    private func receiveJSON(
        _ arguments: [String]
    ) async throws -> (uri: String, run: Task<CommandRun, Never>) {
        let setup = CommandRun.Setup()
        let line = ["receive", "--out", "\(handOver.folder.path)/inbox", "--air", handOver.airPath, "--json"]
        let run = Task { await CommandRun.run(line + arguments, setup) }
        let invitation = try await setup.output.line(
            beginningWith: #"{"schema":"symbolon.events","version":1,"event":"invitation""#)
        return (try #require(JSONValue(parsing: invitation)["uri"]?.string), run)
    }

    /// Sends the card of a wallet as deployed wallets do: whole, and without reading the request.
    private func sendUnread(_ folder: String, to uri: String) async -> CommandRun {
        await handOver.send("\(folder)/card.jwt", to: uri.replacingOccurrences(of: "&request=1", with: ""))
    }

    @Test(
        .shows("T15"),
        arguments: [
            (["--accept", "always"], true, 0), (["--accept", "always", "--check"], true, 14),
            (["--accept", "always", "--check", "--trust", "TRUST"], true, 0),
            (["--accept", "always", "--check", "--trust", "TRUST"], false, 14), (["--accept", "always"], false, 14),
        ])
    func `receive --ask serves a wallet that does not read the request, by --accept and --check`(
        arguments: [String], isOver18: Bool, status: Int32
    ) async throws {
        let (folder, trust) = try wallet(JSONObject(present: ["name": "Ada", "ageOver18": .bool(isOver18)]))
        let (uri, receiving) = try await receiveJSON(
            ["--ask", "age-over-18,name"] + arguments.map { $0 == "TRUST" ? trust : $0 })
        let sent = await sendUnread(folder, to: uri)
        let received = await receiving.value
        #expect(received.status == status, "\(received.talk)")
        #expect(sent.status == (status == 0 ? 0 : 4), "\(sent.talk)")
        #expect(try handOver.folder.names(in: "inbox").count == (status == 0 ? 1 : 0))
        let line = try #require(received.lines.first { $0.contains("\"event\":\"checked\"") })
        #expect(try EventsManual().complaints(about: line) == [])
        let event = try JSONValue(parsing: line)
        #expect(event["request"] == "unread")
        #expect(event["holder"] == "not-shown")
        #expect(event["lacking"] == (isOver18 ? [] : ["credentialSubject.ageOver18"]))
    }

    @Test(arguments: [("", 14), ("y", 0)])
    func `receive --ask shows that the request was not read and which claims are missing, then asks`(
        answer: String, status: Int32
    ) async throws {
        let (folder, trust) = try wallet(JSONObject(present: ["name": "Ada"]))
        var setup = CommandRun.Setup()
        setup.isTerminal = true
        setup.answers = [answer]
        setup.window = WindowSize(columns: 60, rows: 20)
        setup.variables["NO_COLOR"] = "1"
        let (uri, receiving) = try await handOver.receive(
            ["--ask", "age-over-18,name", "--check", "--trust", trust], setup)
        _ = await sendUnread(folder, to: uri)
        let received = await receiving.value
        #expect(received.status == status, "\(received.talk)")
        #expect(received.talk.contains("not read by this wallet"))
        #expect(received.talk.contains("answer       name: Ada\n"), "\(received.talk)")
        #expect(received.talk.contains("lacking      age over 18\n"))
        #expect(received.talk.contains("holder not shown"))
        #expect(received.talk.contains("Accept it? [y/N]"))
    }

    @Test(.shows("T15"))
    func `with --require-answer a wallet that does not read the request is disconnected before it sends`() async throws
    {
        let (folder, trust) = try wallet(JSONObject(present: ["name": "Ada"]))
        let (uri, receiving) = try await receiveJSON(
            ["--ask", "name", "--check", "--trust", trust, "--accept", "always", "--require-answer"])
        let sent = await sendUnread(folder, to: uri)
        let received = await receiving.value
        // A wallet that is writing may find the link closed before it reads why.
        let ends = ["tuvali.session.peer-disconnected", "tuvali.session.link-lost"]
        #expect(ends.contains(sent.code ?? ""), "\(sent.talk)")
        #expect(received.code == "tuvali.verifier.request-unread")
        #expect(!received.lines.contains { $0.contains("\"event\":\"received\"") || $0.contains("progress") })
        #expect(try handOver.folder.names(in: "inbox").isEmpty)
    }

    @Test func `with --require-answer a wallet that answers is served`() async throws {
        let (folder, _) = try wallet(JSONObject(present: ["name": "Ada"]))
        let (uri, receiving) = try await handOver.receive(["--ask", "name", "--accept", "always", "--require-answer"])
        #expect(await send(folder, to: uri).status == 0)
        #expect(await receiving.value.status == 0)
    }

    @Test func `send --wallet sends nothing to a verifier without a request`() async throws {
        let (folder, _) = try wallet(JSONObject(present: ["name": "Ada"]))
        let (uri, receiving) = try await handOver.receive()
        #expect(await send(folder, to: uri).code == "request.missing")
        receiving.cancel()
        _ = await receiving.value
    }

    @Test func `a QR code with request=1 and a verifier without a request end with request-withheld`() async throws {
        let (folder, _) = try wallet(JSONObject(present: ["name": "Ada"]))
        let (uri, receiving) = try await handOver.receive()
        #expect(await send(folder, to: uri + "&request=1").code == "tuvali.wallet.request-withheld")
        receiving.cancel()
        _ = await receiving.value
    }

    @Test(
        arguments: [
            (["--ask", "shoe-size"], "request.preset"), (["--ask", "name", "--request", "x"], "usage.conflict"),
            (["--request-key", "x"], "usage.conflict"), (["--require-answer"], "usage.conflict"),
            (["--request", "missing.json"], "input.not-found"),
        ])
    func `receive with a malformed request ends before a radio is opened`(arguments: [String], code: String) async {
        let run = await CommandRun.run(
            ["receive", "--out", "\(handOver.folder.path)/inbox", "--air", handOver.airPath] + arguments)
        #expect(run.code == code, "\(run.talk)")
    }

    @Test func `demo --request shows the SHA-256 of request and answer at each side`() async throws {
        let query =
            #"{"credentials":[{"id":"c","format":"jwt_vc_json","claims":[{"path":["credentialSubject","name"]}]}]}"#
        let file = try handOver.folder.write("query.json", Array(query.utf8))
        let run = await CommandRun.run("demo", "--request", file)
        #expect(run.status == 0, "\(run.talk)")
        let lines = run.lines.filter { $0.contains("verifier ") || $0.contains("wallet   ") }
        let digests = Set(lines.compactMap { $0.split(separator: " ").last.map(String.init) })
        #expect(lines.count == 2 && digests.count == 1)
        #expect(run.output.contains("equal on both sides"))
    }

    @Test func `inspect explains a credential request, signed or unsigned`() async throws {
        let writer = PresentationRequestWriter(presets: [.name])
        for key in [nil, issuer] {
            let content = try writer.request(
                verifierKey: [UInt8](repeating: 7, count: 32), nonce: "nonce-of-the-request", key: key
            ).content
            let file = try handOver.folder.write("request", content)
            let run = await CommandRun.run("inspect", file)
            #expect(run.status == 0, "\(run.talk)")
            #expect(run.output.contains("asks for      credential: credentialSubject.name"))
            #expect(run.output.contains(key == nil ? "unsigned" : "unknown: did:jwk:"))
        }
    }
}
