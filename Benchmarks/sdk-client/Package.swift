// swift-tools-version: 6.2
// The part of Benchmarks/sdk that uses the library: a package of its own, as an app's would be.

import PackageDescription

let package = Package(
    name: "sdk-client",
    dependencies: [.package(name: "dbxfs", path: "../..", traits: [])],
    targets: [
        .executableTarget(
            name: "sdk-client", dependencies: [.product(name: "DropboxAPI", package: "dbxfs")])
    ],
    swiftLanguageModes: [.v6]
)
