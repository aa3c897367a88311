import ByteCoding
import CommandTestSupport
import CryptoSuite
import Foundation
import TestSupport
import Testing

/// Authorities of mobile documents: made by `mdoc make`, added by `trust add`, and by which `verify` judges.
@Suite struct MobileDocumentTrustTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var made: String { "\(folder.path)/made" }

    private func make(_ arguments: String...) async throws {
        let run = await CommandRun.run(["mdoc", "make", "--out", made] + arguments)
        try #require(run.status == 0, "\(run.talk)")
    }

    private func add(_ arguments: String...) async -> CommandRun {
        await CommandRun.run(["trust", "add"] + arguments + ["--trust", "\(folder.path)/trust.txt", "--yes"])
    }

    private func verify(_ arguments: String...) async -> CommandRun {
        await CommandRun.run(
            ["verify", "\(made)/licence.mdoc", "--trust", "\(folder.path)/trust.txt", "--explain"] + arguments)
    }

    private func addList() async -> CommandRun {
        await add("\(made)/authorities.vical", "--root", "\(made)/authority.pem")
    }

    @Test func `mdoc make makes document, authority, revocation list and list of authorities, all marked test`()
        async throws
    {
        try await make()
        #expect(
            try folder.names(in: "made") == ["authorities.vical", "authority.crl", "authority.pem", "licence.mdoc"])
        let run = await addList()
        #expect(run.status == 0, "\(run.talk)")
        #expect(run.talk.contains("Symbolon test authority") && run.talk.contains("C=ZZ"))
    }

    @Test
    func `a root, or a list with it, makes a document genuine, and a revocation list says that its signer is good`()
        async throws
    {
        try await make()
        let root = await add("\(made)/authority.pem", "--for", "mdoc", "--type", "org.iso.18013.5.1.mDL")
        #expect(root.status == 0, "\(root.talk)")
        let open = await verify()
        #expect(open.status == 0 && open.output.contains("no list says it"), "\(open.talk)\(open.output)")
        #expect(await add("\(made)/authority.crl").status == 0)
        let run = await verify()
        #expect(run.status == 0, "\(run.talk)")
        #expect((run.talk + run.output).contains("not on the revocation list of its issuer, which is 1 day old"))
        try FileManager.default.removeItem(atPath: "\(folder.path)/trust.txt")
        #expect(await addList().status == 0)
        #expect(await verify().status == 0)
    }

    @Test func `trust add shows the fingerprints of a list and of each authority, with types and the list's age`()
        async throws
    {
        try await make()
        let run = await addList()
        let certificate = try #require(
            Base64.decode(
                String(decoding: try folder.read("made/authority.pem"), as: UTF8.self).split(separator: "\n")
                    .dropFirst().dropLast().joined()))
        #expect(run.talk.contains(Hex.encode(SHA256.hash(certificate))), "\(run.talk)")
        #expect(run.talk.contains(Hex.encode(SHA256.hash(try folder.read("made/authorities.vical")))))
        #expect(run.talk.contains("org.iso.18013.5.1.mDL"))
        #expect(run.talk.contains("is 1 day old; the next one is due in 28 days"))
    }

    @Test func `a list of authorities that was changed, or is of another root, is not added`() async throws {
        try await make()
        var list = try folder.read("made/authorities.vical")
        list[list.count - 1] ^= 1
        let changed = try folder.write("changed.vical", list)
        let run = await add(changed, "--root", "\(made)/authority.pem")
        #expect(run.code == "trust.not-recognised" && run.talk.contains("cannot be used"), "\(run.talk)")
        try #require(await CommandRun.run("mdoc", "make", "--out", "\(folder.path)/other").status == 0)
        let other = await add("\(made)/authorities.vical", "--root", "\(folder.path)/other/authority.pem")
        #expect(other.code == "trust.not-recognised", "\(other.talk)")
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/trust.txt"))
    }

    @Test(arguments: [
        ("revoked", "credential.x5-revoked"), ("expired", "credential.x5-expired"),
        ("country", "credential.md-country"),
    ])
    func `a signer that was revoked or has expired, and a document of another country, are refused by name`(
        _ fault: String, _ code: String
    ) async throws {
        try await make("--fault", fault)
        #expect(await add("\(made)/authority.pem", "--for", "mdoc").status == 0)
        #expect(await add("\(made)/authority.crl").status == 0)
        let run = await verify()
        #expect(run.status != 0)
        #expect((run.output + run.talk).contains(code), "\(run.output)\(run.talk)")
        #expect(run.output.contains("refused"), "\(run.output)")
    }

    @Test func `a list of authorities past its next date is added and used, and its age is told each time`()
        async throws
    {
        try await make("--fault", "stale-list")
        let added = await addList()
        #expect(added.status == 0 && added.talk.contains("is 40 days old; the next one was due 10 days ago"))
        let run = await verify()
        #expect(run.status == 0, "\(run.talk)")
        #expect((run.output + run.talk).contains("is 40 days old; the next one was due 10 days ago"), "\(run.talk)")
    }

    @Test func `a root for another document type or country than the document's does not vouch for it`() async throws {
        try await make()
        #expect(await add("\(made)/authority.pem", "--for", "mdoc", "--type", "eu.europa.ec.eudi.pid.1").status == 0)
        let type = await verify()
        #expect(type.status == 13 && (type.output + type.talk).contains("credential.trust-issuer"), "\(type.talk)")
        #expect(type.output.contains("for documents of other types alone"), "\(type.output)")
        try FileManager.default.removeItem(atPath: "\(folder.path)/trust.txt")
        let other = await add("\(made)/authority.pem", "--for", "mdoc", "--country", "US")
        #expect(other.code == "usage.conflict" && other.talk.contains("names the country ZZ"), "\(other.talk)")
        #expect(await add("\(made)/authority.pem", "--for", "mdoc", "--country", "ZZ").status == 0)
        #expect(await verify().status == 0)
        let file = String(decoding: try folder.read("trust.txt"), as: UTF8.self)
        _ = try folder.write("trust.txt", file.replacingOccurrences(of: "country ZZ", with: "country US"))
        let country = await verify()
        #expect(country.status == 13 && country.output.contains("for the country US alone"), "\(country.output)")
    }

    @Test func `each copy of a file is judged, and inspect explains the file without the private keys`() async throws {
        try await make("--copies", "2")
        #expect(await add("\(made)/authority.pem", "--for", "mdoc").status == 0)
        let run = await verify()
        #expect(run.status == 0, "\(run.talk)")
        for number in 1...2 {
            #expect(run.output.contains("licence.mdoc, document \(number): genuine"), "\(run.output)")
        }
        let inspected = await CommandRun.run("inspect", "\(made)/licence.mdoc")
        #expect(inspected.status == 0, "\(inspected.talk)")
        #expect(inspected.output.contains("Document with the key of its device"), "\(inspected.output)")
        #expect(inspected.output.components(separatedBy: "not shown").count == 3)
    }
}
