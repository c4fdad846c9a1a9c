// What the client knows about single types and the specification says in prose only.

import DropboxAPI

extension Files.ListFolderLongpollArg: AsksForPatience {
    package var serverPatience: Duration { .longpoll(seconds: timeout) }
}

extension Files.FileMetadata: DescribesContent {
    package var contentSize: UInt64 { size }
}
