extension ZipMember {
  /// An entry with deflated data and right headers.
  package static func compressed(_ name: String, _ content: [UInt8]) -> ZipMember {
    ZipMember(Array(name.utf8), content: content, data: RawDeflate.compress(content), method: 8)
  }
}

/// An archive as java.util.zip.ZipOutputStream writes it: deflated, every size and checksum in a descriptor after the
/// data, zeros in the local headers, names marked as UTF-8, no directory entries.
package struct JavaZip: Sendable {
  private var members: [ZipMember] = []

  /// An archive without entries.
  package init() {}

  /// Appends an entry.
  package mutating func add(_ name: String, _ content: [UInt8]) {
    members.append(
      ZipMember.compressed(name, content).streamed.with { member in
        member.both { $0.flags |= 1 << 11 }
        member.central.madeBy = 20
        member.central.externalAttributes = 0
      })
  }

  /// The archive.
  package var bytes: [UInt8] { ZipBuilder(members).bytes }
}

/// An archive as the iOS system zips a folder for uploading: everything under one root folder, with directory entries,
/// the files deflated and streamed.
package struct FolderZip: Sendable {
  private let root: String
  private let marksNames: Bool
  private var members: [ZipMember]

  /// An archive of a folder that holds a folder `photos`; names are UTF-8, whether marked or not.
  package init(root: String, marksNames: Bool = true) {
    self.root = root
    self.marksNames = marksNames
    members = [.directory(root + "/"), .directory(root + "/photos/")]
    for index in members.indices { members[index].central.madeBy = 3 << 8 | 21 }
  }

  /// Appends a file of the folder.
  package mutating func add(_ name: String, _ content: [UInt8]) {
    members.append(
      ZipMember.compressed("\(root)/\(name)", content).streamed.with { member in
        member.central.madeBy = 3 << 8 | 21
        if !marksNames { member.both { $0.flags &= ~(1 << 11) } }
      })
  }

  /// The archive.
  package var bytes: [UInt8] { ZipBuilder(members).bytes }
}

/// An archive as ZIPFoundation writes it file by file: deflated, sizes and checksum in the local headers, names marked
/// as UTF-8, no directory entries.
package struct ZIPFoundationZip: Sendable {
  private var members: [ZipMember] = []

  /// An archive without entries.
  package init() {}

  /// Appends an entry.
  package mutating func add(_ name: String, _ content: [UInt8]) {
    members.append(
      ZipMember.compressed(name, content).with { member in
        member.both { $0.flags = 1 << 11 }
        member.central.madeBy = 3 << 8 | 21
      })
  }

  /// The archive.
  package var bytes: [UInt8] { ZipBuilder(members).bytes }
}
