// The routes about accounts, tokens and the connection itself.
// https://www.dropbox.com/developers/documentation/http/documentation#users

extension Users {
    /// Describes the token's account. Scope `account_info.read`.
    public static var getCurrentAccount: Route<Empty, FullAccount, NoError> {
        .init("users/get_current_account", scope: "account_info.read", retryAfterSend: true)
    }

    /// Tells the space used and allowed. Scope `account_info.read`.
    public static var getSpaceUsage: Route<Empty, SpaceUsage, NoError> {
        .init("users/get_space_usage", scope: "account_info.read", retryAfterSend: true)
    }
}

extension Check {
    /// Echoes a text if connection and token work. Scope `account_info.read`.
    public static var user: Route<EchoArg, EchoResult, EchoError> {
        .init("check/user", scope: "account_info.read", retryAfterSend: true)
    }
}

extension Auth {
    /// Makes the token, and the refresh token behind it, useless.
    public static var tokenRevoke: Route<Empty, Empty, NoError> {
        .init("auth/token/revoke", retryAfterSend: true)
    }
}
