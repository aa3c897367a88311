import Credentials
import Determinism
import JSON
import Presentations
import TestSupport
import Testing

@testable import Desk

@Suite struct CredentialViewTests {
    private func view(_ text: String) -> CredentialView {
        let request = VerificationRequest(trust: TrustStore(), at: WallTime(millisecondsSinceEpoch: 1_790_000_000_000))
        let bytes = Array(text.utf8)
        return CredentialView([CredentialVerifier(request).verify(bytes)], policy: request.policy, bytes: bytes)
    }

    private func credential(_ subject: String, _ more: String = "") -> String {
        """
        {"@context":["https://www.w3.org/ns/credentials/v2"],"type":["VerifiableCredential","Card"],\(more)
        "issuer":{"id":"did:example:issuer","name":"Town"},"validFrom":"2026-01-15T09:00:00Z",
        "credentialSubject":\(subject)}
        """
    }

    private func first(_ text: String) throws -> JSONValue { try #require(view(text).json["credentials"]?[0]) }

    @Test func `the holder's name is shown in each of its languages`() throws {
        let one = try first(
            credential(
                #"{"fullName":[{"language":"eng","value":"Amina Diallo"},{"language":"ara","value":"أمينة ديالو"}]}"#))
        #expect(one["names"]?[0]?["text"] == "Amina Diallo")
        #expect(one["names"]?[1]?["language"] == "ara")
        #expect(one["issuer"]?["text"] == "“did:example:issuer”", "one that did not issue it is quoted")
        #expect(one["issuerNames"]?.array?.isEmpty == true, "what a credential calls its issuer is a claim")
        #expect(one["types"]?[0] == "Card")
        #expect(one["validFrom"] == "2026-01-15T09:00:00Z")
    }

    @Test func `given and family name are joined for each language`() throws {
        let one = try first(
            credential(
                """
                {"givenName":[{"language":"fr","value":"Aïda"},{"language":"ar","value":"عائدة"}],
                "familyName":[{"language":"ar","value":"ديوب"},{"language":"fr","value":"Diop"}]}
                """))
        #expect(one["names"]?[0]?["text"] == "Aïda Diop")
        #expect(one["names"]?[1]?["text"] == "عائدة ديوب")
    }

    @Test func `nested claims are shown with their path`() throws {
        let one = try first(
            credential(#"{"address":{"city":"Dakar","lines":["a","b"]},"isAdult":true,"age":7,"x":null}"#))
        let rows = try #require(one["rows"]?.array).map {
            "\(($0["path"]?.array ?? []).compactMap(\.string).joined(separator: " › "))=\($0["value"]?["text"]?.string ?? "")"
        }
        #expect(
            rows == [
                "address › city=Dakar", "address › lines › 1=a", "address › lines › 2=b", "isAdult=true", "age=7",
                "x=–", "issuer › name=Town",
            ])
    }

    @Test func `the view lists the allowed number of claims, and counts the omitted`() throws {
        // The name that the credential gives its issuer is one of them.
        let limit = CredentialFacts.maximumClaims - 1
        let members = { (count: Int) in "{" + (0..<count).map { "\"c\($0)\":\"\($0)\"" }.joined(separator: ",") + "}" }
        #expect(try first(credential(members(limit)))["omittedRows"] == 0)
        #expect(try first(credential(members(limit)))["rows"]?.array?.count == limit + 1)
        #expect(try first(credential(members(limit + 1)))["omittedRows"] == 1)
    }

    @Test func `an unreadable picture is shown with its fault, and its text is not listed as a claim`() throws {
        let one = try first(credential(#"{"portrait":"data:image/png;base64,PHN2Zz4="}"#))
        #expect(one["pictures"]?[0]?["fault"] == "unknown-kind")
        #expect(one["rows"]?.array?.count == 1, "the name of the issuer")
    }

    @Test func `the view shows the allowed number of pictures, and counts the omitted`() throws {
        let members = { (count: Int) in
            "{" + (0..<count).map { "\"p\($0)\":\"data:image/png;base64,AA==\"" }.joined(separator: ",") + "}"
        }
        let limit = CredentialFacts.maximumPictures
        #expect(try first(credential(members(limit)))["omittedRows"] == 0)
        #expect(try first(credential(members(limit + 1)))["pictures"]?.array?.count == limit)
        #expect(try first(credential(members(limit + 1)))["omittedRows"] == 1)
    }

    @Test(.shows("VD4")) func `hidden characters are made visible in claims, labels and raw data`() throws {
        let view = view(credential("{\"na\u{202E}me\":\"x\u{200B}y\"}"))
        let one = try #require(view.json["credentials"]?[0])
        #expect(one["rows"]?[0]?["path"] == ["na⟨U+202E⟩me"])
        #expect(one["rows"]?[0]?["hidden"] == true)
        #expect(one["rows"]?[0]?["value"]?["text"] == "x⟨U+200B⟩y")
        #expect(one["rows"]?[0]?["value"]?["hidden"] == true)
        #expect(!view.json.text.unicodeScalars.contains("\u{202E}"))
    }

    @Test func `a credential of an unknown issuer is not shown as genuine, and the decisive check is named`()
        throws
    {
        let view = view(credential(#"{"name":"A"}"#))
        #expect(view.result != .genuine)
        #expect(view.json["decisive"]?["kind"] != nil)
        #expect(
            view.json["issued"] != "genuine" && view.json["holder"] == "not-shown" && view.json["now"] == "not-known")
        #expect(view.summary.name == "A")
        #expect(view.summary.issuer == "“did:example:issuer”")
        #expect(view.summary.code != nil)
    }

    @Test func `a check that was not reached names the earlier one that did not pass`()
        throws
    {
        let checks = try #require(view("hello").json["checks"]?.array)
        #expect(checks.first?["outcome"] != "passed")
        let first = try #require(checks.first?["kind"]?.string)
        #expect(checks.dropFirst().allSatisfy { $0["after"]?.string == first })
        #expect(checks.dropFirst().allSatisfy { $0["reason"]?.string?.contains("“\(first)”") == true })
        let done = try #require(view(credential("{}")).json["checks"]?.array)
        #expect(done.contains { $0["kind"] == "status" && $0["after"] == nil })
    }

    @Test func `eight credentials of a payload are shown, and further ones are counted`() {
        let request = VerificationRequest(trust: TrustStore(), at: WallTime(millisecondsSinceEpoch: 1_790_000_000_000))
        let bytes = Array(credential(#"{"name":"A"}"#).utf8)
        let report = CredentialVerifier(request).verify(bytes)
        for (count, omitted) in [(8, nil), (9, 1)] as [(Int, Int?)] {
            let reports = Array(repeating: report, count: count)
            let json = CredentialView(reports, policy: request.policy, bytes: bytes).json
            #expect(json["credentials"]?.array?.count == 8)
            #expect((json["omittedCredentials"]?.int ?? 0) == omitted ?? 0)
        }
    }

    @Test func `200 checks of a payload are shown, and not one more`() {
        for (fails, shown) in [(180, 180), (200, 200), (201, 200)] {
            var list = CredentialCheckList()
            for number in 0..<fails {
                list.fail(
                    .sigInvalid, "Bad.", in: CredentialCheck.Kind.allCases[number / CredentialCheckList.maximumPerKind])
            }
            for kind in CredentialFormat.jwt.kinds where !list.failed(kind) { list.exclude(kind) }
            let report = CredentialReport(.jwt, list, policy: VerificationPolicy())
            #expect(report.checks.count == fails)
            let json = CredentialView([report], policy: VerificationPolicy(), bytes: []).json
            #expect(json["checks"]?.array?.count == shown)
        }
    }

    @Test func `a payload that is no credential is shown as text or hexadecimal digits`() {
        #expect(view("hello\nworld").json["raw"] == ["hello", "world"])
        let request = VerificationRequest(trust: TrustStore(), at: WallTime(millisecondsSinceEpoch: 0))
        let bytes: [UInt8] = [0xFF, 0xFE, 0x00]
        let view = CredentialView([CredentialVerifier(request).verify(bytes)], policy: request.policy, bytes: bytes)
        #expect(view.json["raw"] == ["fffe00"])
    }

    @Test func `long values and deeply nested data are cut in the raw data of a credential`() throws {
        let text = #"{"a":""# + String(repeating: "x", count: 5000) + #""}"#
        let line = try #require(view(text).json["raw"]?[1]?.string)
        #expect(line.utf8.count < 400)
        #expect(line.hasSuffix("… 5000 bytes"))
        let deep = String(repeating: "[", count: 5000)
        #expect(view(deep).json["raw"]?.array?.count == 1)
    }

    @Test func `pictures kept as bytes beside the claims are shown, and JPEG 2000 only by its size`() throws {
        var content = CredentialContent()
        content.pictures = [
            .init(path: ["a"], bytes: PictureTests.gif(5, 6)),
            .init(path: ["b"], bytes: PictureTests.codestream(300, 400)), .init(path: ["c"], bytes: [1, 2, 3]),
        ]
        let policy = VerificationPolicy()
        let report = CredentialReport(.mobileDocument, CredentialCheckList(), policy: policy, content: content)
        let view = CredentialView([report], policy: policy, bytes: [])
        let pictures = try #require(view.json["credentials"]?[0]?["pictures"]?.array)
        #expect(pictures.map { $0["width"]?.int } == [5, 300, nil])
        #expect(pictures.map { $0["data"] != nil } == [true, false, false])
        #expect(pictures[1]["height"] == 400)
        #expect(pictures[1]["size"] == 24)
    }

    @Test func `requested claims are shown apart, in the same form as other claims`() throws {
        let report = CredentialReport(.jwt, CredentialCheckList(), policy: VerificationPolicy())
        let answers: [PresentationAnswerChecker.AnsweredClaim] = [
            .init(name: "ageOver18", value: true),
            .init(name: "name", value: [["language": "fr", "value": "Aïda\u{202E}"]]),
        ]
        let view = CredentialView([report], answers: answers, policy: VerificationPolicy(), bytes: [])
        let rows = try #require(view.json["answers"]?.array)
        #expect(rows.map { $0["path"] } == [["ageOver18"], ["name"]])
        #expect(rows.map { $0["value"]?["text"] } == ["true", "Aïda⟨U+202E⟩"])
        #expect(rows[1]["value"]?["language"] == "fr")
        #expect(CredentialView([report], policy: VerificationPolicy(), bytes: []).json["answers"] == [])
    }

    @Test(.shows("VD5")) func `all pictures of a payload share one limit of pixels`() throws {
        func faults(_ sizes: [[(Int, Int)]]) throws -> [String?] {
            let policy = VerificationPolicy()
            let reports = sizes.map { sizes in
                var content = CredentialContent()
                content.pictures = sizes.enumerated().map { index, size in
                    .init(path: ["\(index)"], bytes: PictureTests.gif(size.0, size.1))
                }
                return CredentialReport(.mobileDocument, CredentialCheckList(), policy: policy, content: content)
            }
            let view = CredentialView(reports, policy: policy, bytes: [])
            return try #require(view.json["credentials"]?.array).flatMap { $0["pictures"]?.array ?? [] }
                .map { $0["fault"]?.string }
        }
        let half = (4096, 2048)
        #expect(try faults([[half, half]]) == [nil, nil])
        #expect(try faults([[half], [half]]) == [nil, nil])
        #expect(try faults([[half, half, (1, 1)]]) == [nil, nil, "too-many-together"])
        #expect(try faults([[half], [half], [(1, 1)]]) == [nil, nil, "too-many-together"])
        #expect(try faults([[half, (4096, 4096), half]]) == [nil, "too-many-together", nil])
    }

    @Test func `the shown dates of an mdoc are those that its issuer signed`() throws {
        var content = CredentialContent()
        content.types = ["org.iso.18013.5.1.mDL"]
        content.claims = ["org.iso.18013.5.1": ["family_name": "Diallo", "birth_date": "1997-04-12"]]
        content.validity = .init(from: "2026-01-15T09:00:00Z", until: nil)
        let policy = VerificationPolicy()
        let report = CredentialReport(.mobileDocument, CredentialCheckList(), policy: policy, content: content)
        let one = try #require(CredentialView([report], policy: policy, bytes: []).json["credentials"]?[0])
        #expect(one["validFrom"] == "2026-01-15T09:00:00Z")
        #expect(one["validUntil"] == nil)
        #expect(one["rows"]?[1]?["value"]?["text"] == "1997-04-12")
        #expect(one["names"]?[0]?["text"] == "Diallo")
    }

    @Test func `numeric dates of a JWT are shown as dates`() throws {
        let one = try first(#"{"iss":"https://a.example","vct":"Card","iat":1700000000,"exp":1800000000,"name":"A"}"#)
        #expect(one["validFrom"] == nil || one["validFrom"] == 1_700_000_000)
    }
}
