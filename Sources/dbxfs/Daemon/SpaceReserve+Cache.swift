// The order of the contents that want the last of a disk: queued ones before cached ones. Not
// responsible for how either takes space.

import BlockCache
import Glibc
import MetadataStore
import Mounting

extension SpaceReserve {
    /// Has the cache give way to unsent content, if both are on one disk.
    func share(_ folders: AccountFolders, with cache: DiskBlockCache) {
        var (state, blocks) = (stat(), stat())
        guard stat(folders.state, &state) == 0, stat(folders.blocks, &blocks) == 0,
            state.st_dev == blocks.st_dev
        else { return }
        observeShortage { cache.makeRoom(for: $0) }
        cache.storeOnly { [weak self] in self?.admitsCachedContent ?? true }
    }
}
