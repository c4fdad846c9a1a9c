// The options after `-o`, those that mount(8) adds, and refusals by name.

import LocalIO
import Testing

@testable import Mounting

@Suite struct MountSettingsTests {
    @Test("the values of options are read")
    func ownOptions() throws {
        let settings = try MountSettings(parsing: [
            "ro,allow_other,allow_root,default_permissions,uid=1000,gid=100,fmask=133,dmask=022",
            "fsync=remote,cache_dir=/big/cache,cache_size=20G,write_delay=1.5s",
            "bwlimit_up=500K,bwlimit_down=2M,writeback_cache",
        ])
        #expect(settings.isReadOnly)
        #expect(settings.allowsOthers)
        #expect(settings.allowsRoot)
        #expect(settings.checksPermissions)
        #expect(settings.user == 1000)
        #expect(settings.group == 100)
        #expect(settings.fileMask == 0o133)
        #expect(settings.folderMask == 0o022)
        #expect(settings.synchronization == .remote)
        #expect(settings.gathersWrites)
        #expect(settings.cacheFolder == "/big/cache")
        #expect(settings.cacheSize == 20 << 30)
        #expect(settings.writeDelay == 1.5)
        #expect(settings.uploadRate == 500 << 10)
        #expect(settings.downloadRate == 2 << 20)
    }

    @Test("a path may begin with a name that begins with an accent")
    func accents() throws {
        let settings = try MountSettings(parsing: ["cache_dir=/\u{301}a"])
        #expect(settings.cacheFolder == "/\u{301}a")
        #expect(absolutePath("/\u{301}a/../b") == "/b")
        #expect(isPath("/\u{301}a", within: "/"))
    }

    @Test("programs for which nothing is fetched are names with colons, or none")
    func cachedOnly() throws {
        func names(_ value: String) throws -> [String] {
            try MountSettings(parsing: ["cached_only=" + value]).cachedOnly.names
        }
        let standard = try MountSettings(parsing: []).cachedOnly.names
        #expect(standard.contains("tumblerd") && standard.contains("baloo_file_extractor"))
        #expect(try names("none") == [])
        #expect(try names("rygel") == ["rygel"])
        #expect(try names("standard:rygel:mini dlna") == standard + ["rygel", "mini dlna"])
        for wrong in [
            "", ":", "rygel:", "/usr/bin/rygel", "a\nb", String(repeating: "x", count: 256),
        ] {
            #expect(throws: CommandError.self, "\(wrong)") { try names(wrong) }
        }
    }

    @Test("thumbnails are made with desktop, unless the option says otherwise")
    func thumbnails() throws {
        for (options, isMade) in [
            ("ro", false), ("desktop", true), ("thumbnails=yes", true), ("thumbnails=no", false),
            ("desktop,thumbnails=no", false), ("thumbnails=no,thumbnails=yes", true),
        ] {
            #expect(try MountSettings(parsing: [options]).makesThumbnails == isMade, "\(options)")
        }
        for wrong in ["thumbnails", "thumbnails=", "thumbnails=true", "thumbnails=normal"] {
            #expect(throws: CommandError.self, "\(wrong)") { try MountSettings(parsing: [wrong]) }
        }
    }

    @Test("without options, everything is at its default")
    func defaults() throws {
        #expect(try MountSettings(parsing: []) == MountSettings())
        #expect(try MountSettings(parsing: ["", ",,"]) == MountSettings())
    }

    @Test(
        "options for mount(8), systemd and desktops are dropped",
        arguments: [
            "defaults", "_netdev", "nofail", "noauto", "auto", "user", "users", "nouser", "owner",
            "group", "x-systemd.automount", "x-systemd.idle-timeout=60", "X-mount.mkdir=0755",
            "x-gvfs-hide", "comment=systemd.automount", "relatime", "strictatime", "lazytime",
            "async", "suid", "dev", "exec", "rw",
        ])
    func genericOptions(option: String) throws {
        #expect(try MountSettings(parsing: [option]) == MountSettings())
    }

    @Test("a real fstab line is understood")
    func fstabLine() throws {
        let settings = try MountSettings(parsing: [
            "rw,allow_other,uid=1000,_netdev,nofail,x-systemd.automount"
        ])
        #expect(settings.allowsOthers)
        #expect(settings.user == 1000)
        #expect(!settings.isReadOnly)
    }

    @Test("owner and group can be named, and a name that is not known here is an error")
    func namedOwners() throws {
        let settings = try MountSettings(parsing: ["uid=root,gid=root"])
        #expect(settings.user == 0)
        #expect(settings.group == 0)
        for option in ["uid=no-such-user", "gid=no-such-group", "uid=", "gid=", "uid=4294967295"] {
            let error = #expect(throws: CommandError.self) { try MountSettings(parsing: [option]) }
            #expect(error?.message.contains(option) == true)
            #expect(error?.message.contains("number or name") == true)
        }
        // All digits are a number, also where a user has that name.
        #expect(try MountSettings(parsing: ["uid=4294967294"]).user == 4_294_967_294)
    }

    @Test("words at the Tab key: names of options, and behind = the values that each takes")
    func completion() throws {
        #expect(OptionWords.mountOptions("").contains("ro"))
        #expect(OptionWords.mountOptions("").contains("cache_size="))
        #expect(OptionWords.mountOptions("posix=") == ["posix=dropbox", "posix=local"])
        #expect(OptionWords.mountOptions("ro,names=st") == ["ro,names=all", "ro,names=strict"])
        #expect(OptionWords.mountOptions("cache_size=") == [])
        #expect(OptionWords.mountOptions("unknown=") == [])
        #expect(OptionWords.mountOptions("$(id),posix=") == [])
        #expect(OptionWords.settings("").contains("log_level="))
        #expect(!OptionWords.settings("").contains("posix="))
        #expect(OptionWords.settings("log_level=") == LogLevel.allCases.map { "log_level=\($0)" })
        #expect(OptionWords.settings("bwlimit_up=") == ["bwlimit_up=none"])
        // Each word that is offered is taken.
        for option in MountOption.all {
            for word in OptionWords.mountOptions(option.name + "=") {
                _ = try MountSettings(parsing: [word])
            }
        }
        for name in LiveSettings.names {
            for word in OptionWords.settings(name + "=") {
                _ = try LiveSettings().changed(by: [MountOptionSetting(assignment: word)])
            }
        }
    }

    @Test("a later option wins over an earlier one")
    func order() throws {
        #expect(try !MountSettings(parsing: ["ro", "rw"]).isReadOnly)
        #expect(try MountSettings(parsing: ["rw,ro"]).isReadOnly)
        #expect(try MountSettings(parsing: ["umask=077,fmask=022"]).folderMask == 0o077)
        #expect(try MountSettings(parsing: ["noexec,nosuid,exec"]).kernelFlags == ["nosuid"])
    }

    @Test("a backslash makes a comma part of a value")
    func escapedComma() throws {
        #expect(try MountSettings(parsing: [#"cache_dir=/a\,b,ro"#]).cacheFolder == "/a,b")
    }

    @Test(
        "a label of SELinux is one option, with its categories",
        arguments: [
            ("context=u:r:t:s0", "u:r:t:s0"),
            (#"context="u:r:t:s0:c1,c2",ro"#, "u:r:t:s0:c1,c2"),
            (#"context=u:r:t:s0-s15:c0.c1023\,c2,ro"#, "u:r:t:s0-s15:c0.c1023,c2"),
        ])
    func label(list: String, label: String) throws {
        let settings = try MountSettings(parsing: [list])
        #expect(settings.securityContext == label)
        #expect(settings.isReadOnly == list.hasSuffix(",ro"))
    }

    @Test(
        "what cannot be a label of SELinux is refused",
        arguments: [
            "", "u", "u:r", ":r:t", "u:r:t:", "u:r:t:s0:c1:c2", "u:r:t s0", #""u:r:t"#, #"u:r"x:t"#,
            #""u:r:t"x"#, #"u:r:t\\"#, "u:r:t\n", "ü:r:t",
            String(repeating: "u", count: 252) + ":r:t",
        ])
    func noLabel(value: String) {
        let error = #expect(throws: CommandError.self) {
            try MountSettings(parsing: ["context=" + value])
        }
        guard case .badOptionValue("context", _, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(
        "an unknown option is refused by its name",
        arguments: [
            ("fast", "fast"), ("ro,uid=1,speed=9", "speed"), ("RO", "RO"), ("ro=1", "ro"),
            ("uid", "uid"), ("nosuid=0", "nosuid"), ("suid=1", "suid"), ("=", ""), (" ro", " ro"),
            ("r\u{0}o", "r\u{0}o"),
            ("ro\nsuid", "ro\nsuid"), (#"\,suid"#, ",suid"), (#"\\,uid=1,x"#, #"\"#),
            // What libfuse, fusermount3 and mount(8) take, and what would say something else of the
            // mount than dbxfs does.
            ("fsname=/dev/sda1", "fsname"), ("subtype=ext4", "subtype"), ("fd=0", "fd"),
            ("rootmode=40777", "rootmode"),
            ("user_id=0", "user_id"), ("group_id=0", "group_id"), ("blkdev", "blkdev"),
            ("blksize=4096", "blksize"),
            ("max_read=1", "max_read"), ("auto_unmount", "auto_unmount"), ("nonempty", "nonempty"),
            ("debug", "debug"),
            ("big_writes", "big_writes"), ("use_ino", "use_ino"), ("modules=subdir", "modules"),
            ("subdir=/", "subdir"),
            ("kernel_cache", "kernel_cache"), ("clone_fd", "clone_fd"),
            ("max_threads=9999", "max_threads"),
            ("helper=evil", "helper"), ("uhelper=evil", "uhelper"),
            ("fscontext=x", "fscontext"),
            ("rootcontext=x", "rootcontext"), ("bind", "bind"), ("rbind", "rbind"),
            ("move", "move"), ("remount", "remount"),
            ("shared", "shared"), ("loop", "loop"), ("offset=1", "offset"),
            ("symfollow", "symfollow"),
            ("endpoint=http://evil.example", "endpoint"), ("app_key=evil", "app_key"),
            ("mountpoint=/", "mountpoint"),
        ])
    func unknown(list: String, name: String) {
        let error = #expect(throws: CommandError.self) {
            try MountSettings(parsing: [list])
        }
        guard case .unknownOption(name, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(
        "a value that cannot be is refused with the option's name and what it takes",
        arguments: [
            ("uid", "joe"), ("uid", "-1"), ("uid", "4294967296"), ("gid", ""), ("umask", "8"),
            ("fmask", "1777"), ("dmask", "rwx"), ("fsync", "sometimes"), ("cache_dir", "here"),
            ("cache_size", "10X"), ("cache_size", "9223372036854775807G"), ("write_delay", "soon"),
            ("write_delay", "-1"), ("write_delay", "nan"), ("bwlimit_up", "-1"),
            ("bwlimit_down", "fast"), ("uid", "99999999999999999999"), ("uid", "+1"),
            ("uid", "0x0"), ("uid", "4294967295"),
            ("gid", "4294967295"), ("gid", "1 "), ("umask", "-1"), ("umask", "+7"),
            ("dmask", "7777777777777777777777"),
            ("cache_size", "99999999999999999999"), ("cache_size", "-1"),
            ("bwlimit_up", "9223372036854775808"), ("bwlimit_up", "500"), ("cache_size", "20"),
            ("write_delay", "1e308h"), ("write_delay", "inf"), ("cache_dir", ""),
            ("cache_dir", "~/x"), ("case", "FOLD"), ("names", "some"),
        ])
    func badValue(name: String, value: String) throws {
        let error = try #require(throws: CommandError.self) {
            try MountSettings(parsing: ["\(name)=\(value)"])
        }
        guard case .badOptionValue(name, value, let expected) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(error.message.contains("\(name)=\(value)"))
        #expect(error.message.contains(expected))
        #expect(error.exitStatus == .usage)
    }
}

@Suite struct OptionValueTests {
    @Test(
        "sizes are in powers of 1024",
        arguments: [
            ("0", 0), ("512", 512), ("7B", 7), ("1k", 1024), ("1K", 1024), ("3M", 3 << 20),
            ("2G", 2 << 30),
            ("1T", 1 << 40),
        ])
    func sizes(text: String, bytes: Int64) {
        #expect(OptionValue.bytes(text) == bytes)
    }

    @Test(
        "a text that is not a size is refused",
        arguments: ["", "K", "1.5G", "-1", "+1", "1 G", "1GB", "0x10", "٣"])
    func notSizes(text: String) {
        #expect(OptionValue.bytes(text) == nil)
    }

    @Test(
        "times are seconds unless they say minutes",
        arguments: [("5", 5), ("0.5", 0.5), ("5s", 5), ("2m", 120), ("1h", 3600), ("0", 0)])
    func times(text: String, seconds: Double) {
        #expect(OptionValue.seconds(text) == seconds)
    }

    @Test("a text without a time is none", arguments: ["", "s", "-1", "inf", "nan", "1d", "1e99"])
    func notTimes(text: String) {
        #expect(OptionValue.seconds(text) == nil)
    }
}
