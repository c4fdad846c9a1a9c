// The small pure parts: times, headers, ranges, limits, timers.

import Foundation
import Testing

@testable import DropboxAPI

struct ValueTests {
    @Test(
        "timestamps of the API and seconds since 1970 agree",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2015-05-12T15:50:38Z", 1_431_445_838),
            ("2000-02-29T23:59:59Z", 951_868_799), ("1969-12-31T23:59:59Z", -1),
            ("1900-03-01T00:00:00Z", -2_203_891_200), ("9999-12-31T23:59:59Z", 253_402_300_799),
            ("0001-01-01T00:00:00Z", -62_135_596_800),
        ])
    func timestamps(text: String, seconds: Int64) {
        #expect(Timestamp(text)?.secondsSince1970 == seconds)
        #expect(Timestamp(secondsSince1970: seconds).description == text)
    }

    @Test("a fraction of a second is dropped")
    func fraction() {
        #expect(Timestamp("1970-01-01T00:00:01.999Z")?.secondsSince1970 == 1)
    }

    @Test("every day of four centuries survives a round trip")
    func days() {
        for day in stride(from: Int64(-146_097), to: 146_097, by: 1) {
            let time = Timestamp(secondsSince1970: day * 86_400 + 43_200)
            #expect(Timestamp(time.description) == time)
        }
    }

    @Test(
        "a text that is not a timestamp is refused",
        arguments: [
            "", "2015-05-12", "2015-05-12T15:50:38", "2015-13-12T15:50:38Z", "2015-05-12T24:00:00Z",
            "2015-05-12T15:50:38+01:00", "15-05-12T15:50:38Z", "2015-05-12T15:50:38Z ",
            "2015-05-12T15:50:38.Z", "２０１５-05-12T15:50:38Z",
        ])
    func notTimestamps(text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test("times beyond what the API can write are clamped")
    func clamped() {
        #expect(Timestamp(secondsSince1970: .max).description == "9999-12-31T23:59:59Z")
        #expect(Timestamp(secondsSince1970: .min).description == "0001-01-01T00:00:00Z")
    }

    @Test("JSON for a header is ASCII and means the same")
    func headerValue() throws {
        let text = "a\"\\/\u{1}\u{7F}\u{80}ßßé中\u{1F600}\u{10FFFF}"
        let json = try JSON.encode(Files.DownloadArg(path: text))
        let header = JSON.headerValue(json)
        #expect(header.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
        #expect(
            try JSON.decode(Files.DownloadArg.self, from: Array(header.utf8)).path == text)
    }

    @Test("the last head counts, interim ones and trailers do not")
    func head() {
        var parser = HeadParser()
        var events: [HeadParser.Event] = []
        let lines = [
            "HTTP/1.1 100 Continue\r\n", "X-A: 1\r\n", "\r\n", "HTTP/1.1 206 Partial\r\n",
            "x-b:  2 \r\n", "X-C:\r\n", "\r\n", "X-B: 3\r\n", "\r\n",
        ]
        for line in lines {
            Array(line.utf8).withUnsafeBytes { events.append(parser.take($0)) }
        }
        #expect(events.filter { $0 != .incomplete } == [.head(status: 206)])
        #expect(parser.headers["X-A"] == nil)
        #expect(parser.headers["X-B"] == "2")
        #expect(parser.headers["x-c"] == "")
    }

    @Test("bandwidth lets a quarter of a second through at once and the rate after that")
    func bandwidth() {
        let start = ContinuousClock.now
        var limit = BandwidthLimit(rate: 1_000)
        #expect(limit.available(at: start) == 250)
        limit.consume(1_250)
        #expect(limit.available(at: start) == 0)
        #expect(limit.pause >= .milliseconds(1_000) && limit.pause <= .milliseconds(1_030))
        #expect(limit.available(at: start.advanced(by: .milliseconds(1_100))) == 100)
        #expect(limit.available(at: start.advanced(by: .seconds(100))) == 250)
        limit.rate = nil
        #expect(limit.available(at: start) == nil)
        limit.rate = 0
        #expect(limit.rate == 1)
    }

    @Test("a time that is longer than any clock can count is the longest that there is")
    func forever() {
        #expect(Duration.seconds(Int64.max).milliseconds == .max)
        #expect(Duration.seconds(Int64.min).milliseconds == .min)
        #expect(Duration.milliseconds(-1_500).milliseconds == -1_500)
        #expect(Duration.microseconds(2_500_999).milliseconds == 2_500)
    }

    @Test("a timer counts silence by phase, and the whole by the deadline")
    func timer() {
        let start = ContinuousClock.now
        var timer = TransferTimer(
            .init(response: .seconds(10), stall: .seconds(3), total: .seconds(60)), submitted: start
        )
        #expect(timer.expiry(in: .starting)?.moment == start + .seconds(60))
        #expect(timer.expiry(in: .starting)?.phase == .deadline)
        timer.noteProgress(at: start + .seconds(1))
        #expect(timer.expiry(in: .waiting)?.moment == start + .seconds(11))
        #expect(timer.expiry(in: .waiting)?.phase == .response)
        #expect(timer.expiry(in: .receiving)?.moment == start + .seconds(4))
        #expect(timer.expiry(in: .sending)?.phase == .body)
        #expect(timer.expiry(in: .heldUp)?.phase == .deadline)
        timer.noteProgress(at: start + .seconds(59))
        #expect(timer.expiry(in: .receiving)?.phase == .deadline)
        let patient = TransferTimer(.init(), submitted: start)
        #expect(patient.expiry(in: .heldUp) == nil)
    }

    @Test("Content-Range is read strictly")
    func contentRange() {
        #expect(ContentRange("bytes 0-9/10")?.bytes == 0..<10)
        #expect(ContentRange("bytes 5-5/*")?.total == nil)
        for text in [
            "", "bytes", "bytes 0-9", "bytes 9-0/10", "bytes 0-10/10", "bytes */10", "items 0-9/10",
            "bytes 0-9/10/11", "bytes -1-9/10", "bytes 0-18446744073709551615/*", "bytes 0x0-9/10",
        ] {
            #expect(ContentRange(text) == nil, "\(text)")
        }
    }

    @Test("a secret does not show in descriptions, dumps or reflections")
    func secrets() throws {
        let token = AccessToken("  hush\n")
        #expect(token.secret == "hush")
        let app = AppCredentials(key: "key", secret: "hush")
        let grant = TokenGrant(accessToken: "hush", refreshToken: "hush")
        let pkce = try #require(PKCE(verifier: String(repeating: "hush", count: 12)))
        let tokens = RefreshingAccessTokens(
            refreshToken: "hush", accessToken: token, validFor: .seconds(1), now: { .now }
        ) { (_: String) async throws(TokenError) -> TokenGrant in throw TokenError.cancelled }
        let request = TransportRequest(
            url: "https://example.com/",
            headers: ["authorization": "Bearer hush", "User-Agent": "test/1"],
            body: BytesBody(Array("hush".utf8)))
        for value in [token, app, grant, pkce, tokens, request] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            #expect(!"\(value) \(String(reflecting: value)) \(dumped)".contains("hush"))
        }
        #expect(
            request.headers.fields.map(\.description)
                == ["authorization: <secret>", "User-Agent: test/1"])
        #expect(BytesBody(Array("hush".utf8)).description == "4 bytes")
    }
}
