// A file of a specification as it is written: names are not looked up yet, and nothing is
// inherited.

/// A value as it is written.
enum Literal: Hashable, Sendable {
    case null
    case boolean(Bool)
    /// The digits, because not every number of the specification fits into an `Int`.
    case integer(String)
    case decimal(String)
    case string(String)
    /// A tag of a union, or an example's label.
    case name(String)
    case list([Literal])
    case map([Entry])

    struct Entry: Hashable, Sendable {
        let key: Literal
        let value: Literal
    }
}

/// `namespace.Name`, or only the name.
struct Reference: Hashable {
    let namespace: String?
    let name: String
    let position: SourcePosition
}

/// A type as it is written, with its arguments: `List(String(min_length=1), max_items=3)?`.
struct TypeExpression: Hashable {
    enum Argument: Hashable {
        case type(TypeExpression)
        case literal(Literal)
        case named(String, Literal)
    }

    let reference: Reference
    let arguments: [Argument]
    let isNullable: Bool

    var position: SourcePosition { reference.position }
}

struct ImportStatement: Hashable {
    let namespace: String
    let position: SourcePosition
}

struct AliasDefinition: Hashable {
    let name: String
    let type: TypeExpression
    let position: SourcePosition
}

/// A field of a struct, or a tag of a union; only a tag may lack a type.
struct FieldDefinition: Hashable {
    let name: String
    var type: TypeExpression?
    var defaultValue: Literal?
    /// The tag that stands for all that are not known.
    var isCatchAll = false
    var annotations: [Reference] = []
    /// The union that is the type, if it is defined right below.
    var inlineUnion: UnionDefinition?
    /// The specification's text about it.
    var documentation: String?
    let position: SourcePosition
}

struct ExampleDefinition: Hashable, Sendable {
    let label: String
    var values: [Value] = []
    let position: SourcePosition

    struct Value: Hashable, Sendable {
        let name: String
        let value: Literal
        let position: SourcePosition
    }
}

/// The subtypes of a struct: each has a tag, by which values are told apart.
struct SubtypesDefinition: Hashable {
    let isClosed: Bool
    let subtypes: [FieldDefinition]
}

/// A struct, or what a `patch` adds to one.
struct StructDefinition: Hashable {
    let name: String
    var parent: Reference?
    var subtypes: SubtypesDefinition?
    var fields: [FieldDefinition] = []
    var examples: [ExampleDefinition] = []
    /// The specification's text about it.
    var documentation: String?
    let position: SourcePosition
}

/// A union, or what a `patch` adds to one.
struct UnionDefinition: Hashable {
    let name: String
    let isClosed: Bool
    var parent: Reference?
    var tags: [FieldDefinition] = []
    var examples: [ExampleDefinition] = []
    /// The specification's text about it.
    var documentation: String?
    let position: SourcePosition
}

struct RouteDefinition: Hashable {
    let name: String
    let version: Int
    let argument: TypeExpression
    let result: TypeExpression
    let error: TypeExpression
    var isDeprecated = false
    /// The route to use instead.
    var successor: RouteName?
    var attributes: [String: Literal] = [:]
    /// The specification's text about it.
    var documentation: String?
    let position: SourcePosition
}

struct RouteName: Hashable {
    let name: String
    let version: Int
}

/// `annotation NAME = KIND(…)`.
struct AnnotationDefinition: Hashable {
    let name: String
    let kind: Reference
    let position: SourcePosition
}

enum Definition: Hashable {
    case alias(AliasDefinition)
    case structure(StructDefinition)
    case union(UnionDefinition)
    case structPatch(StructDefinition)
    case unionPatch(UnionDefinition)
    case route(RouteDefinition)
    case annotation(AnnotationDefinition)
    /// Kinds of annotation have no meaning for a client.
    case annotationType(name: String)
}

/// One file of a specification.
struct SyntaxTree: Hashable {
    let namespace: String
    var imports: [ImportStatement] = []
    var definitions: [Definition] = []
}
