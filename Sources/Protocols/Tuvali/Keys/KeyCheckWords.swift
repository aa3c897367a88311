import CryptoSuite

/// A public key as words that two people can compare by reading them aloud.
///
/// Six words of a list of 256, one for each of the first six bytes of the SHA-256 of the key: 48 bits. They are a help
/// for people, not a check of ours: the whole key comes from the QR code.
public enum KeyCheckWords {
    /// The number of words that represent a key.
    public static let count = 6

    /// The words of `key`, in order.
    public static func words(for key: [UInt8]) -> [String] {
        SHA256.hash(key).prefix(count).map { list[Int($0)] }
    }

    /// The list, one word for each value of a byte; never changed, or two versions would read differently.
    static let list: [String] = """
        acorn actor agent album alarm amber anchor angle apple april apron arena armor arrow atlas attic
        audio august autumn badge bagel baker bamboo banjo barrel basil basket beach beacon beard beaver bell
        berry bicycle birch bison blanket blossom bonus border bottle branch bread brick bridge bronze broom brush
        bucket butter button cabin cable cactus camera canal candle canoe canvas captain caramel carbon cargo carpet
        castle cedar cello cherry chess circle citrus clay cliff clock clover cobalt cocoa comet copper coral
        cotton cradle crane crater cricket crystal cube curtain cypress dagger daisy dancer desert diamond dolphin dragon
        drum eagle earth echo eclipse elbow elder ember emerald engine estate fabric falcon farmer feather ferry
        fiddle finch flame flute forest fossil fountain fox galaxy garden garlic giant ginger glacier globe goblet
        granite grape gravel guitar hammer harbor harp hazel helmet heron hill honey hotel hunter igloo indigo
        island ivory jacket jaguar jasmine jewel jungle kayak kernel kettle kitten koala ladder lagoon lantern laurel
        lava lemon lentil lily linen lizard lobster lotus magnet mango maple marble meadow melon mirror mitten
        monkey moss motor museum napkin nebula needle nickel nutmeg oasis ocean olive onion orbit orchid otter
        oyster paddle palace panda paper parrot pebble pencil pepper piano pigeon pillow pilot planet plum pocket
        pollen poplar powder prism pumpkin puzzle quartz quilt rabbit radio raven ribbon river rocket rose ruby
        saddle saffron salmon satin scarf shadow silver sketch sparrow spider spring squirrel stable stone sugar summit
        sunset table tiger timber tower tulip tunnel turtle velvet violin walnut whale willow window winter zebra
        """.split { $0 == " " || $0 == "\n" }.map(String.init)
}
