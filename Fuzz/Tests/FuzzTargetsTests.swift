import Testing

/// The fuzz targets, compiled without the fuzzer: what they call is there, and they keep their promises for their own seeds.
@Suite struct FuzzTargetsTests {
    @Test(arguments: FuzzTarget.all.map(\.name).filter { $0 != "planted" })
    func `a fuzz target takes its seeds, whole and cut short`(name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let seeds = target.seeds()
        #expect(!seeds.isEmpty)
        for seed in seeds {
            #expect(seed.count <= target.maximumBytes)
            for length in Set([0, seed.count / 2, max(0, seed.count - 1), seed.count]) {
                target.run(Array(seed.prefix(length)))
            }
        }
    }
}
