/// An open file that closures and classes share. The release of the last reference closes it.
package final class SharedFile: Sendable {
  /// The file.
  package let file: File

  /// Takes over a file.
  package init(_ file: consuming File) { self.file = file }
}
