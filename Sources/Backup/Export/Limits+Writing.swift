import Operations

extension Limits {
  /// The limits for archives that this program has just written: a library may be larger than the limits for archives
  /// of unknown origin.
  package static var own: Limits {
    var limits = Limits()
    limits.maximumEntries = .max
    limits.maximumDirectoryBytes = .max
    limits.maximumBytes = .max
    limits.maximumDocumentBytes = .max
    return limits
  }
}
