import FileSystem
import SystemPackage
import Yams

/// The text of a configuration file: a job file, or rules of `sort`.
enum ConfigurationText {
  /// The maximum size of a configuration file, in bytes.
  private static let maximumBytes = 1 << 20

  /// Reads a configuration file. Blocks.
  ///
  /// - Throws: `InvalidConfiguration` if the file is too long or not UTF-8; `OwnershipError` if other users can change it;
  ///   `FileError` if it cannot be read.
  static func read(_ path: FilePath) throws -> String {
    let file = try File.open(path, .readFollowingLinks)
    let status = try file.status()
    guard status.kind == .file else { throw fault(path, "it is not a file") }
    try Ownership.require(file)
    guard let bytes = try file.contents(atMost: maximumBytes) else {
      throw fault(path, "it has \(status.size) bytes; a configuration file has at most \(maximumBytes)")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw fault(path, "it is not UTF-8") }
    return text
  }

  private static func fault(_ path: FilePath, _ message: String) -> InvalidConfiguration {
    InvalidConfiguration(path: path, faults: [ConfigurationFault(line: 0, message: message)])
  }

  /// Returns the root of a YAML text; nil if the text is empty or has mistakes.
  ///
  /// - Parameters:
  ///   - empty: the mistake of an empty text.
  ///   - fault: called with each mistake.
  static func root(of text: String, empty: String, fault: (ConfigurationFault) -> Void) -> Node? {
    let syntax = ConfigurationSyntax(text)
    guard syntax.faults.isEmpty else {
      syntax.faults.forEach(fault)
      return nil
    }
    do {
      if let root = try Yams.compose(yaml: text) { return root }
      fault(ConfigurationFault(line: 0, message: empty))
    } catch let error as YamlError {
      fault(ConfigurationFault(error, in: text))
    } catch {
      fault(ConfigurationFault(line: 0, message: "\(error)"))
    }
    return nil
  }
}
