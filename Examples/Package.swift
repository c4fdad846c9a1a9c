// swift-tools-version: 6.2
// Small programs over the libraries of this repository, as an app outside of it would have them.

import PackageDescription

let api = Target.Dependency.product(name: "DropboxAPI", package: "dbxfs")

// Without its traits the package brings nothing along that the library does not need.
let package = Package(
    name: "Examples",
    dependencies: [.package(name: "dbxfs", path: "..", traits: [])],
    targets: [
        .target(name: "Account", dependencies: [api]),
        .executableTarget(name: "newcomer", dependencies: ["Account", api]),
        .executableTarget(name: "list", dependencies: ["Account", api]),
        .executableTarget(name: "upload", dependencies: ["Account", api]),
        .executableTarget(name: "download", dependencies: ["Account", api]),
        .executableTarget(name: "watch", dependencies: ["Account", api]),
        .executableTarget(name: "team-member", dependencies: ["Account", api]),
        .executableTarget(name: "route-handlers", dependencies: ["Account", api]),
        .executableTarget(
            name: "routes",
            dependencies: [
                "Account", api, .product(name: "DropboxAPIComplete", package: "dbxfs"),
            ]),
        .executableTarget(
            name: "comparison",
            dependencies: [
                "Account", api, .product(name: "DropboxAPITesting", package: "dbxfs"),
            ]),
        .executableTarget(name: "small", dependencies: [api]),
        // Those of the tutorials, with the web server of the main package; the files of a program
        // are its last step.
        .executableTarget(name: "backup", dependencies: [api]),
        // Three files are links to those of the backup.
        .executableTarget(name: "sync", dependencies: [api]),
    ],
    swiftLanguageModes: [.v6]
)
