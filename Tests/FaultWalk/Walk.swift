import FileSystem
import Foundation
import SystemPackage
import TestSupport

/// Runs one operation under every fault of some series, at every call, and counts the results.
struct Walk: Sendable {
  let operation: WalkedOperation
  let scene: Scene
  let workbench: FilePath
  let invariants: Invariants

  /// - Parameters:
  ///   - template: the scene before the preparation of the operation.
  ///   - folder: the folder of the copies.
  init(_ operation: WalkedOperation, _ template: Scene, in folder: FilePath) async throws {
    self.operation = operation
    scene = try template.copy(to: folder.appending("scene"))
    try await operation.prepare(scene)
    workbench = folder.appending("run")
    invariants = try await Invariants(operation, scene, workbench: folder.appending("reference"))
  }

  /// - Parameter stride: the distance of the calls with a fault. Each series starts at another call.
  func run(_ series: [Series], stride: Int) async throws -> Tally {
    var tally = Tally()
    for (index, series) in series.enumerated() where series.isKill || !operation.isOnlyKilled {
      var number = 1 + index % stride
      while true {
        let copy = try scene.copy(to: workbench)
        guard let (outcome, place) = try await attempt(series, at: number, in: copy) else { break }
        if series.isKill { tally.kills += 1 } else { tally.errors += 1 }
        var found = await invariants.violations(
          in: copy, after: outcome, error: series.error, isLasting: series.persists)
        if series.isHarmless {
          if case .succeeded(isComplete: true) = outcome {} else { found.append("it is \(outcome)") }
        }
        tally.violations += found.map { "\(operation.name): \(series.name) at \(number) (\(place)): \($0)" }
        number += stride
      }
    }
    return tally
  }

  /// Runs the operation with a fault. Returns nil if the operation ends before the fault.
  private func attempt(
    _ series: Series, at number: Int, in scene: Scene
  ) async throws -> (Outcome, place: String)? {
    if series.isKill { return try attemptInChild(series, at: number, in: scene) }
    let surroundings = operation.surroundings.map(ArmedFault.init)
    let armed = ArmedFault(series.fault(at: number))
    let outcome: Outcome
    do {
      outcome = .succeeded(isComplete: try await operation.run(scene))
    } catch {
      outcome = .failed("\(error)")
    }
    armed.disarm()
    for fault in surroundings { fault.disarm() }
    return armed.place.map { (outcome, $0) }
  }

  private func attemptInChild(
    _ series: Series, at number: Int, in scene: Scene
  ) throws -> (Outcome, place: String)? {
    let child = try Programs.run(
      "/proc/self/exe", ["--child", operation.name, series.name, "\(number)", scene.folder.string])
    switch child.status {
    case 0: return nil
    case Programs.killed: return (.killed, "call \(number)")
    default:
      throw Invariants.Unfit(
        reason: "the child of \(operation.name) ended with \(child.status): \(child.text)")
    }
  }

  /// Runs in the child: the operation with a fault that kills the process. Returns if the operation ends before it.
  static func runChild(_ arguments: [String]) async throws {
    guard arguments.count == 4, let number = Int(arguments[2]),
      let operation = WalkedOperation.all.first(where: { $0.name == arguments[0] }),
      let series = Series.all.first(where: { $0.name == arguments[1] })
    else { throw Invariants.Unfit(reason: "a child of \(arguments)") }
    let faults = operation.surroundings + [series.fault(at: number)]
    let armed = faults.map(ArmedFault.init)
    _ = try await operation.run(Scene(folder: FilePath(arguments[3])))
    for fault in armed { fault.disarm() }
  }
}
