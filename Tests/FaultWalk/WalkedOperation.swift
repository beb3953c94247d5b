import Backup
import FileSystem
import Foundation
import Operations
import PhotoLibrary
import Secrets
import SystemPackage
import TestSupport

/// An operation to be tried under every fault.
struct WalkedOperation: Sendable {
  /// What it leaves behind when it succeeds.
  enum Result: Sendable {
    /// A change of the library.
    case change
    /// One archive more, and the library as it was.
    case archive
    /// Nothing.
    case nothing
  }

  let name: String
  let result: Result
  /// The command's arguments for it, several commands one after the other.
  let arguments: @Sendable (Scene) -> [[String]]
  /// Runs it in this process, on as few threads as it can.
  /// Returns false where the summary says that something is missing from the result, by name.
  let run: @Sendable (Scene) async throws -> Bool
  /// What the file system does not have.
  var lacks: Set<SystemCall> = []
  /// Made once, before the scene is copied.
  var prepare: @Sendable (Scene) async throws -> Void = { _ in }
  /// The operation cut short after each of its parts: further states that a failure may leave.
  var parts: [@Sendable (Scene) async throws -> Void] = []
  /// The library that it changes.
  var library: @Sendable (Scene) -> FilePath = { $0.library }
  /// It cannot be run again once it has succeeded.
  var isOnce = false
  /// What its archives are encrypted with.
  var password: Secret?
  /// It mends photo by photo, so that a failure may leave some mended and some not.
  var isGradual = false
  /// How many photos the archive that it writes has, and how many of them with files.
  var archived = (photos: 4, files: 3)
  /// The same, where an archive that it would rest on could not be read.
  var archivedAlone: Int?
  /// Each run adds something, so that a run that came half the way is not completed by the next.
  var addsEveryTime = false

  /// What is wrong with what it leaves elsewhere; true after it was run again without a fault.
  var faults: @Sendable (Scene, _ isRunAgain: Bool) throws -> [String] = { _, _ in [] }

  /// The file system passes for ext4, which is flushed as a whole where there are many files.
  var isOnDisk = false

  /// The faults that make the file system what it is to be.
  var surroundings: [Fault] {
    (isOnDisk
      ? [Fault(.fileSystem(type: 0xEF53, freeBytes: 1 << 40), of: .only([.fileSystem]), persists: true)] : [])
      + (lacks.isEmpty
        ? []
        : [
          Fault(
            .error(.notSupportedOnSocket), of: .only(lacks.subtracting([.renameNoReplace])), persists: true)
        ]
          + (lacks.contains(.renameNoReplace)
            ? [Fault(.error(.invalidArgument), of: .only([.renameNoReplace]), persists: true)] : []))
  }
}

extension WalkedOperation {
  static let all: [WalkedOperation] =
    exports + imports + others + takingAway + mending + chains + extracting

  /// What NFS and FUSE lack, and what a poor driver of FAT lacks.
  private static let likeNFS: Set<SystemCall> = [.openUnnamed, .renameNoReplace]
  private static let likeFAT: Set<SystemCall> = [.openUnnamed, .renameNoReplace, .link, .linkDescriptor]

  private static let exports = [
    export("export"),
    export("export json", ["--format", "json"]) { $0.format = .json },
    export("export verify", ["--verify"]) { $0.verifies = true },
    // the tests' own password, which guards nothing
    {
      let password = "a good long password"
      var operation = export("export encrypted", ["--encrypt", "--password-command", "echo \(password)"]) {
        $0.password = Secret(password)
      }
      operation.password = Secret(password)
      return operation
    }(),
    export("export no O_TMPFILE", lacks: [.openUnnamed]),
    export("export like NFS", lacks: likeNFS),
    export("export like FAT", lacks: likeFAT),
  ]

  private static let imports = [
    importing("import merge"),
    importing("import skip", ["--strategy", "skip"]) { $0.strategy = .skip },
    importing("import replace", ["--strategy", "replace", "--yes"]) { $0.strategy = .replace },
    {
      var operation = importing("import rename", ["--duplicates", "rename"]) {
        $0.duplicates = { _ in .rename }
      }
      operation.addsEveryTime = true
      return operation
    }(),
    {
      var operation = importing("import many")
      operation.prepare = { try await $0.enlargeBackup() }
      operation.isOnDisk = true
      return operation
    }(),
    importing("import like FAT", lacks: likeFAT),
    importing("replace like FAT", ["--strategy", "replace", "--yes"], lacks: likeFAT) {
      $0.strategy = .replace
    },
    {
      // the files that were replaced are deleted by the import after
      var operation = importing("import after replace")
      operation.prepare = { scene in
        _ = try await importWork([scene.secondBackup], scene) { $0.strategy = .replace }.summary
      }
      return operation
    }(),
    WalkedOperation(
      name: "import several", result: .change,
      arguments: { [["import", "-l", $0.library.string, $0.backup.string, $0.secondBackup.string]] },
      run: { scene in
        try await !importWork([scene.backup, scene.secondBackup], scene).summary.isIncomplete
      },
      parts: [{ scene in _ = try await importWork([scene.backup], scene).summary }]),
  ]

  private static let others = [
    WalkedOperation(
      name: "add", result: .change,
      arguments: { [["add", "-l", $0.library.string, $0.pictures.string]] },
      run: { scene in
        var options = AddOptions()
        options.lockWait = .seconds(10)
        return try await Work.add([scene.pictures], to: scene.library, options: options).summary.errors
          .isEmpty
      }),
    WalkedOperation(
      name: "init", result: .change, arguments: { [["init", $0.newLibrary.string]] },
      run: { scene in
        try Library.create(at: scene.newLibrary)
        return true
      }, library: { $0.newLibrary }, isOnce: true),
    WalkedOperation(
      name: "verify", result: .nothing, arguments: { [["verify", "-l", $0.library.string]] },
      run: { scene in try await Work.verify(library: scene.library).summary.damaged.isEmpty }),
    WalkedOperation(
      name: "verify archive", result: .nothing, arguments: { [["verify", $0.backup.string]] },
      run: { scene in try await Work.verify([scene.backup]).summary.damaged.isEmpty }),
  ]

  private static let takingAway = [
    WalkedOperation(
      name: "remove", result: .change,
      arguments: { [["remove", "-l", $0.library.string, "--yes", "--category", "family"]] },
      run: { scene in
        var selection = RemoveSelection()
        selection.categories = ["family"]
        var options = RemoveOptions()
        options.authorization = .given
        options.lockWait = .seconds(10)
        return try await !Work.remove(selection, from: scene.library, options: options).summary.photos.isEmpty
      }, isOnce: true),
    undo("undo merge") { scene in _ = try await importWork([scene.backup], scene).summary },
    undo("undo replace") { scene in
      _ = try await importWork([scene.backup], scene) { $0.strategy = .replace }.summary
    },
    undo("undo remove") { scene in
      var selection = RemoveSelection()
      selection.ids = [1, 3, 4]
      var options = RemoveOptions()
      options.authorization = .given
      _ = try await Work.remove(selection, from: scene.library, options: options).summary
    },
  ]

  private static func undo(
    _ name: String, after prepare: @escaping @Sendable (Scene) async throws -> Void
  ) -> WalkedOperation {
    WalkedOperation(
      name: name, result: .change, arguments: { [["undo", "-l", $0.library.string, "--yes"]] },
      run: { scene in
        var options = UndoOptions()
        options.authorization = .given
        options.lockWait = .seconds(10)
        return try await Work.undo(scene.library, options: options).summary.missing.isEmpty
      }, prepare: prepare, isOnce: true)
  }

  private static let mending = [
    WalkedOperation(
      name: "heal", result: .change,
      arguments: { [["heal", "-l", $0.library.string, $0.folder.appending("first.zip").string]] },
      run: { scene in
        var options = HealOptions()
        options.lockWait = .seconds(10)
        let archive = scene.folder.appending("first.zip")
        return try await !Work.heal(scene.library, from: [archive], options: options).summary.isIncomplete
      },
      prepare: { scene in
        _ = try await Work.export(scene.library, to: scene.folder.appending("first.zip")).summary
        let photos = try Library(path: scene.library).contents().photos
        let file = { (index: Int) in scene.library.appending(FilePath(photos[index].path).components).string }
        try FileManager.default.removeItem(atPath: file(0))
        for index in [1, 2] { try Data("rotten".utf8).write(to: URL(fileURLWithPath: file(index))) }
      }, isGradual: true),
    WalkedOperation(
      name: "repair", result: .archive,
      arguments: {
        [["repair", $0.backup.string, "-o", $0.out.string, "-l", $0.library.string]]
      },
      run: { scene in
        var options = RepairOptions()
        options.destination = scene.out
        options.library = scene.library
        return try await Work.repair(scene.backup, options: options).summary.lost.isEmpty
      },
      prepare: { scene in
        // one byte of the first photo, which the library has too
        var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: scene.backup.string)))
        bytes[500] ^= 1
        try Data(bytes).write(to: URL(fileURLWithPath: scene.backup.string))
      }, archived: (photos: 4, files: 4)),
  ]

  private static let extracting = [
    extract("extract"), extract("extract like FAT", lacks: likeFAT),
    {
      var operation = extract("extract many")
      operation.isOnDisk = true
      return operation
    }(),
  ]

  /// Over a file of other bytes, which is replaced, and beside one that is nobody's business.
  private static func extract(_ name: String, lacks: Set<SystemCall> = []) -> WalkedOperation {
    WalkedOperation(
      name: name, result: .nothing,
      arguments: {
        [["extract", $0.backup.string, "--to", $0.extracted.string, "--overwrite", "if-changed"]]
      },
      run: { scene in
        var options = ExtractOptions()
        options.readers = 1
        options.overwrite = .ifChanged
        return try await !Work.extract(scene.backup, to: scene.extracted, options: options).summary
          .isIncomplete
      }, lacks: lacks, prepare: { try $0.prepareExtracted() },
      faults: { try $0.faultsOfExtracted(isWhole: $1) })
  }

  private static func export(
    _ name: String, _ arguments: [String] = [], lacks: Set<SystemCall> = [],
    _ configure: @escaping @Sendable (inout ExportOptions) -> Void = { _ in }
  ) -> WalkedOperation {
    WalkedOperation(
      name: name, result: .archive,
      arguments: { [["export", "-l", $0.library.string, "-o", $0.out.string] + arguments] },
      run: { scene in
        var options = ExportOptions()
        options.readers = 1
        configure(&options)
        let summary = try await Work.export(scene.library, to: scene.out, options: options).summary
        return !summary.isIncomplete
      }, lacks: lacks)
  }

  private static func importing(
    _ name: String, _ arguments: [String] = [], lacks: Set<SystemCall> = [],
    _ configure: @escaping @Sendable (inout ImportOptions) -> Void = { _ in }
  ) -> WalkedOperation {
    WalkedOperation(
      name: name, result: .change,
      arguments: { [["import", "-l", $0.library.string, $0.backup.string] + arguments] },
      run: { scene in try await !importWork([scene.backup], scene, configure).summary.isIncomplete },
      lacks: lacks)
  }

  private static func importWork(
    _ backups: [FilePath], _ scene: Scene,
    _ configure: @Sendable (inout ImportOptions) -> Void = { _ in }
  ) -> Work<ImportSummary> {
    var options = ImportOptions()
    options.readers = 1
    options.lockWait = .seconds(10)
    options.authorization = .given
    configure(&options)
    return Work.import(backups, into: scene.library, options: options)
  }
}
