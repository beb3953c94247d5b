import SystemPackage
import Yams

/// A folder in a list of the job file.
protocol ConfiguredFolder {
  var path: FilePath { get }

  init(path: FilePath)
}

extension JobDestination: ConfiguredFolder {}
extension Inbox: ConfiguredFolder {}

extension JobFileReader {
  /// Reads a folder or a list of folders, each of which is a path, or a section with the key “path”.
  ///
  /// - Parameters:
  ///   - name: a folder of the list in messages.
  ///   - more: reads the other keys of a section.
  mutating func folders<Folder: ConfiguredFolder>(
    _ key: String, each name: String, _ section: inout YAMLSection,
    _ more: (inout Folder, inout YAMLSection) -> Void
  ) -> [(folder: Folder, line: Int)] {
    guard let node = section.node(key) else { return [] }
    let nodes = node.sequence.map(Array.init) ?? [node]
    if nodes.isEmpty { section.fault(node.line, "“\(key)” has no folder; write at least one") }
    var found: [(folder: Folder, line: Int)] = []
    for node in nodes {
      guard let folder = element(node, name, &section, more) else { continue }
      if found.contains(where: { $0.folder.path.isSamePlace(as: folder.path) }) {
        section.fault(node.line, "\(folder.path) is listed twice; remove one")
      }
      found.append((folder, node.line))
    }
    return found
  }

  private mutating func element<Folder: ConfiguredFolder>(
    _ node: Node, _ name: String, _ list: inout YAMLSection,
    _ more: (inout Folder, inout YAMLSection) -> Void
  ) -> Folder? {
    if let text = node.scalar?.string {
      let fault = text.isEmpty ? "is empty; write the path of a folder" : Self.fault(inPath: text)
      guard let fault else { return Folder(path: path(text)) }
      list.fault(node.line, "\(name) \(fault)")
      return nil
    }
    guard var section = section(node, name) else { return nil }
    defer { close(&section) }
    let found = path("path", in: &section)
    var folder = Folder(path: found ?? "")
    more(&folder, &section)
    if !section.has("path") {
      section.fault(section.line, "\(name) has no “path”; write the path of its folder")
    }
    return found == nil ? nil : folder
  }
}
