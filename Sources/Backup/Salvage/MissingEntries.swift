import FileSystem
import Operations
import Zip

/// The entries that are missing in a damaged archive, and why.
struct MissingEntries {
  let salvage: Salvage
  /// The folder that contains everything, with its slash; empty at the root.
  var root = ""
  /// Why entries are not used that were found, and that nothing confirms, by name.
  var unconfirmed: [String: String] = [:]

  /// Why entries are missing, by name.
  var reasons: [String: String] {
    let lost = salvage.losses.map { ($0.name, $0.reason.description) }
    return Dictionary(lost, uniquingKeysWith: { $1 }).merging(unconfirmed, uniquingKeysWith: { $1 })
  }

  /// Returns a finding for each missing entry that no photo reports. A photo reports that its own entry is missing. A copy
  /// of an entry that was found is not missing. Two entries with one name and different content are no copies.
  ///
  /// - Parameter found: the entries that are used.
  func findings(besides found: [Entry], _ manifest: [Metadata.ManifestEntry] = []) -> [Finding] {
    var findings: [Finding] = []
    /// The CRC-32s of the files of each name that were found, or are reported already; nil among them if one is unknown.
    var known: [String: Set<UInt32?>] = [:]
    for item in manifest {
      for name in [item.zipEntryName, "photos/\(item.fileName)"] { known[root + name] = [] }
    }
    for entry in found { known[entry.name, default: []].insert(entry.knownCRC32) }
    for entry in salvage.archive.entries where salvage.isVerified(entry) {
      known[entry.name]?.insert(entry.knownCRC32)
    }
    for loss in salvage.losses where !isWrittenAnew(loss.name) {
      guard let crc32s = known[loss.name] else {
        findings.append(Finding(.entry(loss.name.escaped), loss.reason.description))
        continue
      }
      known[loss.name]?.formUnion(loss.crc32s)
      // without a found entry, the photo of this name reports that its entry is missing
      if !crc32s.isEmpty, !crc32s.contains(nil), !loss.crc32s.subtracting([nil]).isSubset(of: crc32s) {
        findings.append(
          Finding(.entry(loss.name.escaped), "another file of this name is lost: \(loss.reason)"))
      }
    }
    for (index, container) in salvage.remains.sorted(by: { $0.key < $1.key }) {
      let entry = salvage.archive.entries[index]
      guard let crc32s = known[entry.name], !crc32s.contains(nil), !crc32s.contains(entry.knownCRC32) else {
        continue
      }
      findings.append(
        Finding(
          .entry(entry.name.escaped),
          "another file of this name was found inside the remains of \(container.escaped), and no list of the archive names it"
        ))
    }
    for (name, reason) in unconfirmed.sorted(by: { $0.key < $1.key })
    where known[name] == nil && !isWrittenAnew(name) {
      findings.append(Finding(.entry(name.escaped), reason))
    }
    return findings
  }

  /// True for folders and for the list of checksums, which a new archive gets anew.
  private func isWrittenAnew(_ name: String) -> Bool {
    name.hasSuffix("/") || name == root + MetadataEntries.checksumsName
  }
}
