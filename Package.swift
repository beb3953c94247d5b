// swift-tools-version: 6.1
import PackageDescription

let systemPackage = Target.Dependency.product(name: "SystemPackage", package: "swift-system")

let package = Package(
  name: "smilepile",
  products: [
    .executable(name: "smilepile", targets: ["smilepile"]),
    .executable(name: "smilepile-pictures", targets: ["smilepile-pictures"]),
    .executable(name: "smilepile-catalogue", targets: ["smilepile-catalogue"]),
    // of FileSystem, Pictures and Zip, only the errors that the other targets throw are public
    .library(
      name: "Backup",
      targets: [
        "Backup", "ArchiveCatalog", "PhotoLibrary", "Checksums", "FileSystem", "Operations", "Pictures",
        "Secrets", "Zip",
      ]),
    // for Tests/Fuzz; it has no public declarations
    .library(name: "Jobs", targets: ["Jobs"]),
  ],
  dependencies: [
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
  ],
  targets: [
    .systemLibrary(
      name: "CLibZip", pkgConfig: "libzip", providers: [.apt(["libzip-dev"])]),
    // comes with libzip-dev
    .systemLibrary(name: "CZLib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CDeflate", pkgConfig: "libdeflate", providers: [.apt(["libdeflate-dev"])]),
    // what the command states about its own build
    .target(name: "CBuild"),
    .target(name: "CCRC32"),
    .target(name: "CImageMatch"),
    .target(name: "CMD5"),
    .target(name: "CSQLite", linkerSettings: [.linkedLibrary("sqlite3")]),
    .target(
      name: "Databases",
      dependencies: [
        "CSQLite", "FileSystem", "Operations", .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"), systemPackage,
      ]),
    .target(
      name: "Checksums",
      dependencies: [
        "CCRC32", "CMD5", "CDeflate", "FileSystem", "Operations",
        .product(name: "Crypto", package: "swift-crypto"),
      ]),
    .target(
      name: "FileSystem",
      dependencies: [
        "CSystemCalls", "Operations", "Processes", systemPackage,
      ]),
    .target(name: "CSystemCalls"),
    .target(name: "Processes", dependencies: ["CSystemCalls"]),
    .target(name: "Secrets", dependencies: ["CSystemCalls"]),
    .target(
      name: "Zip",
      dependencies: ["CLibZip", "CZLib", "Checksums", "FileSystem", "Operations", "Secrets", systemPackage]),
    .target(name: "HTML", dependencies: [.product(name: "Crypto", package: "swift-crypto")]),
    .target(name: "Gallery", dependencies: ["FileSystem", "HTML", "ImageHeader", "Operations"]),
    .target(name: "ImageHeader"),
    .target(
      name: "Operations", dependencies: [systemPackage]),
    .target(
      name: "PhotoLibrary",
      dependencies: [
        "Checksums", "Databases", "FileSystem", "ImageHeader", "Operations", "Secrets",
        .product(name: "GRDB", package: "GRDB.swift"), .product(name: "GRDBSQLite", package: "GRDB.swift"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "CryptoExtras", package: "swift-crypto"),
        .product(name: "Logging", package: "swift-log"), systemPackage,
      ]),
    .target(name: "CSandbox"),
    .target(name: "CHelper", dependencies: ["CSandbox"], linkerSettings: [.linkedLibrary("dl")]),
    // the program that draws pictures; smilepile starts it
    .executableTarget(
      name: "smilepile-pictures", dependencies: ["CHelper"], linkerSettings: [.linkedLibrary("m")]),
    .target(
      name: "Pictures",
      dependencies: [
        "Checksums", "Databases", "FileSystem", "ImageHeader", "Operations", "PhotoLibrary", "Processes",
        .product(name: "GRDB", package: "GRDB.swift"),
        systemPackage,
      ]),
    // the program that writes catalogues; smilepile starts it
    .executableTarget(
      name: "smilepile-catalogue", dependencies: ["CHelper"], linkerSettings: [.linkedLibrary("m")]),
    .target(
      name: "Catalogue",
      dependencies: [
        "FileSystem", "HTML", "Operations", "PhotoLibrary", "Pictures", "Processes",
        systemPackage,
      ]),
    .target(
      name: "Duplicates",
      dependencies: [
        "CImageMatch", "FileSystem", "HTML", "Operations", "PhotoLibrary", "Pictures", systemPackage,
      ]),
    .target(
      name: "ArchiveCatalog",
      dependencies: [
        "Databases", "FileSystem", "Operations", .product(name: "GRDB", package: "GRDB.swift"), systemPackage,
      ]),
    .target(
      name: "Backup",
      dependencies: [
        "ArchiveCatalog", "Gallery", "PhotoLibrary", "Pictures", "Zip", "Checksums", "FileSystem",
        "ImageHeader", "Operations", "Secrets", .product(name: "Logging", package: "swift-log"),
        systemPackage,
      ]),
    .target(
      name: "Jobs",
      dependencies: [
        "ArchiveCatalog", "Backup", "Gallery", "HTML", "PhotoLibrary", "Zip", "Checksums", "FileSystem",
        "ImageHeader", "Operations", "Processes", "Secrets", .product(name: "Yams", package: "Yams"),
        .product(name: "Logging", package: "swift-log"), systemPackage,
      ]),
    .executableTarget(
      name: "smilepile",
      dependencies: [
        "ArchiveCatalog", "Backup", "CBuild", "Catalogue", "Duplicates", "Gallery", "Jobs", "PhotoLibrary",
        "Pictures", "Zip", "Checksums", "FileSystem", "Operations", "Processes", "Secrets",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"), systemPackage,
      ]),
    .target(
      name: "TestSupport",
      dependencies: [
        "HTML", "PhotoLibrary", "Zip", "Checksums", "FileSystem", "Operations", "Processes", "Secrets",
        "CZLib",
        .product(name: "GRDB", package: "GRDB.swift"), systemPackage,
      ], path: "Tests/TestSupport"),
    .executableTarget(
      name: "FaultWalk",
      dependencies: [
        "Backup", "Catalogue", "Checksums", "Jobs", "PhotoLibrary", "Pictures", "Operations", "FileSystem",
        "Secrets", "TestSupport", .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Logging", package: "swift-log"), systemPackage,
      ], path: "Tests/FaultWalk"),
    // FaultTests starts FaultWalk and smilepile
    .testTarget(
      name: "FaultTests",
      dependencies: [
        "FaultWalk", "Jobs", "TestSupport", "smilepile", "Backup", "FileSystem", "Operations",
        "PhotoLibrary", systemPackage,
      ]),
    .testTarget(
      name: "ChecksumsTests",
      dependencies: ["Checksums", "TestSupport", .product(name: "Crypto", package: "swift-crypto")]),
    .testTarget(
      name: "FileSystemTests", dependencies: ["FileSystem", "Operations", "TestSupport", systemPackage]),
    .testTarget(name: "ProcessesTests", dependencies: ["Processes", "TestSupport"]),
    .testTarget(name: "SecretsTests", dependencies: ["CSystemCalls", "Secrets"]),
    .testTarget(
      name: "ZipTests",
      dependencies: ["Zip", "TestSupport", "Checksums", "FileSystem", "Operations", "Secrets", systemPackage]),
    .testTarget(name: "HTMLTests", dependencies: ["HTML"]),
    .testTarget(name: "GalleryTests", dependencies: ["Gallery", "HTML", "TestSupport"]),
    .testTarget(name: "ImageHeaderTests", dependencies: ["ImageHeader", "TestSupport"]),
    .testTarget(name: "OperationsTests", dependencies: ["Operations"]),
    .testTarget(
      name: "PhotoLibraryTests",
      dependencies: [
        "Databases", "PhotoLibrary", "FileSystem", "Operations", "Secrets", "TestSupport", "Checksums",
        .product(name: "GRDB", package: "GRDB.swift"), systemPackage,
      ]),
    .testTarget(
      name: "PicturesTests",
      dependencies: [
        "Databases", "FileSystem", "Operations", "PhotoLibrary", "Pictures", "Processes", "TestSupport",
        "Checksums", .product(name: "GRDB", package: "GRDB.swift"), systemPackage,
      ]),
    .testTarget(
      name: "DuplicatesTests",
      dependencies: ["CImageMatch", "Checksums", "Duplicates", "PhotoLibrary", "Pictures", "TestSupport"]),
    .testTarget(
      name: "CatalogueTests",
      dependencies: [
        "Catalogue", "FileSystem", "Operations", "PhotoLibrary", "Pictures", "TestSupport", systemPackage,
      ]),
    .testTarget(
      name: "ArchiveCatalogTests",
      dependencies: [
        "ArchiveCatalog", "Checksums", "Databases", "TestSupport", "FileSystem", "Operations",
        .product(name: "GRDB", package: "GRDB.swift"), systemPackage,
      ]),
    .testTarget(
      name: "BackupTests",
      dependencies: [
        "ArchiveCatalog", "Backup", "Gallery", "Pictures", "TestSupport", "Checksums", "FileSystem",
        "Operations", "PhotoLibrary", "Secrets", "Zip", .product(name: "GRDB", package: "GRDB.swift"),
        systemPackage,
      ]),
    .testTarget(
      name: "JobsTests",
      dependencies: [
        "ArchiveCatalog", "Jobs", "TestSupport", "Backup", "Checksums", "FileSystem", "Gallery", "HTML",
        "Operations", "PhotoLibrary", "Processes", "Secrets", .product(name: "GRDB", package: "GRDB.swift"),
        systemPackage,
      ]),
    // sees the public declarations only, like another package
    .testTarget(
      name: "Client",
      dependencies: [
        "ArchiveCatalog", "Backup", "FileSystem", "Operations", "PhotoLibrary", "Pictures", "Zip",
        systemPackage,
      ], packageAccess: false),
    .testTarget(
      name: "CommandTests",
      dependencies: [
        "smilepile", "TestSupport", "PhotoLibrary", "Backup", "Checksums", "FileSystem", "Jobs", "Operations",
        "Processes", "Secrets", .product(name: "ArgumentParser", package: "swift-argument-parser"),
        systemPackage,
      ],
      exclude: [
        "Scripts", "Documents/scenes.sh", "README.md", "Readers/ForwardReader.java", "Readers/Packer.java",
      ]),
  ],
  swiftLanguageModes: [.v6]
)

// Optimizing the tests takes longer than it saves. Only the tests are affected, not the modules under test.
for target in package.targets where target.type == .test {
  target.swiftSettings =
    (target.swiftSettings ?? []) + [
      .unsafeFlags(["-Onone"], .when(configuration: .release))
    ]
}
