import CBOR
import JSON

@testable import Credentials

extension StatusSample {
    /// Makes a status list that the key of a did:key signed, fresh on 2025-06-01.
    static func ofKey(value: UInt8) -> StatusSample {
        var sample = StatusSample(value: value)
        sample.claims["iss"] = .string(sample.signer.did)
        sample.header["kid"] = .string(sample.signer.method)
        sample.fetchedAt = 1_748_735_000
        return sample
    }

    /// The reference to the status list's entry, in the form of credentials in CBOR.
    var reference: CBORItem {
        .map([.text("status_list"): .map([.text("idx"): .int(index), .text("uri"): .text(address)])])
    }
}
