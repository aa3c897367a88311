import ByteCoding
import DIDComm
import JSON

/// Reads the members of a client's requests; an unreadable one throws `aries.message.malformed`.
extension Message {
    /// Reads the verkey in the member `name`; nil when the message has no such member.
    func optionalKey(_ name: String) throws(AriesError) -> Verkey? {
        let text = try AriesError.reading(.messageMalformed) { () throws(JSONError) in
            try reader.optionalString(name)
        }
        guard let text else { return nil }
        return try AriesError.checking(.messageMalformed) { () throws(DIDCommError) in
            let key = try Verkey(parsing: text)
            try key.checkSafety()
            return key
        }
    }

    /// Reads the limit in the member `name`: 1 when it is absent, and at most `most`.
    func limit(_ name: String, upTo most: Int) throws(AriesError) -> Int {
        let number = try AriesError.reading(.messageMalformed) { () throws(JSONError) in
            try reader.optionalInt(name)
        }
        return min(max(1, number ?? 1), most)
    }

    /// Reads message identifiers, each once; throws for too many, or for one longer than the mediator makes.
    func identifiers(_ name: String) throws(AriesError) -> [String] {
        let ids = try AriesError.reading(.messageMalformed) { () throws(JSONError) in try reader.strings(name) }
        guard ids.count <= MediatorSession.maximumIDs,
            ids.allSatisfy({ (1...Message.maximumIDBytes).contains($0.utf8.count) })
        else {
            throw AriesError(.messageMalformed, "More identifiers, or longer ones, came than are given out.")
        }
        var seen: Set<String> = []
        return ids.filter { seen.insert($0).inserted }
    }

    /// Returns true when the client requests live delivery.
    func wantsLiveDelivery() throws(AriesError) -> Bool {
        try AriesError.reading(.messageMalformed) { () throws(JSONError) in try reader.bool("live_delivery") }
    }

    /// Reads the page of the key list that the client requests.
    func keyPage() throws(AriesError) -> (offset: Int, limit: Int) {
        let (limit, offset) = try AriesError.reading(.messageMalformed) { () throws(JSONError) in
            let page = try reader.optional("paginate")
            return (try page?.optionalInt("limit"), try page?.optionalInt("offset"))
        }
        return (max(0, offset ?? 0), min(max(1, limit ?? KeylistPage.maximumCount), KeylistPage.maximumCount))
    }

    /// Reads the key changes that the client requests; nil when they are too many for one message.
    func keyChanges() throws(AriesError) -> [RequestedKeylistUpdate]? {
        let entries = try AriesError.reading(.messageMalformed) { () throws(JSONError) in
            try reader.elements("updates")
        }
        return entries.count > KeylistUpdate.maximumCount ? nil : entries.map { RequestedKeylistUpdate($0.value) }
    }
}
