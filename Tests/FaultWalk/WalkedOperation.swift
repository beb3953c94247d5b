import Backup
import Catalogue
import FileSystem
import Foundation
import Jobs
import Operations
import PhotoLibrary
import Secrets
import SystemPackage
import TestSupport

/// An operation that is tried under every fault.
struct WalkedOperation: Sendable {
  /// What the operation changes when it succeeds.
  enum Result: Sendable {
    /// A change of the library.
    case change
    /// A new archive. The library is unchanged.
    case archive
    /// Nothing.
    case nothing
  }

  let name: String
  let result: Result
  /// The arguments of the command that runs it.
  let arguments: @Sendable (Scene) -> [String]
  /// Runs it in this process, on as few threads as possible. Returns false if the summary reports something as missing.
  let run: @Sendable (Scene) async throws -> Bool
  /// The system calls that the file system does not support.
  var lacks: Set<SystemCall> = []
  /// Prepares the scene once, before it is copied.
  var prepare: @Sendable (Scene) async throws -> Void = { _ in }
  /// The operation up to the end of each of its parts: further states that a failure may leave.
  var parts: [@Sendable (Scene) async throws -> Void] = []
  /// The library that it changes.
  var library: @Sendable (Scene) -> FilePath = { $0.library }
  /// Whether it cannot be run again after it has succeeded.
  var isOnce = false
  /// False if the command exits with 0 although the result is one of `parts`.
  var exitCodeTellsParts = true
  /// The exit code of the command without a fault.
  var exitCode = 0
  /// The password of its archives.
  var password: Secret?
  /// Whether it repairs photo by photo, so that a failure may leave some photos repaired and others not.
  var isGradual = false
  /// The number of photos in the archive that it writes, and how many of them have files.
  var archived = (photos: 4, files: 3)
  /// The number of files in a full archive, which it writes if the base cannot be read.
  var archivedAlone: Int?
  /// Whether each run uses the files that an interrupted run staged. Then no other writer opens the library between.
  var usesLeftoverFiles = false
  /// False if the command cannot run it at once. Then strace does not try it.
  var hasCommand = true
  /// Whether failing system calls are left out: a job goes on with its other destinations.
  var isOnlyKilled = false
  /// Whether each run adds photos, so that the next run does not complete an interrupted one.
  var addsEveryTime = false

  /// Returns the faults of what it leaves elsewhere. `isRunAgain` is true after another run without a fault.
  var faults: @Sendable (Scene, Outcome, _ isRunAgain: Bool) async throws -> [String] = { _, _, _ in [] }

  /// Whether to simulate ext4, on which many files are flushed with one sync of the file system.
  var isOnDisk = false

  /// Returns the operation with other values.
  func with(_ change: (inout WalkedOperation) -> Void) -> WalkedOperation {
    var operation = self
    change(&operation)
    return operation
  }

  /// The faults that simulate the file system.
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
    exports + imports + inboxes + [backup] + others + removals + repairs + chains + extracting + pictures
    + catalogues

  /// The calls that NFS and FUSE do not support, and those that simple FAT drivers do not support.
  private static let likeNFS: Set<SystemCall> = [.openUnnamed, .renameNoReplace]
  private static let likeFAT: Set<SystemCall> = [.openUnnamed, .renameNoReplace, .link, .linkDescriptor]

  private static let exports = [
    export("export"),
    export("export json", ["--format", "json"]) { $0.format = .json },
    export("export verify", ["--verify"]) { $0.verifies = true },
    // a password for tests only
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
    importing("import rename", ["--duplicates", "rename"]) { $0.duplicates = { _ in .rename } }
      .with { $0.addsEveryTime = true },
    importing("import many").with {
      $0.prepare = { try await $0.enlargeBackup() }
      $0.isOnDisk = true
    },
    importing("import like FAT", lacks: likeFAT),
    afterInterruption(importing("import continued")),
    afterInterruption(importing("continued like FAT", lacks: likeFAT)),
    importing("replace like FAT", ["--strategy", "replace", "--yes"], lacks: likeFAT) {
      $0.strategy = .replace
    },
    // the files that were replaced are deleted by the import after
    importing("import after replace").with {
      $0.prepare = { scene in
        _ = try await importWork([scene.secondBackup], scene) { $0.strategy = .replace }.summary
      }
    },
    WalkedOperation(
      name: "import several", result: .change,
      arguments: { ["import", "-l", $0.library.string, $0.backup.string, $0.secondBackup.string] },
      run: { scene in
        try await !importWork([scene.backup, scene.secondBackup], scene).summary.isIncomplete
      },
      parts: [{ scene in _ = try await importWork([scene.backup], scene).summary }]),
  ]

  private static let inboxes = [
    inbox("inbox"), inbox("inbox like NFS", lacks: likeNFS), inbox("inbox like FAT", lacks: likeFAT),
  ]

  /// Imports a backup from an inbox, and moves it.
  private static func inbox(_ name: String, lacks: Set<SystemCall> = []) -> WalkedOperation {
    WalkedOperation(
      name: name, result: .change,
      arguments: { _ in [] },
      run: { scene in
        var job = Job(name: "family")
        job.library = scene.library
        job.inboxes = [Inbox(path: scene.inbox)]
        job.lockWait = 10
        var context = scene.jobContext
        // long after the files of the inbox were written
        context.now = { Date(timeIntervalSinceNow: 86_400) }
        return try await Work.inbox(job, context).summary.errors.isEmpty
      }, lacks: lacks, prepare: { try $0.fillInbox() },
      // an import that is complete stays if a later step fails
      isGradual: true,
      // it waits for a minute, which strace cannot skip
      hasCommand: false,
      faults: { scene, _, _ in try scene.faultsOfInbox() })
  }

  /// Writes an archive to two destinations, and prunes the older ones.
  private static let backup = WalkedOperation(
    name: "backup", result: .nothing, arguments: { _ in [] }, run: { try await $0.backUp() },
    prepare: { try await $0.prepareJob() }, hasCommand: false, isOnlyKilled: true,
    faults: { scene, _, isRunAgain in try await scene.faultsOfDestinations(isComplete: isRunAgain) })

  private static let others = [
    adding("add"),
    adding("add after an interruption").with { $0.prepare = { try $0.leaveStagedFiles() } },
    WalkedOperation(
      name: "init", result: .change, arguments: { ["init", $0.newLibrary.string] },
      run: { scene in
        try Library.create(at: scene.newLibrary)
        return true
      }, library: { $0.newLibrary }, isOnce: true),
    WalkedOperation(
      name: "verify", result: .nothing, arguments: { ["verify", "-l", $0.library.string] },
      run: { scene in try await Work.verify(library: scene.library).summary.damaged.isEmpty }),
    WalkedOperation(
      name: "report", result: .nothing,
      arguments: { ["report", "-l", $0.library.string, "-o", $0.statusPage.string] },
      run: { scene in
        try scene.writeStatusPage()
        return true
      },
      // it replaces the page of an earlier run
      prepare: { try $0.writeStatusPage() },
      faults: { scene, _, isRunAgain in try scene.faultsOfStatusPage(isRunAgain) }),
    WalkedOperation(
      name: "verify archive", result: .nothing, arguments: { ["verify", $0.backup.string] },
      run: { scene in try await Work.verify([scene.backup]).summary.damaged.isEmpty }),
  ]

  private static let removals = [
    WalkedOperation(
      name: "remove", result: .change,
      arguments: { ["remove", "-l", $0.library.string, "--yes", "--category", "family"] },
      run: { scene in
        let selection = LibrarySelection(categories: ["family"])
        let options = ChangeOptions(authorization: .given, lockWait: .seconds(10))
        return try await !Work.remove(selection, from: scene.library, options: options).summary.photos.isEmpty
      }, isOnce: true),
    WalkedOperation(
      name: "settings", result: .change,
      arguments: { ["settings", "set", "-l", $0.library.string, "theme", "dark"] },
      run: { scene in try setDarkTheme(scene) }),
    organize,
    resetting("reset"),
    resetting("reset for good", ["--for-good"]) { $0.isForGood = true }.with {
      $0.prepare = { scene in
        _ = try await importWork([scene.backup], scene) { $0.strategy = .replace }.summary
        try scene.leaveCorruptFile()
      }
      $0.faults = { scene, _, isRunAgain in isRunAgain ? try scene.faultsAfterResetForGood() : [] }
    },
    undo("undo reset") { scene in
      _ = try await importWork([scene.backup], scene).summary
      _ = try await resetting("reset").run(scene)
    },
    undo("undo organize") { scene in
      try await organize.prepare(scene)
      _ = try await organize.run(scene)
    },
    sort,
    undo("undo sort") { scene in
      try await sort.prepare(scene)
      _ = try await sort.run(scene)
    },
    undo("undo settings") { scene in _ = try setDarkTheme(scene) },
    clean,
    undo("undo merge") { scene in _ = try await importWork([scene.backup], scene).summary },
    undo("undo replace") { scene in
      _ = try await importWork([scene.backup], scene) { $0.strategy = .replace }.summary
    },
    undo("undo remove") { scene in
      let selection = LibrarySelection(ids: [1, 3, 4])
      _ = try await Work.remove(selection, from: scene.library, options: .given).summary
    },
  ]

  private static func setDarkTheme(_ scene: Scene) throws -> Bool {
    var options = ChangeOptions()
    options.lockWait = .seconds(10)
    let assignments = [SettingAssignment(key: "theme", value: "dark")].compactMap(\.self)
    return try !SettingsRun(scene.library, options).run(.set(assignments)).changes.isEmpty
  }

  /// Removes all photos and categories.
  private static func resetting(
    _ name: String, _ arguments: [String] = [],
    _ configure: @escaping @Sendable (inout ResetOptions) -> Void = { _ in }
  ) -> WalkedOperation {
    WalkedOperation(
      name: name, result: .change,
      arguments: { scene in
        let photos = (try? Library(path: scene.library).totals().photos) ?? 0
        return ["reset", "-l", scene.library.string, "--force", "--yes", "--photos", "\(photos)"] + arguments
      },
      run: { scene in
        var options = ResetOptions()
        options.authorization = .given
        options.lockWait = .seconds(10)
        configure(&options)
        let work = Work { [options] counter in try ResetRun(scene.library, options, counter).run(.contents) }
        return try await work.summary.findings.isEmpty
      }, isOnce: true)
  }

  /// Merges a category into another one that has one of its photos already.
  private static let organize = organizing(
    "organize", ["category", "merge", "family", "--into", "pets", "--yes"]
  ) { scene in
    let options = ChangeOptions(authorization: .given, lockWait: .seconds(10))
    let work = Work.organize(.merge(["family"], into: "pets"), in: scene.library, options: options)
    return try await work.summary.photos
  }

  /// Sorts all photos into a category that has one of them already.
  private static let sort = organizing("sort", ["sort", "--rules", "rules.yaml"]) { scene in
    var options = ChangeOptions()
    options.lockWait = .seconds(10)
    let rules = try SortRules(contentsOf: scene.folder.appending("rules.yaml"))
    let work = Work.sort(SortRequest(rules), in: scene.library, options: options)
    return try await work.summary.moves.photos
  }

  /// - Parameters:
  ///   - arguments: the arguments of the command, without the library. `rules.yaml` is a file of the scene.
  ///   - run: moves photos into a category that has one of them already, and returns the moved photos.
  private static func organizing(
    _ name: String, _ arguments: [String], run: @escaping @Sendable (Scene) async throws -> [OrganizedPhoto]
  ) -> WalkedOperation {
    WalkedOperation(
      name: name, result: .change,
      arguments: { scene in
        let paths = arguments.map { $0 == "rules.yaml" ? scene.folder.appending("rules.yaml").string : $0 }
        return paths + ["-l", scene.library.string]
      },
      run: { try await run($0).contains { $0.equalPhoto != nil } },
      prepare: { scene in
        _ = try await importWork([scene.backup], scene).summary
        let contents = try Library(path: scene.library).contents()
        let family = contents.categories.first { $0.name == "family" }
        let photo = contents.photos.last { $0.categoryId == family?.id && !$0.isFromAssets }
        guard let photo else { return }
        let file = scene.library.appending(FilePath(photo.path).components)
        try scene.write(Array(Data(contentsOf: URL(fileURLWithPath: file.string))), to: "equal.jpg")
        try scene.write(Array("rules: [{name: '*', to: pets}]".utf8), to: "rules.yaml")
        var options = AddOptions()
        options.category = "pets"
        _ = try await Work.add([scene.folder.appending("equal.jpg")], to: scene.library, options: options)
          .summary
      },
      // if the file of the equal photo cannot be read, both photos stay
      parts: [
        { scene in
          let photos = scene.library.appending("photos").string
          let hidden = scene.folder.appending("hidden").string
          try FileManager.default.moveItem(atPath: photos, toPath: hidden)
          _ = try await run(scene)
          try FileManager.default.moveItem(atPath: hidden, toPath: photos)
        }
      ], isOnce: true, exitCodeTellsParts: false)
  }

  /// Removes staged files, what is kept for an undo, and a corrupt file.
  private static let clean = WalkedOperation(
    name: "clean", result: .change,
    arguments: { ["clean", "-l", $0.library.string, "--undo", "--quarantined", "--yes"] },
    run: { scene in
      var options = CleanOptions()
      options.removesUndo = true
      options.removesQuarantined = true
      options.authorization = .given
      options.lockWait = .seconds(10)
      return try await !Work.clean(scene.library, options: options).summary.isIncomplete
    },
    prepare: { scene in
      _ = try await importWork([scene.backup], scene) { $0.strategy = .replace }.summary
      try scene.leaveStagedFiles()
      try scene.leaveCorruptFile()
    })

  private static func undo(
    _ name: String, after prepare: @escaping @Sendable (Scene) async throws -> Void
  ) -> WalkedOperation {
    WalkedOperation(
      name: name, result: .change, arguments: { ["undo", "-l", $0.library.string, "--yes"] },
      run: { scene in
        let options = ChangeOptions(authorization: .given, lockWait: .seconds(10))
        return try await Work.undo(scene.library, options: options).summary.missing.isEmpty
      }, prepare: prepare, isOnce: true)
  }

  private static let repairs = [
    rebuild("rebuild"), rebuild("rebuild like FAT", lacks: likeFAT),
    WalkedOperation(
      name: "repair library", result: .change,
      arguments: { ["repair", "-l", $0.library.string, $0.folder.appending("first.zip").string] },
      run: { scene in
        var options = LibraryRepairOptions()
        options.lockWait = .seconds(10)
        let archive = scene.folder.appending("first.zip")
        return try await !Work.repairLibrary(scene.library, from: [archive], options: options).summary
          .isIncomplete
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
        ["repair", $0.backup.string, "-o", $0.out.string, "--from", $0.library.string]
      },
      run: { scene in
        var options = RewriteOptions()
        options.destination = scene.out
        options.library = scene.library
        return try await Work.repair(scene.backup, options: options).summary.unrecoverable.isEmpty
      },
      prepare: { scene in
        // one byte of the first photo, which the library has too
        var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: scene.backup.string)))
        bytes[500] ^= 1
        try Data(bytes).write(to: URL(fileURLWithPath: scene.backup.string))
      }, archived: (photos: 4, files: 4)),
  ]

  /// Rebuilds a library with an empty database and a log, a corrupt file, and a missing one. A photo that cannot be
  /// read from one archive comes from the other.
  private static func rebuild(_ name: String, lacks: Set<SystemCall> = []) -> WalkedOperation {
    WalkedOperation(
      name: name, result: .change,
      arguments: {
        [
          "rebuild", "--yes", "-l", $0.library.string, "--from", $0.folder.appending("first.zip").string,
          "--from",
          $0.folder.appending("copy.zip").string,
        ]
      },
      run: { scene in
        var options = RebuildOptions()
        options.archives = [scene.folder.appending("first.zip"), scene.folder.appending("copy.zip")]
        options.authorization = .given
        options.readers = 1
        options.lockWait = .seconds(10)
        let summary = try await Work.rebuild(scene.library, options: options).summary
        return summary.findings.isEmpty
      }, lacks: lacks,
      prepare: { scene in
        _ = try await Work.export(scene.library, to: scene.folder.appending("first.zip")).summary
        _ = try await Work.export(scene.library, to: scene.folder.appending("copy.zip")).summary
        let photos = try Library(path: scene.library).contents().photos
        let file = { (index: Int) in scene.library.appending(FilePath(photos[index].path).components).string }
        try FileManager.default.removeItem(atPath: file(0))
        try Data("rotten".utf8).write(to: URL(fileURLWithPath: file(1)))
        try scene.loseDatabase()
      }, isOnce: true, exitCode: 3)
  }

  private static let extracting = [
    extract("extract"), extract("extract like FAT", lacks: likeFAT),
    extract("extract many").with { $0.isOnDisk = true },
  ]

  private static let pictures = [
    gallery("gallery"), gallery("gallery like FAT", lacks: likeFAT),
    gallery("gallery update", isUpdate: true),
    gallery("update like NFS", isUpdate: true, lacks: likeNFS).with { $0.isOnDisk = true },
    WalkedOperation(
      name: "cache fill", result: .nothing,
      arguments: { ["cache", "fill", "-l", $0.library.string] },
      run: { scene in
        let summary = try await Work.fillCache(of: scene.library).summary
        return summary.drawn + summary.cached == 2
      }, prepare: { try await $0.addDrawablePhotos() },
      // the photos that cannot be drawn end the command with 3
      hasCommand: false, faults: { scene, _, isRunAgain in try scene.faultsOfCache(isComplete: isRunAgain) }),
  ]

  /// Writes a gallery of two photos, in place of one of another photo if it is an update.
  private static func gallery(
    _ name: String, isUpdate: Bool = false, lacks: Set<SystemCall> = []
  ) -> WalkedOperation {
    WalkedOperation(
      name: name, result: .nothing,
      arguments: {
        [
          "gallery", "-l", $0.library.string, "-o", $0.gallery.string, "--originals", "copy", "--until",
          "2024-03-09",
        ]
      },
      run: { try await $0.writeGallery(after: false) }, lacks: lacks,
      prepare: { scene in
        if isUpdate { try await scene.prepareGallery() } else { try scene.keepThumbnails() }
      },
      faults: { scene, outcome, isRunAgain in
        let photos: Set<Int> =
          switch outcome {
          case .succeeded(isComplete: true): [2]
          case .killed: isUpdate ? [1, 2] : [0, 2]
          // a photo that cannot be read is left out, and reported
          case .succeeded(isComplete: false), .failed: [0, 1, 2]
          }
        return try scene.faultsOfGallery(photos: photos, isComplete: isRunAgain)
      })
  }

  /// Replaces a file with other bytes, and must not change the file beside it.
  private static func extract(_ name: String, lacks: Set<SystemCall> = []) -> WalkedOperation {
    WalkedOperation(
      name: name, result: .nothing,
      arguments: {
        ["extract", $0.backup.string, "--to", $0.extracted.string, "--overwrite", "if-changed"]
      },
      run: { scene in
        var options = ExtractOptions()
        options.readers = 1
        options.overwrite = .ifChanged
        return try await !Work.extract(scene.backup, to: scene.extracted, options: options).summary
          .isIncomplete
      }, lacks: lacks, prepare: { try $0.prepareExtracted() },
      faults: { scene, _, isRunAgain in try scene.faultsOfExtracted(isComplete: isRunAgain) })
  }

  private static let catalogues = [catalogue("catalogue"), catalogue("catalogue like FAT", lacks: likeFAT)]

  /// Writes a catalogue of two photos, whose thumbnails are in the cache.
  private static func catalogue(_ name: String, lacks: Set<SystemCall> = []) -> WalkedOperation {
    WalkedOperation(
      name: name, result: .nothing,
      arguments: {
        ["catalogue", "-l", $0.library.string, "-o", $0.catalogue.string, "--category", "drawn"]
      },
      run: { scene in
        // the operation overwrites nothing; an empty file that reserves the name is its own
        if try scene.bytesOfCatalogue()?.isEmpty == false {
          try FileManager.default.removeItem(atPath: scene.catalogue.string)
        }
        var options = CatalogueOptions()
        options.selection.categories = ["drawn"]
        let work = Work.catalogue(of: scene.library, to: scene.catalogue, options: options)
        return try await work.summary.findings.isEmpty
      }, lacks: lacks, prepare: { try await $0.prepareCatalogue() },
      faults: { scene, _, isRunAgain in
        try scene.faultsOfCatalogue(mayBeEmpty: lacks.contains(.link), isComplete: isRunAgain)
      })
  }

  private static func export(
    _ name: String, _ arguments: [String] = [], lacks: Set<SystemCall> = [],
    _ configure: @escaping @Sendable (inout ExportOptions) -> Void = { _ in }
  ) -> WalkedOperation {
    WalkedOperation(
      name: name, result: .archive,
      arguments: { ["export", "-l", $0.library.string, "-o", $0.out.string] + arguments },
      run: { scene in
        var options = ExportOptions()
        options.readers = 1
        configure(&options)
        let summary = try await Work.export(scene.library, to: scene.out, options: options).summary
        return !summary.isIncomplete
      }, lacks: lacks)
  }

  private static func adding(_ name: String) -> WalkedOperation {
    WalkedOperation(
      name: name, result: .change,
      arguments: { ["add", "-l", $0.library.string, $0.pictures.string] },
      run: { scene in
        var options = AddOptions()
        options.lockWait = .seconds(10)
        return try await Work.add([scene.pictures], to: scene.library, options: options).summary.errors
          .isEmpty
      })
  }

  /// Returns the operation in a library in which an earlier run was interrupted, whose staged files it uses.
  private static func afterInterruption(_ operation: WalkedOperation) -> WalkedOperation {
    operation.with {
      $0.prepare = { try $0.leaveStagedFiles() }
      $0.usesLeftoverFiles = true
    }
  }

  private static func importing(
    _ name: String, _ arguments: [String] = [], lacks: Set<SystemCall> = [],
    _ configure: @escaping @Sendable (inout ImportOptions) -> Void = { _ in }
  ) -> WalkedOperation {
    WalkedOperation(
      name: name, result: .change,
      arguments: { ["import", "-l", $0.library.string, $0.backup.string] + arguments },
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
