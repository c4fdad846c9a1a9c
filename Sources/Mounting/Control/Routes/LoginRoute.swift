// `new-login`: the account of a mount was logged in again.

extension ControlRoutes {
    /// Makes the mount use the account's new login.
    package static let newLogin = ControlRoute<NoFields, AcceptedReply>(.newLogin) {
        _, call throws(CommandError) in
        call.service.loginChanged()
        return AcceptedReply()
    }
}
