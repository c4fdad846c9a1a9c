// swift-tools-version: 6.2
// The layers of dbxfs. A folder is a layer, and imports point down: `Scripts/check-imports` holds
// the allowed arrows, because the compiler does not reject an import of a transitive dependency.

import PackageDescription

let settings: [SwiftSetting] = [
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
    .enableUpcomingFeature("ExistentialAny"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
    .enableUpcomingFeature("InternalImportsByDefault"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
    .enableUpcomingFeature("MemberImportVisibility"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0461-async-function-isolation.md
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

// A package that only parts of this one need is fetched only for those who want such a part: an app
// with the product DropboxAPI and `traits: []` gets the first of these and nothing else.
// `Scripts/check-consumer` counts.
let log = Target.Dependency.product(name: "Logging", package: "swift-log")
// The last trait is that of tests alone (Scripts/test-async-http-client).
let system = product(
    "SystemPackage", of: "swift-system", for: "Filesystem", "SecretService", "AsyncHTTPClient")
let grdb = product("GRDB", of: "GRDB.swift", for: "Filesystem", "Transfers")
let heap = product("HeapModule", of: "swift-collections", for: "Filesystem")
let deque = product("DequeModule", of: "swift-collections", for: "Filesystem")
let arguments = product(
    "ArgumentParser", of: "swift-argument-parser", for: "Filesystem", "Emulator")

func product(_ name: String, of package: String, for traits: String...) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: Set(traits)))
}

// SwiftPM asks pkg-config for all system libraries of a package, also for those that an app does
// not need, and advises to install the missing ones. An app with the product DropboxAPI alone needs
// no libfuse. So the libraries of the filesystem alone are looked for in the system's folders, and
// by pkg-config in `make release`, which links other files.
func filesystemLibrary(_ name: String, _ pkgConfig: String, _ package: String) -> Target {
    let isAsked = Context.environment["DBXFS_PKG_CONFIG"] != nil
    return .systemLibrary(
        name: name, pkgConfig: isAsked ? pkgConfig : nil, providers: [.apt([package])])
}

let package = Package(
    name: "dbxfs",
    products: [
        .executable(name: "dbxfs", targets: ["dbxfs"]),
        .executable(name: "dropbox-emulator", targets: ["dropbox-emulator"]),
        .library(name: "DropboxAPI", targets: ["DropboxAPI"]),
        .library(name: "DropboxAPIComplete", targets: ["DropboxAPIComplete"]),
        .library(name: "DropboxSecretService", targets: ["DropboxSecretService"]),
        .library(name: "DropboxMetrics", targets: ["DropboxMetrics"]),
        .library(name: "DropboxTracing", targets: ["DropboxTracing"]),
        .library(name: "DropboxLifecycle", targets: ["DropboxLifecycle"]),
        .library(name: "DropboxAsyncHTTPClient", targets: ["DropboxAsyncHTTPClient"]),
        .library(name: "DropboxAPITesting", targets: ["DropboxAPITesting"]),
        .library(name: "DropboxEmulator", targets: ["DropboxEmulator"]),
        .library(name: "DropboxTransfers", targets: ["DropboxTransfers"]),
        // libdropbox.so, for C; its header is Sources/CDropbox/dropbox.h.
        .library(name: "dropbox", type: .dynamic, targets: ["DropboxC"]),
        .library(name: "SwiftyDropbox", targets: ["SwiftyDropbox"]),
    ],
    traits: [
        .trait(name: "Filesystem", description: "The program dbxfs and its layers."),
        .trait(
            name: "Emulator", description: "A Dropbox on loopback: DropboxEmulator and its program."
        ),
        .trait(name: "Transfers", description: "DropboxTransfers, which brings a database along."),
        .trait(name: "Metrics", description: "DropboxMetrics, for swift-metrics."),
        .trait(name: "Tracing", description: "DropboxTracing, for swift-distributed-tracing."),
        .trait(name: "Lifecycle", description: "DropboxLifecycle, for swift-service-lifecycle."),
        // Not among the defaults: its TLS is a library in C that takes minutes to build.
        .trait(
            name: "AsyncHTTPClient",
            description: "DropboxAsyncHTTPClient: requests over async-http-client."),
        .trait(
            name: "SecretService", description: "DropboxSecretService, for the desktop's keyring."),
        .trait(
            name: "SwiftyDropbox",
            description: "SwiftyDropbox: the names of Dropbox's SDK for Apple's systems."),
        .default(
            enabledTraits: [
                "Filesystem", "Emulator", "Transfers", "Metrics", "Tracing", "Lifecycle",
                "SecretService", "SwiftyDropbox",
            ]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(
            url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.90.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/LebJe/TOMLKit", from: "0.6.0"),
        .package(
            url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
    ],
    targets: [
        .executableTarget(
            name: "dbxfs",
            dependencies: [
                "Core", "Fuse", "FileSystem", "Sync", "Tree", "MetadataStore", "BlockCache",
                "RemoteStore",
                "Staging", "DropboxAPI", "Mounting", "Blocking", "LocalFiles", "LocalIO",
                "Saturating", "CLinux",
                log,
                system,
                arguments,
            ],
            swiftSettings: settings),
        .target(
            name: "Mounting",
            dependencies: [
                "CBuild", "CLinux", "ContentHashing", "DropboxAPI", "DropboxSecretService",
                "Blocking", "LocalFiles", "LocalIO", "Saturating", log, system,
                product("TOMLKit", of: "TOMLKit", for: "Filesystem"),
            ],
            swiftSettings: settings),
        .target(name: "CLibrary", swiftSettings: settings),
        .target(name: "Essentials", swiftSettings: settings),
        .target(
            name: "LocalFiles", dependencies: ["CLibrary", "Saturating"], swiftSettings: settings),
        .target(
            name: "LocalIO", dependencies: ["Blocking", "CLibrary", "Saturating", system],
            swiftSettings: settings),
        .systemLibrary(name: "CBuild"),
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "CSQLite"),
        filesystemLibrary("CFuse", "fuse3", "libfuse3-dev"),
        .systemLibrary(
            name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(
            name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        filesystemLibrary("CXXHash", "libxxhash", "libxxhash-dev"),
        .target(name: "Saturating", swiftSettings: settings),
        .target(
            name: "ContentHashing", dependencies: ["CCrypto", "Saturating"], swiftSettings: settings
        ),
        .target(
            name: "Core", dependencies: ["ContentHashing", "Saturating"], swiftSettings: settings),
        .target(
            name: "Blocking", dependencies: ["CLibrary", "Saturating"], swiftSettings: settings),
        .target(
            name: "Fuse",
            dependencies: [
                "CFuse", "CLinux", "Core", "FileSystem", "LocalFiles", "LocalIO", "Saturating", log,
                system, deque,
            ],
            swiftSettings: settings),
        .target(
            name: "FileSystem",
            dependencies: [
                "Blocking", "CLinux", "CZlib", "Core", "ContentHashing", "LocalFiles", "Sync",
                "Staging", "MetadataStore", "Tree", "BlockCache", "RemoteStore", "Saturating", log,
                system, deque,
            ],
            swiftSettings: settings),
        .target(
            name: "Sync",
            dependencies: [
                "Blocking", "Core", "ContentHashing", "Staging", "MetadataStore", "Tree",
                "BlockCache", "RemoteStore", "Saturating", log, system,
            ],
            swiftSettings: settings),
        .target(
            name: "Tree",
            dependencies: [
                "Core", "ContentHashing", "Staging", "MetadataStore", "RemoteStore", "Saturating",
            ],
            swiftSettings: settings),
        .target(
            name: "Staging",
            dependencies: [
                "Blocking", "CLinux", "CXXHash", "Core", "ContentHashing", "LocalFiles",
                "MetadataStore", "Saturating", system,
            ],
            swiftSettings: settings),
        .target(
            name: "MetadataStore",
            dependencies: [
                "CSQLite", "Core", "ContentHashing", "LocalFiles", "Saturating", grdb, log,
            ],
            swiftSettings: settings),
        .target(
            name: "BlockCache",
            dependencies: [
                "CLinux", "CXXHash", "Core", "ContentHashing", "LocalFiles", "Saturating", log,
                system,
                heap,
            ],
            swiftSettings: settings),
        .target(
            name: "RemoteStore",
            dependencies: [
                "Blocking", "Core", "ContentHashing", "DropboxAPI", "Saturating", log,
            ],
            swiftSettings: settings),
        .target(
            name: "DropboxAPI",
            dependencies: [
                "Blocking", "CCurl", "CLibrary", "CZlib", "ContentHashing", "Essentials",
                "LocalFiles",
                "Saturating", log, .target(name: "CLinux", condition: .when(platforms: [.linux])),
            ],
            swiftSettings: settings),
        // Beside DropboxAPI, so that only those who want it build what it needs.
        .target(
            name: "DropboxSecretService",
            dependencies: [
                "DropboxAPI", system,
                product("Subprocess", of: "swift-subprocess", for: "Filesystem", "SecretService"),
            ],
            swiftSettings: settings),
        .target(
            name: "DropboxMetrics",
            dependencies: [
                "DropboxAPI", product("CoreMetrics", of: "swift-metrics", for: "Metrics"),
                product("Metrics", of: "swift-metrics", for: "Metrics"),
            ],
            swiftSettings: settings),
        .target(
            name: "DropboxTracing",
            dependencies: [
                "DropboxAPI", "Saturating",
                product("Tracing", of: "swift-distributed-tracing", for: "Tracing"),
            ],
            swiftSettings: settings),
        .target(
            name: "DropboxLifecycle",
            dependencies: [
                "DropboxAPI",
                product("ServiceLifecycle", of: "swift-service-lifecycle", for: "Lifecycle"),
            ],
            swiftSettings: settings),
        // All of it is within `#if AsyncHTTPClient`: a build of this package builds all targets,
        // also those of other traits.
        .target(
            name: "DropboxAsyncHTTPClient",
            dependencies: [
                "CLibrary", "ContentHashing", "DropboxAPI", "Essentials", "Saturating", log,
                product("AsyncHTTPClient", of: "async-http-client", for: "AsyncHTTPClient"),
                product("NIOCore", of: "swift-nio", for: "Emulator", "AsyncHTTPClient"),
                product("NIOHTTP1", of: "swift-nio", for: "AsyncHTTPClient"),
                product("NIOPosix", of: "swift-nio", for: "Emulator", "AsyncHTTPClient"),
                product("NIOHTTP2", of: "swift-nio-http2", for: "AsyncHTTPClient"),
                product("NIOSSL", of: "swift-nio-ssl", for: "AsyncHTTPClient"),
            ],
            swiftSettings: settings),
        .target(
            name: "DropboxAPITesting", dependencies: ["DropboxAPI"], swiftSettings: settings),
        // Generated: what DropboxAPI leaves of the API. Nothing of dbxfs depends on it, so its
        // build does not pay.
        .target(
            name: "DropboxAPIComplete", dependencies: ["DropboxAPI"], swiftSettings: settings),
        // The library for C: the functions of its header, over DropboxAPI.
        .systemLibrary(name: "CDropbox"),
        .target(
            name: "DropboxC",
            dependencies: [
                "CDropbox", "CLibrary", "DropboxAPI", "Essentials", "Blocking", "Saturating", log,
            ],
            swiftSettings: settings),
        // Transfers that outlive the process. Apart, because it brings a database along.
        .target(
            name: "DropboxTransfers",
            dependencies: [
                "Blocking", "CLibrary", "DropboxAPI", "ContentHashing", "LocalFiles", "Saturating",
                grdb,
            ],
            swiftSettings: settings),
        // Programs written for Dropbox's SDK for Apple's systems, with its names and classes; most
        // of it is generated.
        .target(
            name: "SwiftyDropbox",
            dependencies: ["Blocking", "CLibrary", "DropboxAPI", "LocalFiles", "Saturating"],
            swiftSettings: settings),
        .target(
            name: "DropboxEmulator",
            dependencies: [
                "ContentHashing", "LocalFiles", log,
                product("Hummingbird", of: "hummingbird", for: "Emulator"),
                product("HummingbirdCore", of: "hummingbird", for: "Emulator"),
                product("HTTPTypes", of: "swift-http-types", for: "Emulator"),
                product("NIOCore", of: "swift-nio", for: "Emulator"),
                product("NIOPosix", of: "swift-nio", for: "Emulator"),
            ],
            resources: [.embedInCode("observed.json")], swiftSettings: settings),
        .executableTarget(
            name: "dropbox-emulator",
            dependencies: [
                "DropboxEmulator", log,
                arguments,
            ],
            swiftSettings: settings),
        // An example that is not in Examples/Package.swift, because the build of the emulator has
        // Hummingbird already.
        .executableTarget(
            name: "web-server",
            dependencies: [
                "DropboxAPI", "DropboxLifecycle", log,
                product("Hummingbird", of: "hummingbird", for: "Emulator"),
                product("HTTPTypes", of: "swift-http-types", for: "Emulator"),
                product("NIOCore", of: "swift-nio", for: "Emulator"),
            ],
            path: "Examples/Sources/web-server",
            // As in an app: the language mode, and nothing besides.
            swiftSettings: [.treatAllWarnings(as: .error)]),
        .target(
            name: "RemoteStoreTesting", dependencies: ["Core", "ContentHashing", "RemoteStore"],
            swiftSettings: settings),
        .testTarget(
            name: "MetadataStoreTests",
            dependencies: ["MetadataStore", "Core", "ContentHashing", grdb],
            swiftSettings: settings),
        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: settings),
        .systemLibrary(name: "CConcurrency", path: "Tests/CConcurrency"),
        .target(name: "CDisk", path: "Tests/CDisk"),
        // Histories on one thread, one clock and one order of jobs; a program of its own, because
        // it takes over the concurrency of its whole process.
        .executableTarget(
            name: "Simulation",
            dependencies: [
                "Blocking", "CConcurrency", "CDisk", "ContentHashing", "Core", "FileSystem",
                "MetadataStore", "RemoteStore", "RemoteStoreTesting", "Staging", "Sync", "Tree",
                "TestSupport", grdb,
                log,
                arguments,
            ],
            path: "Tests/Simulation", exclude: ["mutants.toml"], swiftSettings: settings),
        // Statements about Dropbox, each put to a server: the emulator in CI, the real one by hand.
        .executableTarget(
            name: "dropbox-conformance", dependencies: ["DropboxAPIComplete", arguments],
            path: "Tests/conformance", exclude: ["run", "alternatives.json", "mount"],
            swiftSettings: settings),
        .testTarget(
            name: "StagingTests",
            dependencies: ["Staging", "TestSupport", "MetadataStore", "Core", "ContentHashing"],
            swiftSettings: settings),
        .testTarget(
            name: "SyncTests",
            dependencies: [
                "Sync", "Tree", "Staging", "TestSupport", "MetadataStore", "BlockCache",
                "RemoteStore", "RemoteStoreTesting", "Core", "ContentHashing", "Saturating", log,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "FileSystemTests",
            dependencies: [
                "FileSystem", "TestSupport", "Core", "ContentHashing", "Sync", "Tree", "Staging",
                "MetadataStore", "RemoteStore", log, system,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "DropboxAPITests",
            dependencies: [
                "DropboxAPI", "ContentHashing", "LocalFiles", "LocalIO", "TestSupport", log, system,
                .target(
                    name: "DropboxAsyncHTTPClient", condition: .when(traits: ["AsyncHTTPClient"])),
                product("AsyncHTTPClient", of: "async-http-client", for: "AsyncHTTPClient"),
                product("NIOCore", of: "swift-nio", for: "AsyncHTTPClient"),
                product("NIOHTTP1", of: "swift-nio", for: "AsyncHTTPClient"),
                product("NIOPosix", of: "swift-nio", for: "AsyncHTTPClient"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "DropboxAPITestingTests", dependencies: ["DropboxAPITesting", "DropboxAPI"],
            swiftSettings: settings),
        .testTarget(
            name: "DropboxMetricsTests",
            dependencies: [
                "DropboxMetrics", "DropboxAPI",
                product("MetricsTestKit", of: "swift-metrics", for: "Metrics"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "DropboxTracingTests",
            dependencies: [
                "DropboxTracing", "DropboxAPI", "DropboxAPITesting",
                product("InMemoryTracing", of: "swift-distributed-tracing", for: "Tracing"),
                product("Tracing", of: "swift-distributed-tracing", for: "Tracing"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "DropboxLifecycleTests",
            dependencies: [
                "DropboxLifecycle", "DropboxAPI", "DropboxAPITesting",
                product("ServiceLifecycle", of: "swift-service-lifecycle", for: "Lifecycle"),
                product("ServiceLifecycleTestKit", of: "swift-service-lifecycle", for: "Lifecycle"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "DropboxSecretServiceTests",
            dependencies: ["DropboxSecretService", "DropboxAPI", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "DropboxAPICompleteTests",
            dependencies: [
                "DropboxAPIComplete", "DropboxAPI", "DropboxAPITesting", "TestSupport",
            ],
            resources: [.copy("Generated/Documents")], swiftSettings: settings),
        .testTarget(
            name: "DropboxCTests",
            dependencies: [
                "DropboxC", "CDropbox", "DropboxAPI", "DropboxEmulator", "TestSupport", log,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SwiftyDropboxTests",
            dependencies: ["SwiftyDropbox", "DropboxEmulator", "TestSupport"],
            swiftSettings: settings),
        .executableTarget(
            name: "TransferTestProcess", dependencies: ["DropboxTransfers", "DropboxAPI"],
            path: "Tests/TransferTestProcess", swiftSettings: settings),
        .testTarget(
            name: "TransferTests",
            dependencies: [
                "TransferTestProcess", "DropboxTransfers", "DropboxAPI", "DropboxEmulator",
                "ContentHashing", "LocalIO", "TestSupport", log, grdb, system,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "RemoteStoreTests",
            dependencies: [
                "RemoteStore", "RemoteStoreTesting", "DropboxAPI", "DropboxAPITesting",
                "DropboxEmulator", "TestSupport", "Core",
                "ContentHashing", log,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "BlockCacheTests",
            dependencies: ["BlockCache", "ContentHashing", "LocalFiles", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "ReadingTests",
            dependencies: [
                "FileSystem", "Sync", "Tree", "BlockCache", "MetadataStore", "RemoteStore",
                "RemoteStoreTesting", "TestSupport", "Core", "ContentHashing", log,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "DropboxEmulatorTests", dependencies: ["DropboxEmulator", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "MountingTests",
            dependencies: [
                "Mounting", "DropboxAPI", "Blocking", "LocalFiles", "LocalIO", "TestSupport", log,
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "FuseTestServer",
            dependencies: ["Core", "FileSystem", "Fuse", log, system], path: "Tests/FuseTestServer",
            swiftSettings: settings),
        .testTarget(
            name: "FuseTests",
            dependencies: [
                "Fuse", "FuseTestServer", "CFuse", "Core", "FileSystem", "LocalIO", "TestSupport",
                log,
                system,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "dbxfs", "dropbox-emulator", "Blocking", "LocalIO", "TestSupport", system,
            ],
            exclude: ["scenarios"], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)

// A test run that is not of all targets builds the named ones alone:
// `Scripts/test-async-http-client`.
if let names = Context.environment["DBXFS_TEST_TARGETS"]?.split(separator: " ").map(String.init) {
    package.targets.removeAll { $0.type == .test && !names.contains($0.name) }
}
