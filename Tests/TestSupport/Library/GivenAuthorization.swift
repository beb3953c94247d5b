import PhotoLibrary

extension Authorization {
  /// Confirms everything that needs no PIN, as `--yes` does.
  package static let given = Authorization(pin: { _ in nil }, confirms: { _ in true })
}

extension ChangeOptions {
  /// Options with a confirmation of everything that needs no PIN.
  package static let given = ChangeOptions(authorization: .given)

  /// Options with an authorization.
  package init(authorization: Authorization, isDryRun: Bool = false, lockWait: Duration = .zero) {
    self.init()
    self.authorization = authorization
    self.isDryRun = isDryRun
    self.lockWait = lockWait
  }
}

extension LibrarySelection {
  /// Selects photos and categories.
  package init(ids: [Int64] = [], names: [String] = [], categories: [String] = []) {
    self.init()
    self.ids = ids
    self.names = names
    self.categories = categories
  }
}
