// A program that tries something on a simulated air imports this module, and that of its library.
@_exported public import Air
@_exported public import Bluetooth
@_exported public import CodedErrors
@_exported public import DataStructures
@_exported public import Determinism
@_exported public import Radio
