import JSON

@testable import Credentials

/// Documents with several proofs, beside each other or one upon another.
enum ProofSetForgeries {
    typealias Entry = Forgery<ProofSample>

    private static func unknown(_ name: String? = nil, purpose: String = "assertionMethod") -> JSONObject {
        var proof: JSONObject = [
            "type": "DataIntegrityProof", "cryptosuite": "other-suite-2030", "created": ProofSample.created,
            "verificationMethod": .string(Signer.edwards.method), "proofPurpose": .string(purpose), "proofValue": "u1",
        ]
        proof["id"] = name.map(JSONValue.string)
        return proof
    }

    /// A credential with a proof of a suite, in a set that `others` makes of it.
    private static func set(
        _ others: @escaping @Sendable (JSONValue) -> [JSONValue], suite: String = "eddsa-jcs-2022",
        change: @escaping @Sendable (inout ProofSample) -> Void = { _ in }
    ) -> @Sendable (inout ProofSample) -> Void {
        { sample in
            sample = .statements("DataIntegrityProof", .edwards, cryptosuite: suite)
            change(&sample)
            let edit = sample.edit
            sample.edit = { document in
                edit(&document)
                document["proof"] = .array(others(document["proof"] ?? .null))
            }
        }
    }

    /// A presentation with a good proof and an unknown one.
    private static func presented(
        _ change: @escaping @Sendable (inout ProofSample) -> Void
    ) -> @Sendable (inout ProofSample) -> Void {
        { sample in
            sample = PresentationProofTests.sample()
            change(&sample)
            let edit = sample.edit
            sample.edit = { document in
                edit(&document)
                let other = JSONValue.object(unknown(purpose: "authentication"))
                document["proof"] = .array([document["proof"] ?? .null, other])
            }
        }
    }

    /// A chain of proofs over JSON, each of which names those before it; `names` has the identifiers that each names.
    private static func chain(_ names: [[Int]]) -> @Sendable (inout ProofSample) -> Void {
        { sample in
            var made: [JSONValue] = []
            for (number, previous) in names.enumerated() {
                var proof = sample.proof
                proof["id"] = .string("urn:x:\(number)")
                if !previous.isEmpty { proof["previousProof"] = .strings(previous.map { "urn:x:\($0)" }) }
                let beside = previous.filter { $0 < made.count }.map { made[$0] }
                made.append(sample.proof(proof, beside: beside))
            }
            let proofs = made
            sample.edit = { $0["proof"] = .array(proofs) }
        }
    }

    /// A chain over statements upon a proof with these members more.
    private static func stated(
        _ more: JSONObject = [:], contexts: [String] = []
    ) -> @Sendable (inout ProofSample) -> Void {
        { sample in
            sample = .statements("DataIntegrityProof", .edwards, cryptosuite: "eddsa-rdfc-2022")
            if !contexts.isEmpty {
                sample.document["@context"] = .strings(contexts)
                sample.document["issuanceDate"] = sample.document["validFrom"]
                sample.document["validFrom"] = nil
            }
            var first = sample
            if !contexts.isEmpty { first.form = .plainSuite }
            first.proof["id"] = "urn:x:1"
            var previous = first.signed["proof"]?.object ?? [:]
            for member in more { previous[member.name] = member.value }
            let before = JSONValue.object(previous)
            sample.proof["id"] = "urn:x:2"
            sample.proof["previousProof"] = "urn:x:1"
            sample.previous = [before]
            sample.edit = { $0["proof"] = .array([before, $0["proof"] ?? .null]) }
        }
    }

    /// A credential with a proof of its issuer and one of another.
    private static func both(
        _ change: @escaping @Sendable (inout JSONObject) -> Void = { _ in }
    ) -> @Sendable (inout ProofSample) -> Void {
        { sample in
            sample = .statements("DataIntegrityProof", .edwards, cryptosuite: "eddsa-jcs-2022")
            var other = ProofSample.statements("DataIntegrityProof", .p256, cryptosuite: "ecdsa-jcs-2019")
            other.document = sample.document
            let second = other.signed["proof"] ?? .null
            sample.edit = { document in
                var first = document["proof"]?.object ?? [:]
                change(&first)
                document["proof"] = .array([.object(first), second])
            }
        }
    }

    static let all: [Entry] = [
        Entry(
            0, "a bad proof of the issuer beside a good one of another", .sigInvalid, nil,
            both {
                $0["created"] = "2024-12-01T00:00:00Z"
            }),
        Entry(
            0, "an unknown proof beside a bad one", .sigInvalid, nil,
            set(
                { [$0, .object(unknown())] }, change: { $0.edit = { $0["validFrom"] = "2024-01-01T00:00:00Z" } })),
        Entry(
            0, "an unknown proof beside a good one of another", .issMismatch, nil,
            set(
                { [$0, .object(unknown())] }, change: { $0.document["issuer"] = .string(Signer.p256.did) })),
        Entry(
            0, "a proof that builds on an unknown one", .algMismatch, .notChecked,
            set(
                { [.object(unknown("urn:x:1")), $0] }, suite: "eddsa-rdfc-2022",
                change: {
                    $0.proof["id"] = "urn:x:2"
                    $0.proof["previousProof"] = "urn:x:1"
                    $0.previous = [.object(unknown("urn:x:1"))]
                })),
        Entry(
            0, "an unknown proof beside a good one, in a presentation of another", .vpHolder, nil,
            presented {
                $0.document["holder"] = .string(Signer.p256.did)
            }),
        Entry(
            0, "an unknown proof beside a bad one, in a presentation without a holder", .sigInvalid, nil,
            presented {
                $0.document["holder"] = nil
                $0.edit = { $0["name"] = "x" }
            }),
        Entry(
            0, "two unknown proofs alone", .algMismatch, .notChecked,
            set({ _ in
                [.object(unknown()), .object(unknown())]
            })),
        Entry(0, "a proof that names itself", .ldChainBroken, nil, chain([[0]])),
        Entry(0, "two proofs that name each other", .ldChainBroken, nil, chain([[1], [0]])),
        Entry(0, "a proof upon one that names a later one", .ldChainBroken, nil, chain([[2], [0], [1]])),
        Entry(0, "a proof upon one that names a proof that is not there", .ldChainBroken, nil, chain([[7], [0]])),
        Entry(
            0, "a proof over statements upon one with a member that means nothing", .ldTermDropped, nil,
            stated(
                ["note": "yes"])),
        Entry(
            0, "a proof over statements upon another, under a context without the member", .ldProofUnknownMember, nil,
            stated(
                contexts: ["https://www.w3.org/2018/credentials/v1", "https://w3id.org/security/data-integrity/v1"])),
        Entry(0, "a proof that selects statements upon another", .ldProofUnknownMember, .notChecked) { sample in
            sample = SelectiveForgeries.sample(isDerived: false)
            let edit = sample.edit
            sample.edit = { document in
                edit(&document)
                guard var proof = document["proof"]?.object else { return }
                proof["previousProof"] = "urn:x:1"
                document["proof"] = .array([.object(unknown("urn:x:1")), .object(proof)])
            }
        },
    ]

    static let twins: [Entry] = [
        Entry(0, "a proof of the issuer beside one of another", .sigInvalid, .genuine, both()),
        Entry(0, "an unknown proof beside a good one", .sigInvalid, .genuine, set({ [$0, .object(unknown())] })),
        Entry(
            0, "an unknown proof before a good one over statements", .sigInvalid, .genuine,
            set(
                { [.object(unknown()), $0] }, suite: "eddsa-rdfc-2022")),
        Entry(
            0, "an unknown proof upon a good one", .sigInvalid, .genuine,
            set(
                { proof in
                    var second = unknown("urn:x:2")
                    second["previousProof"] = "urn:x:1"
                    return [proof, .object(second)]
                }, change: { $0.proof["id"] = "urn:x:1" })),
        Entry(0, "an unknown proof with a name beside a chain", .sigInvalid, .genuine) { sample in
            chain([[], [0]])(&sample)
            let edit = sample.edit
            sample.edit = { document in
                edit(&document)
                document["proof"] = .array((document["proof"]?.array ?? []) + [.object(unknown("urn:x:9"))])
            }
        },
        Entry(0, "an unknown proof beside a good one in a presentation", .sigInvalid, .genuine, presented { _ in }),
        Entry(
            0, "an unknown proof beside a good one in a presentation without a holder", .sigInvalid, .genuine,
            presented { $0.document["holder"] = nil }),
        Entry(0, "a chain of three proofs", .sigInvalid, .genuine, chain([[], [0], [1]])),
        Entry(0, "a proof upon two that build on one", .sigInvalid, .genuine, chain([[], [0], [0], [1, 2]])),
        Entry(0, "a proof over statements upon another", .sigInvalid, .genuine, stated()),
    ]
}
