// Which errors can be helped by sending the request again. The specification says so in prose only;
// the tags that mean it are listed here.

import Stone

/// Knows what helps against an error.
struct Remedies {
    /// Busy writers: nothing was done.
    private static let tags = [
        "too_many_write_operations": "waitForWriters",
        "content_hash_mismatch": "resendBody",
    ]

    /// Errors of routes with content that keep nothing of what they refuse. Others may: what comes
    /// with `upload_session/finish` is appended, also when the commit is refused.
    private static let keepNothing: Set = ["files.UploadError"]

    /// A tag that can be helped.
    struct Branch {
        let tag: Field
        let remedy: String
        /// Where in the payload the remedy is; nil when the tag itself is the error.
        let path: String?
    }

    private let specification: Specification
    private let mayKeepContent: Set<TypeName>

    init(_ specification: Specification) {
        self.specification = specification
        let uploads = specification.namespaces.flatMap(\.routes).filter {
            $0.attributes.style == "upload"
        }
        mayKeepContent = Set(
            uploads.compactMap { specification.union($0.error)?.name }.filter {
                !Self.keepNothing.contains($0.description)
            })
    }

    /// The tags of a union that can be helped.
    func branches(of union: Union) -> [Branch] { branches(of: union, within: []) }

    /// How the remedy of a tag is spelled.
    func spelled(_ branch: Branch, of union: Union) -> String {
        let remedy = branch.path ?? ".\(branch.remedy)"
        guard mayKeepContent.contains(union.name) else { return remedy }
        return switch branch.remedy {
        case "": remedy + ".unlessBody"
        case "waitForWriters": remedy + "UnlessBody"
        default: remedy
        }
    }

    private func branches(of union: Union, within open: [TypeName]) -> [Branch] {
        guard !open.contains(union.name) else { return [] }
        return union.tags.compactMap { tag in
            if tag.type == .void {
                return Self.tags[tag.name].map { Branch(tag: tag, remedy: $0, path: nil) }
            }
            return path(in: tag.type, within: open + [union.name]).map {
                Branch(tag: tag, remedy: "", path: "payload.\($0)remedy")
            }
        }
    }

    /// The way to a remedy: nothing for a union that has one, the field of a struct that holds such
    /// a union.
    private func path(in type: ValueType, within open: [TypeName]) -> String? {
        if let union = specification.union(type) {
            return branches(of: union, within: open).isEmpty ? nil : ""
        }
        guard let structure = specification.structure(type), structure.subtypes == nil else {
            return nil
        }
        let field = structure.fields.first { field in
            specification.union(field.type).map {
                !branches(of: $0, within: open).isEmpty
            } ?? false
        }
        return field.map { SwiftNames.member($0.name) + "." }
    }
}
