// swift-tools-version: 6.1
import PackageDescription

// A package of its own, so that nothing of libFuzzer gets into the normal build; scripts/fuzz builds it.
let package = Package(
  name: "Fuzz",
  products: [.library(name: "Fuzz", type: .static, targets: ["Fuzz"])],
  dependencies: [.package(name: "smilepile", path: "../..")],
  targets: [
    .target(
      name: "Fuzz",
      dependencies: [
        .product(name: "Backup", package: "smilepile"), .product(name: "Jobs", package: "smilepile"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
