import WebAddressing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The system's blocking call `getaddrinfo`.
enum SystemAddressLookup {
    /// All addresses of `name`, each once, in the order of the system.
    static func addresses(of name: String) -> Result<[IPAddress], FetchError> {
        var hints = unsafe addrinfo()
        unsafe hints.ai_family = AF_UNSPEC
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let status = unsafe getaddrinfo(name, nil, &hints, &list)
        guard status == 0 else { return .failure(error(status)) }
        defer { unsafe freeaddrinfo(list) }
        var found: [IPAddress] = []
        var entry = unsafe list
        while let current = unsafe entry {
            if let address = unsafe address(current.pointee), !found.contains(address) { found.append(address) }
            unsafe entry = current.pointee.ai_next
        }
        return .success(found)
    }

    private static func error(_ status: Int32) -> FetchError {
        let isMissing = [EAI_NONAME, -5].contains(status)
        return isMissing
            ? FetchError(.nameNotFound, "The name does not exist, or has no address.")
            : FetchError(.nameServerFailed, "The name servers gave no answer that can be used.")
    }

    private static func address(_ entry: addrinfo) -> IPAddress? {
        guard let start = unsafe entry.ai_addr else { return nil }
        let raw = UnsafeRawPointer(start)
        if unsafe entry.ai_family == AF_INET, unsafe Int(entry.ai_addrlen) >= MemoryLayout<sockaddr_in>.size {
            let bits = unsafe raw.loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr
            return .v4(IPv4Address(bits: UInt32(bigEndian: bits)))
        }
        if unsafe entry.ai_family == AF_INET6, unsafe Int(entry.ai_addrlen) >= MemoryLayout<sockaddr_in6>.size {
            let inner = unsafe raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr
            return unsafe withUnsafeBytes(of: inner) { unsafe IPv6Address(bytes: Array($0)) }.map { .v6($0) }
        }
        return nil
    }
}
