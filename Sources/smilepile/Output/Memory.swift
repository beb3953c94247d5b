import CSystemCalls

/// How the process gets its memory.
enum Memory {
  /// Gives large blocks back to the system as soon as they are freed. Left alone, malloc raises its threshold with the
  /// first large block that is freed, and keeps all that are smaller: tens of megabytes beside the lists of a large
  /// library.
  static func returnWhatIsFreed() {
    _ = smilepile_set_map_threshold(1 << 20)
  }
}
