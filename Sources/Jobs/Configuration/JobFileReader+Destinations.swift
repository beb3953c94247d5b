import SystemPackage

extension JobFileReader {
  /// Reads the destinations.
  mutating func destinations(
    _ section: inout YAMLSection, outside library: FilePath?
  ) -> [JobDestination] {
    let reader = self
    let found: [(folder: JobDestination, line: Int)] = folders(
      "destinations", each: "a destination", &section
    ) { destination, part in
      destination.requiredMount = reader.requiredMount(&part)
      destination.sentinel = part.parsedText("sentinel", "the name of a file in the folder") { name in
        FilePath.Component(name)?.kind == .regular ? name : nil
      }
    }
    if !section.has("destinations") {
      section.fault(
        section.line, "\(section.name) has no “destinations”; write a folder, or a list of folders")
    }
    for (destination, line) in found {
      if let library, destination.path.starts(with: library) || destination.path.leads(into: library) {
        section.fault(line, "\(destination.path) is in the library; choose a folder outside the library")
      }
    }
    return found.map(\.folder)
  }

  private func requiredMount(_ section: inout YAMLSection) -> JobDestination.RequiredMount? {
    guard let node = section.node("require-mount") else { return nil }
    switch node.scalar?.string {
    case "true": return .any
    case "false": return nil
    case let text? where text.hasPrefix("/"):
      let point = path(text)
      if point == "/" {
        section.fault(
          "require-mount",
          "has no effect, because / is always mounted; write the mount point of the backup disk, for example /mnt/usb"
        )
      }
      return .at(point)
    default:
      section.fault(
        "require-mount",
        "must be true, or the absolute path of the mount point, for example /mnt/usb")
      return nil
    }
  }
}
