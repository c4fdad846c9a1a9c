// Times at the borders of their type, as a damaged login or a store of another program may hold
// them.

import Testing

@testable import DropboxAPI

@Suite("times at the borders")
struct BorderTests {
    @Test("an access token with any end is good for a time between none and a year")
    func validity() {
        let ends: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
        for end in ends {
            for now in ends {
                var login = StoredLogin(appKey: "k", refreshToken: "r", scopes: [], accountID: "a")
                login.expires = Timestamp(secondsSince1970: end)
                let validity = login.validity(at: Timestamp(secondsSince1970: now))
                #expect(validity >= .zero && validity <= .seconds(365 * 86_400))
            }
        }
    }
}
