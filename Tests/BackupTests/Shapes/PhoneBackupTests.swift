import Foundation
import TestSupport
import Testing

/// Checks the labels and documents of the generated backups.
@Suite struct PhoneBackupTests {
  @Test("Generated backups: every label occurs once")
  func labels() {
    let labels = PhoneBackups.all.map(\.label)
    #expect(Set(labels).count == labels.count)
  }

  @Test("Generated backups: each document is JSON", arguments: PhoneBackups.all.filter { $0.app != nil })
  func document(_ backup: PhoneBackup) throws {
    let app = try #require(backup.app)
    let document = app.document(of: backup.phone)
    for text in [document.kotlin, document.foundation] {
      let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
      let rows = (object as? [String: Any])?["photos"] as? [Any]
      #expect(rows?.count == backup.taken.photos.count)
    }
  }
}
