import CBOR

@testable import Credentials

/// Tokens in CBOR whose status list is a CWT too.
extension CWTForgery {
    static let lists: [CWTForgery] = [
        Self("59c: revoked by a list that is a CWT", .refused(.stRevoked)) { add(&$0, value: 1) },
        Self("59d: cleared by a list that is a CWT", .genuine) { add(&$0, value: 0) },
        Self("59e: suspended by a list that is a CWT", .refused(.stSuspended)) { add(&$0, value: 2) },
        Self("59f: a list by the key of the token, without an issuer", .genuine) { setting in
            add(&setting, value: 0) { $0.issuer = nil }
        },
        Self("59g: revoked by a list that is too old", .refused(.stRevoked)) { setting in
            add(&setting, value: 1) { $0.fetchedAt = 1_748_000_000 }
        },
        Self("59h: cleared by a list that is too old", .notChecked(.stStale)) { setting in
            add(&setting, value: 0) { $0.fetchedAt = 1_748_000_000 }
        },
        Self("60b: a list that is a CWT of another address", .notChecked(.stUri)) { setting in
            add(&setting, value: 0) { $0.set(2, .text("https://issuer.example/status/2")) }
        },
        Self("61: tag 61 around a list", .notChecked(.stForm)) { setting in
            add(&setting, value: 0) { $0.wrap = { .tagged(61, .tagged(18, $0)) } }
        },
        Self("61b: a list without a tag", .notChecked(.stForm)) { setting in
            add(&setting, value: 0) { $0.wrap = { $0 } }
        },
        Self("62: a list without its type", .notChecked(.stForm)) { setting in
            add(&setting, value: 0) { $0.protectedHeader.removeLast() }
        },
        Self("62b: a list whose type is not protected", .notChecked(.stForm)) { setting in
            add(&setting, value: 0) {
                $0.unprotectedHeader.append($0.protectedHeader.removeLast())
            }
        },
        Self("63: a list as text", .notChecked(.stForm)) { setting in
            add(&setting, value: 0) {
                $0.set(65533, .map([.text("bits"): .int(2), .text("lst"): .text("eNpjYBgF")]))
            }
        },
        Self("63b: three bits", .notChecked(.stForm)) { setting in
            add(&setting, value: 0) {
                $0.set(65533, .map([.text("bits"): .int(3), .text("lst"): .bytes([0x78, 0xDA])]))
            }
        },
        Self("63c: a list without a time", .notChecked(.stForm)) { setting in
            add(&setting, value: 0) { $0.set(6, nil) }
        },
        Self("63d: a list of the future", .notChecked(.stForm)) { setting in
            add(&setting, value: 0) { $0.set(6, .int(1_760_000_000)) }
        },
        Self("63e: a list of another signer", .notChecked(.stSig)) { setting in
            add(&setting, value: 0) { $0.signer = .stranger }
        },
        Self("63f: a list of another issuer", .notChecked(.stSig)) { setting in
            add(&setting, value: 0) {
                $0.signer = .stranger
                $0.issuer = Signer.stranger.did
                $0.unprotectedHeader = [[.int(4), .bytes(Array(Signer.stranger.method.utf8))]]
            }
        },
        Self("63g: a list with bytes behind it", .notChecked(.parseTrailing)) { setting in
            add(&setting, value: 0)
            let list = setting.request.trust.statusLists[0]
            setting.request.trust.statusLists = [
                PinnedStatusList(address: list.address, bytes: list.bytes + [0], fetchedAt: list.fetchedAt)
            ]
        },
        Self("63h: a list that names its own status", .genuine) { setting in
            add(&setting, value: 0) {
                $0.set(
                    65535,
                    .map([.text("status_list"): .map([.text("idx"): .int(3), .text("uri"): .text($0.address)])]))
            }
        },
    ]

    /// A did:key as issuer, and a reference to its status list.
    private static func add(
        _ setting: inout Setting, value: UInt8, _ change: (inout BinaryStatusSample) -> Void = { _ in }
    ) {
        let signer = Signer.p256
        var list = BinaryStatusSample(address: "https://issuer.example/status/1", value: value)
        list.issuer = signer.did
        list.unprotectedHeader = [[.int(4), .bytes(Array(signer.method.utf8))]]
        change(&list)
        setting.request.policy.setDemand(.required, on: .status)
        setting.request.trust.methods = ["did:key"]
        setting.request.trust.statusLists = [list.pinned]
        setting.set(1, .text(signer.did))
        setting.set(65535, StatusSample(value: 0).reference)
        setting.unprotectedHeader = [[.int(4), .bytes(Array(signer.method.utf8))]]
        setting.sign = { signer.sign($0) }
    }
}
