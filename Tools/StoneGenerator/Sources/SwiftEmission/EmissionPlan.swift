// Which module each definition goes to. Not responsible for how a type or a route looks.

import Stone

/// The module of each definition.
public struct EmissionPlan: Sendable {
    /// A module that generated code goes to.
    public struct Target: Sendable {
        /// The name of the module.
        public let module: String
        /// Its namespaces; nil means all that no target before it has.
        public let namespaces: Set<String>?
        /// Single routes of other namespaces, for example `sharing/list_shared_links`.
        public let routes: Set<String>

        /// Takes over all fields.
        public init(
            module: String, namespaces: Set<String>? = nil, routes: Set<String> = []
        ) {
            self.module = module
            self.namespaces = namespaces
            self.routes = routes
        }

        func takes(_ route: Route) -> Bool {
            namespaces?.contains(route.namespace) ?? true || routes.contains(route.path)
        }
    }

    /// The modules, in the order in which they choose. Each imports those before it.
    public let targets: [Target]

    /// Takes over all fields.
    public init(targets: [Target]) {
        self.targets = targets
    }

    /// What a filesystem needs, with the types that this takes of other namespaces; and all else.
    public static let dropbox = EmissionPlan(targets: [
        Target(
            module: "DropboxAPI",
            namespaces: ["async", "auth", "check", "common", "files", "users", "users_common"],
            routes: [
                "file_properties/properties/overwrite",
                "file_properties/templates/add_for_user",
                "file_properties/templates/get_for_user",
                "file_properties/templates/list_for_user",
                "file_properties/templates/remove_for_user",
                "sharing/create_shared_link_with_settings", "sharing/list_mountable_folders",
                "sharing/list_mountable_folders/continue", "sharing/list_shared_links",
                "sharing/mount_folder", "sharing/revoke_shared_link", "sharing/unmount_folder",
            ]),
        Target(module: "DropboxAPIComplete"),
    ])
}

/// The module of every type and every route.
struct Placement {
    private var types: [TypeName: String] = [:]
    private var routes: [String: String] = [:]
    /// The module in which a namespace comes up first, which declares its enum.
    private var declarations: [String: String] = [:]
    /// The module that has the first routes of a namespace, and declares what calls them.
    private var callers: [String: String] = [:]

    /// Each target takes what it names and is left, and the types that this needs.
    init(_ specification: Specification, plan: EmissionPlan) {
        for target in plan.targets {
            let taken = specification.namespaces.flatMap(\.routes).filter {
                routes[$0.path] == nil && target.takes($0)
            }
            for route in taken {
                routes[route.path] = target.module
                callers[route.namespace] = callers[route.namespace] ?? target.module
            }
            let named = specification.namespaces.filter {
                target.namespaces?.contains($0.name) ?? true
            }.flatMap(\.typeNames)
            let needed = specification.closure(of: named + taken.flatMap(\.typeNames))
            for type in needed where types[type] == nil { types[type] = target.module }
            for namespace in needed.map(\.namespace) + taken.map(\.namespace) {
                declarations[namespace] = declarations[namespace] ?? target.module
            }
        }
    }

    /// The module that a type builds in.
    func module(of type: TypeName) -> String? { types[type] }

    /// The module that declares a namespace's enum.
    func declaration(of namespace: String) -> String? { declarations[namespace] }

    /// The module that declares the struct whose methods are a namespace's routes.
    func caller(of namespace: String) -> String? { callers[namespace] }

    /// The definitions of a namespace in a module.
    func part(of namespace: Namespace, in module: String) -> Namespace {
        namespace.part(
            types: { types[$0] == module }, routes: { routes[$0.path] == module })
    }
}

extension Namespace {
    /// Whether it says nothing about routes and types.
    var isEmpty: Bool { typeNames.isEmpty && routes.isEmpty }

    /// The names of its types.
    var typeNames: [TypeName] { aliases.map(\.name) + structures.map(\.name) + unions.map(\.name) }
}
