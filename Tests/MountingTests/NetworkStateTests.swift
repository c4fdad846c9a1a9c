// Another network, and sleep.

import Logging
import Testing

@testable import Mounting

@Suite struct NetworkStateTests {
    private let home = NetworkState(
        addresses: ["127.0.0.1", "192.168.1.5", "fe80::1"], routes: ["wlan0 0101A8C0"])

    @Test("other addresses and other routes are another network, links of containers are not")
    func differences() {
        #expect(!home.differs(from: home))
        var other = home
        other.addresses.insert("fe80::2")
        other.addresses.insert("169.254.3.4")
        #expect(!other.differs(from: home))
        other.addresses.remove("192.168.1.5")
        #expect(other.differs(from: home))
        other = home
        other.routes = []
        #expect(other.differs(from: home))
    }

    @Test("default routes are read from the kernel's tables, and nonsense is none")
    func routes() {
        let old = """
            Iface	Destination	Gateway 	Flags	RefCnt	Use	Metric	Mask		MTU	Window	IRTT
            eth0	00000000	0101A8C0	0003	0	0	100	00000000	0	0	0
            eth0	0001A8C0	00000000	0001	0	0	100	00FFFFFF	0	0	0
            """
        #expect(NetworkState.defaultRoutes(in: old) == ["eth0 0101A8C0"])
        let zero = String(repeating: "0", count: 32)
        let gateway = "fe80" + String(repeating: "0", count: 27) + "1"
        let new = """
            \(zero) 00 \(zero) 00 \(gateway) 00000400 00000001 00000000 00000003     eth0
            \(zero) 00 \(zero) 00 \(zero) ffffffff 00000001 00000000 00200200       lo
            fe80\(zero.dropFirst(4)) 40 \(zero) 00 \(zero) 00000100 00000001 00000000 00000001 eth0
            """
        #expect(NetworkState.defaultRoutes6(in: new) == ["eth0 \(gateway)"])
        for table in ["", "\n\n", "a b c", "eth0 00000000"] {
            #expect(NetworkState.defaultRoutes(in: table).isEmpty)
            #expect(NetworkState.defaultRoutes6(in: table).isEmpty)
        }
    }

    @Test("this machine has an address, and a watch of it ends")
    func machine() {
        #expect(!NetworkState.current.addresses.isEmpty)
        let watch = NetworkWatch(log: Logger(label: "test")) { _, _ in }
        watch?.stop()
    }

    @Test("sleep is the time by which one clock runs ahead of the other, told once")
    func sleep() {
        var clock = SleepClock(offset: 100)
        #expect(clock.slept(offset: 100) == 0)
        #expect(clock.slept(offset: 160) == 60)
        #expect(clock.slept(offset: 160) == 0)
        #expect(clock.slept(offset: 3) == 0)
    }
}
