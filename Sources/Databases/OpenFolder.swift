package import FileSystem

/// An open folder that several values share. It stays open until the last of them is destroyed.
package final class OpenFolder: Sendable {
  /// The folder.
  package let directory: Directory

  /// Takes over a folder.
  package init(_ directory: consuming Directory) { self.directory = directory }
}
