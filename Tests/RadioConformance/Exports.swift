// The tests of a radio import this module alone.
@_exported public import Bluetooth
@_exported public import CodedErrors
@_exported public import Determinism
@_exported public import Radio
