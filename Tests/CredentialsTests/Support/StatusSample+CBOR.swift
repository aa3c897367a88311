import CBOR
import JSON

@testable import Credentials

extension StatusSample {
    /// A list that the key of a did:key signed, fresh on 2025-06-01.
    static func ofKey(value: UInt8) -> StatusSample {
        var sample = StatusSample(value: value)
        sample.claims["iss"] = .string(sample.signer.did)
        sample.header["kid"] = .string(sample.signer.method)
        sample.fetchedAt = 1_748_735_000
        return sample
    }

    /// The reference to the entry, as credentials in CBOR have it.
    var reference: CBORItem {
        .map([.text("status_list"): .map([.text("idx"): .int(index), .text("uri"): .text(address)])])
    }
}
