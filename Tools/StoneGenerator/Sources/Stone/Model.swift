// A specification with all names resolved. Fields and tags are those that a client outside of
// Dropbox sees: those annotated as omitted are left out.

/// The name of a type, and whose it is.
public struct TypeName: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The namespace, for example `files`.
    public let namespace: String
    /// The name, for example `FileMetadata`.
    public let name: String

    init(_ namespace: String, _ name: String) {
        self.namespace = namespace
        self.name = name
    }

    /// The name behind its namespace, as `namespace.Name`.
    public var description: String { "\(namespace).\(name)" }

    /// By namespace, then by name.
    public static func < (left: TypeName, right: TypeName) -> Bool {
        (left.namespace, left.name) < (right.namespace, right.name)
    }
}

/// The type of a value.
public indirect enum ValueType: Hashable, Sendable {
    case void
    case boolean
    case integer(IntegerKind, minimum: String?, maximum: String?)
    case float(bits: Int, minimum: String?)
    case string(StringLimits)
    case timestamp(format: String)
    case list(ValueType, minimum: Int?, maximum: Int?)
    case map(ValueType)
    case nullable(ValueType)
    case alias(TypeName)
    case structure(TypeName)
    case union(TypeName)
}

/// The widths of integers.
public enum IntegerKind: String, Sendable {
    case int32 = "Int32"
    case int64 = "Int64"
    case uint32 = "UInt32"
    case uint64 = "UInt64"
}

/// Which strings a server takes.
public struct StringLimits: Hashable, Sendable {
    /// The least number of characters; nil for no limit.
    public let minimum: Int?
    /// The greatest number of characters; nil for no limit.
    public let maximum: Int?
    /// A regular expression for the whole string.
    public let pattern: String?
}

/// The value of a field that is absent.
public enum DefaultValue: Hashable, Sendable {
    case boolean(Bool)
    case number(String)
    case string(String)
    /// A tag without payload.
    case tag(String)
}

/// A field of a struct, or a tag of a union.
public struct Field: Hashable, Sendable {
    /// The name on the wire.
    public let name: String
    /// Void for tags without payload.
    public let type: ValueType
    /// The value when it is absent; only fields have one.
    public let defaultValue: DefaultValue?
    /// Whether the specification advises against it.
    public let isDeprecated: Bool
    /// The specification's text about it; nil unless texts are kept.
    public let documentation: String?
}

/// A struct that stands for several, told apart by a tag.
public struct Subtypes: Hashable, Sendable {
    /// One of the structs, with its tag.
    public struct Subtype: Hashable, Sendable {
        /// The tag on the wire.
        public let tag: String
        /// The name of the struct.
        public let name: TypeName
    }

    /// The structs by tag, in the specification's order.
    public let all: [Subtype]
}

/// A struct with all of its fields.
public struct Structure: Sendable {
    /// The name of the struct.
    public let name: TypeName
    /// The struct whose fields it inherits, if there is one.
    public let parent: TypeName?
    /// All fields, inherited ones first.
    public let fields: [Field]
    /// The structs that it stands for, if it does.
    public let subtypes: Subtypes?
    /// The specification's text about it; nil unless texts are kept.
    public let documentation: String?
    let examples: [ExampleDefinition]
}

/// A union with all of its tags.
public struct Union: Sendable {
    /// The name of the union.
    public let name: TypeName
    /// The union whose tags it inherits, if there is one.
    public let parent: TypeName?
    /// All tags, inherited ones first.
    public let tags: [Field]
    /// Whether the specification promises that there will be no further tags.
    public let isClosed: Bool
    /// The specification's text about it; nil unless texts are kept.
    public let documentation: String?
    let examples: [ExampleDefinition]

    /// Whether no tag has a payload.
    public var isVoid: Bool { tags.allSatisfy { $0.type == .void } }
}

/// Another name of a type.
public struct Alias: Sendable {
    /// The name of the alias.
    public let name: TypeName
    /// The type that the alias stands for.
    public let type: ValueType
}

/// A route with the types of its call.
public struct Route: Sendable {
    /// The namespace of the route.
    public let namespace: String
    /// The name, for example `list_folder/continue`.
    public let name: String
    /// The version, from 1.
    public let version: Int
    /// The type of the route's argument.
    public let argument: ValueType
    /// The type of the route's result.
    public let result: ValueType
    /// The type of the route's errors.
    public let error: ValueType
    /// Whether the specification advises against it.
    public let isDeprecated: Bool
    /// The route to use instead, as it stands in an address.
    public let successor: String?
    /// How it is called.
    public let attributes: RouteAttributes
    /// The specification's text about it; nil unless texts are kept.
    public let documentation: String?

    /// The part of the address behind the version of the API, for example `files/move_v2`.
    public var path: String { "\(namespace)/\(Self.path(name, version))" }

    static func path(_ name: String, _ version: Int) -> String {
        version == 1 ? name : "\(name)_v\(version)"
    }
}

/// How a route is called.
public struct RouteAttributes: Sendable {
    /// `api`, `content` or `notify`.
    public let host: String
    /// `rpc`, `upload` or `download`.
    public let style: String
    /// The kinds of callers: of `user`, `team`, `app`, `noauth`.
    public let authentication: [String]
    /// The permission that the token needs.
    public let scope: String?
    /// Whether it may change without notice.
    public let isPreview: Bool
    /// Which administrators may call it for a member, if any may.
    public let selectAdmin: String?
}

/// A namespace with all of its definitions.
public struct Namespace: Sendable {
    /// Its name, for example `file_requests`.
    public let name: String
    /// Other names of types, by name.
    public let aliases: [Alias]
    /// The structs, sorted by name.
    public let structures: [Structure]
    /// The unions, sorted by name.
    public let unions: [Union]
    /// The routes, sorted by address.
    public let routes: [Route]
}

/// A specification: all of its namespaces.
public struct Specification: Sendable {
    /// The namespaces, by name.
    public let namespaces: [Namespace]
    private let aliases: [TypeName: Alias]
    private let structures: [TypeName: Structure]
    private let unions: [TypeName: Union]

    init(namespaces: [Namespace]) {
        self.namespaces = namespaces
        func byName<Value>(_ values: [Value], _ name: (Value) -> TypeName) -> [TypeName: Value] {
            Dictionary(values.map { (name($0), $0) }) { first, _ in first }
        }
        aliases = byName(namespaces.flatMap(\.aliases), \.name)
        structures = byName(namespaces.flatMap(\.structures), \.name)
        unions = byName(namespaces.flatMap(\.unions), \.name)
    }

    /// The type behind its other names, one after another.
    public func resolved(_ type: ValueType) -> ValueType {
        guard case .alias(let name) = type, let alias = aliases[name] else { return type }
        return resolved(alias.type)
    }

    /// The alias of a name.
    public func alias(_ name: TypeName) -> Alias? { aliases[name] }

    /// The struct that a type is, if it is one.
    public func structure(_ type: ValueType) -> Structure? {
        guard case .structure(let name) = resolved(type) else { return nil }
        return structures[name]
    }

    /// The struct of a name.
    public func structure(_ name: TypeName) -> Structure? { structures[name] }

    /// The struct or union of a name.
    public func type(_ name: TypeName) -> ValueType {
        structures[name] == nil ? .union(name) : .structure(name)
    }

    /// The union that a type is, if it is one.
    public func union(_ type: ValueType) -> Union? {
        guard case .union(let name) = resolved(type) else { return nil }
        return unions[name]
    }

    /// The type without its being nullable, if it is.
    public func nullablePayload(_ type: ValueType) -> ValueType? {
        guard case .nullable(let payload) = resolved(type) else { return nil }
        return payload
    }
}
