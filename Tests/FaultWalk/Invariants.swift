import Backup
import FileSystem
import Foundation
import Operations
import PhotoLibrary
import SystemPackage

/// The conditions that must hold after an operation, also if it was killed or failed.
struct Invariants: Sendable {
  let operation: WalkedOperation
  /// The library before the operation.
  let old: LibraryState
  /// The library after a run without a fault.
  let new: LibraryState
  /// The library after two such runs.
  let again: LibraryState
  /// The library after each part of the operation except the last.
  let parts: [LibraryState]
  let bystanders: [String: [UInt8]]

  /// Runs the operation in copies of the scene to learn its results.
  init(_ operation: WalkedOperation, _ scene: Scene, workbench: FilePath) async throws {
    self.operation = operation
    old = try LibraryState(of: operation.library(scene))
    bystanders = try scene.bystanders()
    var parts: [LibraryState] = []
    for part in operation.parts {
      let copy = try scene.copy(to: workbench)
      try await part(copy)
      parts.append(try LibraryState(of: operation.library(copy)))
    }
    self.parts = parts
    let copy = try scene.copy(to: workbench)
    guard try await operation.run(copy) else { throw Unfit(reason: "\(operation.name) is incomplete") }
    new = try LibraryState(of: operation.library(copy))
    if operation.isOnce {
      again = new
    } else {
      _ = try await operation.run(copy)
      again = try LibraryState(of: operation.library(copy))
    }
    guard operation.result != .change || new != old else {
      throw Unfit(reason: "\(operation.name) changes nothing")
    }
  }

  /// An error of the walk itself.
  struct Unfit: Error {
    var reason: String
  }

  /// Returns the violated conditions.
  ///
  /// - Parameters:
  ///   - error: the error whose number the message must have.
  ///   - isLasting: whether the fault persisted, so that the operation could not remove its partial files.
  func violations(
    in scene: Scene, after outcome: Outcome, error: Errno?, isLasting: Bool = false
  ) async -> [String] {
    var found: [String] = []
    do {
      found += messageFaults(outcome, error)
      found += try stateFaults(scene, outcome, "at once", isLasting)
      found += try await archiveFaults(scene, outcome, isLasting)
      found += try await operation.faults(scene, outcome, false)
      if !operation.usesLeftoverFiles {
        try recover(scene)
        found += try stateFaults(scene, outcome, "after recovery", isLasting)
        found += try leftovers(scene)
      }
      found += try await rerunFaults(scene)
      let now = try scene.bystanders()
      for (path, bytes) in bystanders where now[path] != bytes { found.append("\(path) was touched") }
    } catch {
      found.append("the check failed: \(error)")
    }
    return found
  }

  private func messageFaults(_ outcome: Outcome, _ error: Errno?) -> [String] {
    guard case .failed(let message) = outcome, let error else { return [] }
    return message.contains("(errno \(error.rawValue))") && message.contains("/")
      ? [] : ["the message names no errno \(error.rawValue) or no path: \(message)"]
  }

  private func stateFaults(
    _ scene: Scene, _ outcome: Outcome, _ when: String, _ isLasting: Bool
  ) throws -> [String] {
    let state = try LibraryState(of: operation.library(scene))
    var faults = state.faults.filter { !old.faults.contains($0) }.map { "\(when): \($0)" }
    let isAllowed =
      switch outcome {
      case .killed: [old, new] + parts
      // under a persistent fault, an empty new library may stay because it cannot be removed;
      // if the disk flushes nothing, a commit that is complete in SQLite's log may be applied later
      case .failed(let message) where isLasting && message.contains("library.sqlite"): [old, new] + parts
      // earlier backups of several may be imported, except photos that could not be read
      case .failed:
        [old] + parts + (operation.isOnce && isLasting ? [new] : [])
          + (!parts.isEmpty && isLasting && isBetween(state) ? [state] : [])
      case .succeeded(isComplete: true): [new]
      case .succeeded(isComplete: false): parts + (isBetween(state) ? [state] : [])
      }
    if !isAllowed.contains(state), !(operation.isGradual && isBetween(state)) {
      faults.append("\(when), \(outcome): unlike the old state: \(state.difference(from: old))")
    }
    return faults
  }

  /// Whether each photo of both states exists, and no photo of neither.
  private func isBetween(_ state: LibraryState) -> Bool {
    let (has, old, new) = (Set(state.lines), Set(old.lines), Set(new.lines))
    return has.isSuperset(of: old.intersection(new)) && has.isSubset(of: old.union(new))
  }

  /// Opens the library for writing, as the next start does.
  private func recover(_ scene: Scene) throws {
    let library = operation.library(scene)
    guard Scene.hasDatabase(library) else { return }
    _ = try LibraryWriter(path: library, lockWait: .seconds(10))
  }

  private func leftovers(_ scene: Scene) throws -> [String] {
    let path = operation.library(scene)
    guard Scene.hasDatabase(path) else { return [] }
    var faults: [String] = []
    let untracked = try Library(path: path).untrackedFiles().map(\.string)
    for file in untracked where file != "photos/2023/11/notes.txt" {
      faults.append("left behind: \(file)")
    }
    let staging = path.appending(".staging")
    for name in (try? FileManager.default.contentsOfDirectory(atPath: staging.string)) ?? [] {
      faults.append("left in .staging: \(name)")
    }
    return faults
  }

  private func archiveFaults(
    _ scene: Scene, _ outcome: Outcome, _ isLasting: Bool
  ) async throws -> [String] {
    var faults: [String] = []
    let visible = try scene.archives().filter { !$0.hasPrefix(".smilepile-") }
    var intact = 0
    for name in visible {
      let path = scene.out.appending(name)
      let size = try FileManager.default.attributesOfItem(atPath: path.string)[.size] as? Int
      // without links, an empty file reserves the name; the next run removes it
      if size == 0, operation.lacks.contains(.link) {
        switch outcome {
        case .killed: continue
        case .failed where isLasting: continue
        case .failed, .succeeded: break
        }
      }
      intact += 1
      do {
        let damage = try await Work.verify([path], password: operation.password).summary.damaged
        if !damage.isEmpty { faults.append("\(name) is damaged: \(damage)") }
        if case .succeeded(isComplete: false) = outcome { continue }
        let source = try OpenedBackup(path: path, password: operation.password)
        let (photos, files) = operation.archived
        let isAlone = source.increment == nil && source.photoFiles == operation.archivedAlone
        if source.photos.count != photos || source.format == .zip && source.photoFiles != files && !isAlone {
          faults.append("\(name) is not whole")
        }
      } catch {
        faults.append("\(name) is no archive: \(error)")
      }
    }
    if operation.result == .archive, case .succeeded = outcome, intact != 1 {
      faults.append("\(intact) archives")
    }
    if case .failed = outcome, intact > 0 { faults.append("an archive in spite of a failure") }
    return faults
  }

  /// Runs the operation again, in the state that the first run left.
  private func rerunFaults(_ scene: Scene) async throws -> [String] {
    let library = operation.library(scene)
    let state = try LibraryState(of: library)
    let wasDone = state == new
    if operation.isOnce && (wasDone || parts.contains(state))
      || operation.addsEveryTime && !wasDone && state != old
    {
      return []
    }
    let expectedState = wasDone ? again : new
    let isEmpty = { (name: String) in
      FileManager.default.contents(atPath: scene.out.appending(name).string)?.isEmpty == true
    }
    let before = try scene.archives().filter { !$0.hasPrefix(".smilepile-") && !isEmpty($0) }
    var faults: [String] = []
    do {
      if try await !operation.run(scene) { faults.append("run again, it is incomplete") }
    } catch {
      return ["run again, it fails: \(error)"]
    }
    let after = try LibraryState(of: library)
    if after != expectedState {
      faults.append("run again: unlike the new state: \(after.difference(from: expectedState))")
    }
    faults += try leftovers(scene).map { "run again: \($0)" }
    let others = try await operation.faults(scene, .succeeded(isComplete: true), true)
    faults += others.map { "run again: \($0)" }
    let archives = try scene.archives()
    faults += archives.filter { $0.hasPrefix(".smilepile-") }.map { "a partial is left: \($0)" }
    faults += archives.filter(isEmpty).map { "an empty file is left: \($0)" }
    let expected = before.count + (operation.result == .archive ? 1 : 0)
    if archives.count != expected { faults.append("run again: \(archives.count) archives, not \(expected)") }
    return faults
  }
}
