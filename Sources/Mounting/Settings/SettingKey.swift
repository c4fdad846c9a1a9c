// The keys of settings, as users write them behind `-o`, in the configuration file and for
// `dbxfs set`. The switches of `MountOption`, `MountSettings` and `LiveSettings` have all cases, so
// that a new key does not compile before each of them has decided about it.

/// The key of a setting.
enum SettingKey: String, Hashable, Sendable, CaseIterable, CodingKey {
    // Options of a mount, in the order of `--help`.
    case readOnly = "ro"
    case allowOther = "allow_other"
    case allowRoot = "allow_root"
    case defaultPermissions = "default_permissions"
    case user = "uid"
    case group = "gid"
    case mask = "umask"
    case fileMask = "fmask"
    case folderMask = "dmask"
    case synchronization = "fsync"
    case writebackCache = "writeback_cache"
    case cacheFolder = "cache_dir"
    case cacheSize = "cache_size"
    case writeDelay = "write_delay"
    case names = "case"
    case root
    case member
    case uploadRate = "bwlimit_up"
    case downloadRate = "bwlimit_down"
    case noExecution = "noexec"
    case noSetUserID = "nosuid"
    case noDevices = "nodev"
    case noAccessTimes = "noatime"

    // Keys of the configuration file that are no options.
    case endpoint
    case logLevel = "log_level"
    case account
    case appKey = "app_key"
    case ignored = "ignore"
    case mountpoint
    case folder
}
