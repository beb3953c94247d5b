internal import FileSystem
package import Operations
internal import PhotoLibrary
package import SystemPackage

/// The result of filling a cache.
package struct CacheFillSummary: Sendable, Equatable, FindingReport {
  /// The number of different photos of the library.
  package internal(set) var photos = 0
  /// The number of pictures that were drawn.
  package internal(set) var drawn = 0
  /// The number of pictures that the cache had already.
  package internal(set) var cached = 0
  /// Photos of formats that libvips does not read.
  package internal(set) var undrawable: [Finding] = []
  /// Photos that are corrupt or missing, or that the decoder does not draw.
  package internal(set) var failed: [Finding] = []
  /// The number of photos that were not drawn since the cache is full.
  package internal(set) var left = 0
  /// What the user should know about the cache.
  package internal(set) var notes: [String] = []

  /// The warning that the cache is full; nil if it is not.
  ///
  /// - Parameter consequence: what this means for a number of photos.
  package func noteOfFullCache(_ consequence: (_ photos: Int) -> String) -> String? {
    left > 0 ? "the cache is full; \(consequence(left))" : nil
  }

  /// The warning that the cache is full and lacks pictures; nil if it is not.
  package var noteOfFullCache: String? {
    noteOfFullCache { "\(Count($0, "photo has", "photos have")) no picture in it" }
  }

  /// The photos that should have a picture and have none.
  package var findings: [Finding] { failed }
}

/// The cache of a library cannot be written, so that drawing pictures for it has no use.
public struct CacheNotWritable: Error, Equatable, CustomStringConvertible {
  let reason: String

  /// One line for the user.
  public var description: String { "cannot fill the cache: \(reason)".escaped }
}

extension Work where Summary == CacheFillSummary {
  /// Starts drawing all pictures that the cache of a library lacks. An interruption keeps the pictures that were drawn.
  ///
  /// The summary throws `HelperError` if nothing can be drawn on this machine, `CacheNotWritable`,
  /// `LibraryError`, `FileLock.Busy` or `FileError`.
  ///
  /// - Parameter lockWait: how long to wait for a process that clears the cache or deletes photo files.
  package static func fillCache(
    of library: FilePath, lockWait: Duration = Library.readersWait
  ) -> Self {
    Work { counter in
      var run = CacheFillRun(path: library, counter: counter)
      run.lockWait = lockWait
      return try run.run().summary
    }
  }
}
