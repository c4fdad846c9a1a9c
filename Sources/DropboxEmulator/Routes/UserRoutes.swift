// Routes for the account and its token.

extension Routes {
    /// `users/get_current_account`: returns the account of the token.
    static func currentAccount(_ call: Call) async throws -> RouteResponse {
        var account = call.account.json
            .adding("country", "US").adding("locale", "en")
            .adding("referral_link", "https://www.dropbox.com/referrals/emulator")
            .adding("is_paired", false)
            .adding("account_type", .tag(call.account.homePath == nil ? "pro" : "business"))
            .adding("root_info", call.account.rootInfo)
        if call.account.homePath != nil {
            account = account.adding("team", call.account.teamJSON)
                .adding("team_member_id", .string(call.account.teamMemberID))
        }
        return .json(account)
    }

    /// `users/get_account`: returns an account by its ID.
    static func account(_ call: Call) async throws -> RouteResponse {
        let id = try call.arguments { reader throws(ArgumentError) in
            try reader.string("account_id", length: 40...40)
        }
        guard let account = call.emulator.accounts.account(id) else {
            throw RouteFailure.route(.tag("no_account"))
        }
        return .json(account.json.adding("is_teammate", .boolean(account.id == call.account.id)))
    }

    /// `users/get_space_usage`: returns used and allocated bytes.
    static func spaceUsage(_ call: Call) async throws -> RouteResponse {
        let (used, quota) = call.space.tree { ($0.space.used, $0.space.quota) }
        guard call.account.homePath != nil else {
            return .json([
                "used": .integer(used),
                "allocation": .tagged("individual", ["allocated": .integer(quota)]),
            ])
        }
        return .json([
            "used": .integer(used),
            "allocation": .tagged(
                "team",
                [
                    "used": .integer(used), "allocated": .integer(quota),
                    "user_within_team_space_allocated": 0,
                    "user_within_team_space_limit_type": .tag("off"),
                    "user_within_team_space_used_cached": .integer(used),
                ]),
        ])
    }

    /// `users/features/get_values`: tells which features the account has.
    static func features(_ call: Call) async throws -> RouteResponse {
        let tags = [
            "paper_as_files", "file_locking", "team_shared_dropbox", "distinct_member_home",
        ]
        let wanted = try call.arguments { reader throws(ArgumentError) in
            try reader.list("features") { value, place throws(ArgumentError) in
                try ArgumentReader.tag(of: value, among: tags, at: place)
            }
        }
        guard !wanted.isEmpty else { throw RouteFailure.route(.tag("empty_features_list")) }
        let isTeam = call.account.homePath != nil
        let values = wanted.map { feature -> JSONValue in
            let isEnabled = feature == "paper_as_files" || (isTeam && feature != "file_locking")
            return .tag(feature, .tag("enabled", .boolean(isEnabled)))
        }
        return .json(["values": .array(values)])
    }

    /// `check/user`: returns the query as it is.
    static func echo(_ call: Call) async throws -> RouteResponse {
        .json(["result": .string(try call.arguments(query))])
    }

    /// Takes the field of a `check.EchoArg`.
    static func query(_ reader: inout ArgumentReader) throws(ArgumentError) -> String {
        guard let value = try reader.take("query") else { return "" }
        return try ArgumentReader.string(value, at: "query", length: 0...500)
    }

    /// `auth/token/revoke`: ends the validity of the token.
    static func revokeToken(_ call: Call) async throws -> RouteResponse {
        try call.emulator.accounts.revoke(call.token)
        return .json(.null)
    }
}

extension Account {
    /// The fields of a `users.Account`.
    fileprivate var json: JSONValue {
        let initials = String(givenName.prefix(1) + surname.prefix(1))
        return [
            "account_id": .string(id),
            "name": [
                "given_name": .string(givenName), "surname": .string(surname),
                "familiar_name": .string(givenName), "display_name": .string(displayName),
                "abbreviated_name": .string(initials),
            ],
            "email": .string(email), "email_verified": true, "disabled": false,
        ]
    }

    /// A `users.FullTeam` with the policies of a new team.
    fileprivate var teamJSON: JSONValue {
        [
            "id": .string("dbtid:AAE\(space)"), "name": "Emulated team",
            "sharing_policies": [
                "shared_folder_member_policy": .tag("anyone"),
                "shared_folder_join_policy": .tag("from_anyone"),
                "shared_link_create_policy": .tag("default_public"),
                "group_creation_policy": .tag("admins_and_members"),
                "shared_folder_link_restriction_policy": .tag("anyone"),
                "enforce_link_password_policy": .tag("optional"),
                "default_link_expiration_days_policy": .tag("none"),
                "shared_link_default_permissions_policy": .tag("default"),
            ],
            "office_addin_policy": .tag("enabled"),
            "top_level_content_policy": .tag("admin_only"),
        ]
    }
}
