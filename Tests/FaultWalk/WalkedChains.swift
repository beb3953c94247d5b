import Backup
import FileSystem
import Foundation
import Operations
import PhotoLibrary
import SystemPackage

/// Operations with archives that depend on a base.
extension WalkedOperation {
  static let chains = [
    WalkedOperation(
      name: "export incremental", result: .archive,
      arguments: { ["export", "-l", $0.library.string, "-o", $0.out.string, "--incremental"] },
      run: { scene in
        var options = ExportOptions()
        options.readers = 1
        options.isIncremental = true
        return try await !Work.export(scene.library, to: scene.out, options: options).summary.isIncomplete
      },
      prepare: { scene in
        // the base replaces the third-party archive, so the walk checks that it is not changed either
        try FileManager.default.removeItem(atPath: scene.base.string)
        _ = try await Work.export(scene.library, to: scene.base).summary
        _ = try await Work.add([scene.pictures], to: scene.library).summary
      }, archived: (photos: 6, files: 2), archivedAlone: 5),
    WalkedOperation(
      name: "flatten", result: .archive,
      arguments: { ["flatten", $0.increment.string, "-o", $0.out.string] },
      run: { scene in
        var options = RewriteOptions()
        options.destination = scene.out
        return try await !Work.flatten(scene.increment, options: options).summary.isIncomplete
      }, prepare: { try await $0.makeChain() }, archived: (photos: 6, files: 5)),
    WalkedOperation(
      name: "import chain", result: .change,
      arguments: { ["import", "-l", $0.library.string, $0.increment.string] },
      run: { scene in
        var options = ImportOptions()
        options.readers = 1
        options.lockWait = .seconds(10)
        return try await !Work.import([scene.increment], into: scene.library, options: options).summary
          .isIncomplete
      },
      prepare: { scene in
        try await scene.makeChain()
        // so that photos of both archives are imported
        try FileManager.default.removeItem(atPath: scene.library.string)
        try Library.create(at: scene.library)
      }),
  ]
}

extension Scene {
  fileprivate var base: FilePath { out.appending("old.zip") }
  fileprivate var increment: FilePath { folder.appending("chain/2.zip") }

  /// Writes a full archive of the library, and an incremental one with two more photos.
  fileprivate func makeChain() async throws {
    let chain = folder.appending("chain")
    try FileManager.default.createDirectory(atPath: chain.string, withIntermediateDirectories: true)
    _ = try await Work.export(library, to: chain.appending("1.zip")).summary
    _ = try await Work.add([pictures], to: library).summary
    var options = ExportOptions()
    options.isIncremental = true
    _ = try await Work.export(library, to: increment, options: options).summary
  }
}
