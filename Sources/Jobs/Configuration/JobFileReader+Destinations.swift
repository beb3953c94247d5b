import SystemPackage
import Yams

extension JobFileReader {
  /// Reads a folder or a list of folders.
  mutating func destinations(
    _ section: inout YAMLSection, outside library: FilePath?
  ) -> [JobDestination] {
    guard let node = section.node("destinations") else {
      if section.all.allSatisfy({ $0.key != "destinations" }) {
        section.fault(
          section.line, "\(section.name) has no “destinations”; write a folder, or a list of folders")
      }
      return []
    }
    let nodes = node.sequence.map(Array.init) ?? [node]
    if nodes.isEmpty { section.fault(node.line, "“destinations” has no folder; write at least one") }
    var found: [JobDestination] = []
    for node in nodes {
      if node.scalar?.string.isEmpty == true {
        section.fault(node.line, "a destination is empty; write the path of a folder")
        continue
      }
      if let fault = node.scalar.flatMap({ Self.fault(inPath: $0.string) }) {
        section.fault(node.line, "a destination \(fault)")
        continue
      }
      guard let destination = destination(node) else { continue }
      if found.contains(where: { $0.path.isSamePlace(as: destination.path) }) {
        section.fault(node.line, "\(destination.path) is listed twice; remove one")
      }
      if let library, destination.path.starts(with: library) || destination.path.leads(into: library) {
        section.fault(
          node.line,
          "\(destination.path) is in the library; choose a folder outside the library")
      }
      found.append(destination)
    }
    return found
  }

  private mutating func destination(_ node: Node) -> JobDestination? {
    if let text = node.scalar?.string { return JobDestination(path: path(text)) }
    guard var section = section(node, "a destination") else { return nil }
    defer { close(&section) }
    let folder = path("path", in: &section)
    var destination = JobDestination(path: folder ?? "")
    destination.requiredMount = requiredMount(&section)
    if let sentinel = section.text("sentinel") {
      if FilePath.Component(sentinel)?.kind == .regular {
        destination.sentinel = sentinel
      } else {
        section.fault("sentinel", "must be the name of a file in the folder")
      }
    }
    guard folder != nil else {
      if section.all.allSatisfy({ $0.key != "path" }) {
        section.fault(section.line, "a destination has no “path”; write the path of its folder")
      }
      return nil
    }
    return destination
  }

  private func requiredMount(_ section: inout YAMLSection) -> JobDestination.RequiredMount? {
    guard let node = section.node("require-mount") else { return nil }
    switch node.scalar?.string {
    case "true": return .any
    case "false": return nil
    case let text? where text.hasPrefix("/"):
      let place = path(text)
      if place == "/" {
        section.fault(
          "require-mount",
          "has no effect, because / is always mounted; write the mount point of the backup disk, for example /mnt/usb"
        )
      }
      return .at(place)
    default:
      section.fault(
        "require-mount",
        "must be true, or the absolute path of the mount point, for example /mnt/usb")
      return nil
    }
  }
}
