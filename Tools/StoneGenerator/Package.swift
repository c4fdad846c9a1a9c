// swift-tools-version: 6.2
// The generator of the Dropbox SDK: reads the API's specification in Stone and writes Swift. A
// package of its own, so that a build of the library does not build this.

import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "StoneGenerator",
    products: [.executable(name: "stone-generator", targets: ["stone-generator"])],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0")
    ],
    targets: [
        .target(name: "Stone", swiftSettings: settings),
        .target(name: "SwiftEmission", dependencies: ["Stone"], swiftSettings: settings),
        .executableTarget(
            name: "stone-generator",
            dependencies: [
                "Stone", "SwiftEmission",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings),
        .testTarget(name: "StoneTests", dependencies: ["Stone"], swiftSettings: settings),
        .testTarget(
            name: "SwiftEmissionTests", dependencies: ["Stone", "SwiftEmission"],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
