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
}

/// Reads a YAML text and collects every mistake.
protocol ConfigurationReader {
  var faults: [ConfigurationFault] { get set }
}

extension ConfigurationReader {
  /// Returns the root of a YAML text; nil if the text is empty or has mistakes.
  ///
  /// - Parameter empty: the mistake of an empty text.
  mutating func root(of text: String, empty: String) -> Node? {
    faults += ConfigurationSyntax(text).faults
    guard faults.isEmpty else { return nil }
    do {
      if let root = try Yams.compose(yaml: text) { return root }
      faults.append(ConfigurationFault(line: 0, message: empty))
    } catch let error as YamlError {
      faults.append(ConfigurationFault(error, in: text))
    } catch {
      faults.append(ConfigurationFault(line: 0, message: "\(error)"))
    }
    return nil
  }

  mutating func section(_ node: Node, _ name: String) -> YAMLSection? {
    YAMLSection(node, name: name) { faults.append($0) }
  }

  mutating func close(_ section: inout YAMLSection) {
    section.finish()
    faults += section.faults
  }

  /// Throws all mistakes, sorted by line, if there are any.
  func requireNoFault(in path: FilePath) throws(InvalidConfiguration) {
    guard !faults.isEmpty else { return }
    throw InvalidConfiguration(path: path, faults: faults.sorted { $0.line < $1.line })
  }
}
