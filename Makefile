# All tasks of this repository. `make demo` and `make test` are enough for a
# newcomer: on Debian 12 with a Swift toolchain they install missing packages themselves.

SWIFT ?= swift
# SwiftPM writes the traits in an order that is random otherwise, and another order builds everything again.
export SWIFT_DETERMINISTIC_HASHING=1
# How many compilers at once; each takes about 1 GiB.
JOBS ?= $(shell nproc)
# The versions that Package.resolved names, or an error: an unreviewed version must not get in by a build.
BUILD = $(SWIFT) build --force-resolved-versions -j $(JOBS)
# A build takes a sixth less without what only debuggers read. DEBUG_INFO=dwarf is for them, and builds all anew.
DEBUG_INFO ?= none
BUILD += -debug-info-format $(DEBUG_INFO)
# Smaller programs: no table of exported symbols, which nothing loads and which keeps unused code, and packed relocations, which
# glibc reads from 2.36 on. The toolchain's own linker does it. With `now`, the table of functions is read-only before the
# program starts.
RELEASE_LINKING = $(foreach flag,--no-export-dynamic --icf=safe -z pack-relative-relocs -z now,-Xlinker $(flag))
RELEASE_FLAGS = -c release --static-swift-stdlib -Xswiftc -use-ld=lld --disable-local-rpath \
	--pkg-config-path '$(CURDIR)/$(LINKED_FOLDER)' $(RELEASE_LINKING)
# Each function is a section of its own, which the linker can leave out. It is a script that starts the toolchain's lld.
RELEASE_FLAGS += -Xswiftc -Xfrontend -Xswiftc -function-sections -Xswiftc '-ld-path=$(CURDIR)/Scripts/small-linker'
# Messages of libraries in C and C++ name sources without this folder, so that a build in another one has the same bytes.
RELEASE_FLAGS += -Xcc '-fmacro-prefix-map=$(CURDIR)=.'
# The key of an app by which people can log in without one of their own: for distributions, whose app Dropbox has approved.
DBXFS_DEFAULT_APP_KEY ?=
RELEASE_FLAGS += $(if $(DBXFS_DEFAULT_APP_KEY),-Xcc '-DDBXFS_DEFAULT_APP_KEY="$(DBXFS_DEFAULT_APP_KEY)"')
# Libraries that the programs of `make release` contain, where their static libraries are installed. libfuse's soname
# is another one from 3.17 on, so that a program which loads it runs on one half of the systems only.
LINKED_IN ?= fuse3
LINKED_FOLDER ?= .build/linked-in
# Foundation's ICU, with fewer languages in its data, for the programs; the library for C has none.
ICU_FOLDER = .build/small-icu
PROGRAM_FLAGS = $(RELEASE_FLAGS) -Xlinker '--remap-inputs-file=$(CURDIR)/$(ICU_FOLDER)/replaced'

# With BUILT=1, the programs and tests that an earlier run has built are taken as they are.
unless_built = $(if $(BUILT),:)

# Where `make install` puts things; DESTDIR goes before all of them.
PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBEXECDIR ?= $(PREFIX)/libexec
DATADIR ?= $(PREFIX)/share
MANDIR ?= $(DATADIR)/man
DOCDIR ?= $(DATADIR)/doc/dbxfs
# systemd looks for the units of users here, and below /usr/local, /etc and a user's home.
USERUNITDIR ?= $(PREFIX)/lib/systemd/user
SYSTEMUNITDIR ?= $(PREFIX)/lib/systemd/system
BASHCOMPDIR ?= $(DATADIR)/bash-completion/completions
ZSHCOMPDIR ?= $(DATADIR)/zsh/site-functions
FISHCOMPDIR ?= $(DATADIR)/fish/vendor_completions.d
# mount(8) and umount(8) look for helpers here and nowhere else.
SBINDIR ?= /sbin
# What the helpers are links to.
HELPER_TARGET ?= $(BINDIR)/dbxfs
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
LIBDOCDIR ?= $(DATADIR)/doc/libdropbox
# The folder of the programs to install: a link that swift build makes, so that root need not have swift.
BIN ?= .build/release

# The number is DROPBOX_ABI of dropbox.h.
SONAME = libdropbox.so.0
# Where `make lib` leaves the library; a folder of its own, because SwiftPM's has one that needs a Swift runtime.
LIBRARY ?= .build/libdropbox
# The same for `make objc`.
OBJECTIVE_C ?= .build/objc
# Only the functions of dropbox.h are to be seen: the Swift runtime within must not meet that of a program.
LIBRARY_LINKING = $(RELEASE_LINKING) $(foreach flag,--gc-sections -soname=$(SONAME) --version-script=Sources/CDropbox/exports.map,\
	-Xlinker $(flag))

HELPERS = mount.dbxfs mount.fuse.dbxfs umount.dbxfs umount.fuse.dbxfs
DOCS = README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md LICENSE
PAGES = $(wildcard docs/*.md docs/*.svg)

.PHONY: help demo test test-unit test-clients test-mount test-package test-newcomer test-async-http-client test-container test-library test-browser test-desktop test-plugin-commands build build-tests release programs simulation install uninstall deb lib install-lib uninstall-lib deb-lib portable rpm dist test-portable
.PHONY: objc install-objc uninstall-objc packages packages-build lint check generate release-notes clean

help:
	@echo 'make demo     build everything, mount a sample account, show it, stay mounted until Ctrl-C'
	@echo 'make test     build and run all tests, those with real mounts too'
	@echo 'make build    build without optimising; DEBUG_INFO=dwarf for a debugger'
	@echo 'make build-tests  the same with all tests, for Scripts/run-tests'
	@echo '     BUILT=1                   with release or a test: take what an earlier run built, as it is'
	@echo 'make release  build the programs to install, with the Swift runtime linked in'
	@echo 'make install  install them below PREFIX=/usr/local, after make release; make uninstall removes them'
	@echo 'make deb      build a Debian package in .build/deb'
	@echo 'make lib      build libdropbox, the SDK for C; make install-lib, uninstall-lib and deb-lib are for it'
	@echo 'make objc     build the library for Objective-C, after make lib; make install-objc and uninstall-objc are for it'
	@echo 'make portable build a tarball for any Linux in .build/portable; needs Debian 12'
	@echo 'make rpm      build RPM packages of that tarball in .build/rpm'
	@echo 'make dist     build all of a release in .build/dist: sources, packages, bills of materials, notes, checksums'
	@echo 'make lint     check the formatting and the rules of style'
	@echo 'make check    lint, and check which layer imports which'
	@echo 'make generate SPEC=FOLDER   write the Dropbox API from the .stone files in FOLDER'
	@echo '     DOCUMENTATION=yes         with the texts of the specification in the help; not to be committed'
	@echo 'make release-notes VERSION=V   print the section of a version of CHANGELOG.md'
	@echo 'make clean    remove what was built'

demo:
	@Scripts/demo --build

test: test-unit test-clients test-mount

build-tests: packages
	$(unless_built) $(BUILD) --build-tests

test-unit: build-tests
	Tests/packaging/check-manual "$$($(SWIFT) build --show-bin-path)"
	Scripts/in-run-folder Scripts/run-tests --skip EndToEndTests

# Clients that were not written here, the official SDK and rclone, drive the emulator; the SDK also reads what
# DropboxAPIComplete sends. And programs in C and Python, with libdropbox as it is installed, and in Objective-C.
test-clients: build-tests lib
	Tests/clients/run "$$($(SWIFT) build --show-bin-path)/dropbox-emulator"
	Tests/c/run "$$($(SWIFT) build --show-bin-path)/dropbox-emulator"
	$(MAKE) objc
	Tests/objc/run "$$($(SWIFT) build --show-bin-path)/dropbox-emulator"

# The SDK over its other transport, which nothing else builds.
test-async-http-client:
	SWIFT='$(SWIFT)' JOBS=$(JOBS) Scripts/test-async-http-client

# Real mounts of the programs that users get.
test-mount: build-tests release
	DBXFS_BIN="$$($(SWIFT) build $(RELEASE_FLAGS) --show-bin-path)" Scripts/run-mount-tests

# The package: built, installed, mounted by /etc/fstab's rules and by systemd, removed and purged.
test-package: packages deb
	Tests/packaging/run

# The package on a clean Debian, from a login to a line in fstab, shutdowns and a power cut, and its removal.
test-newcomer: packages deb
	Tests/packaging/newcomer

# The image of Packaging/container and its descriptions, run by an OCI runtime.
test-container: packages deb
	Tests/packaging/container

# The package of the library for C on clean systems.
test-library: packages deb-lib
	Tests/packaging/library

# The page at the end of a login, in a real browser.
test-browser: packages release
	Tests/browser/run "$$($(SWIFT) build $(RELEASE_FLAGS) --show-bin-path)"

# The commands of Dropbox's plug-ins for file managers, as Debian has them.
test-plugin-commands: packages release
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && status=0 && \
	commands=$$(Tests/desktop/fetch-commands "$$folder") || status=$$?; \
	case $$status in \
	0) PATH="$$commands:$$PATH" Tests/desktop/plugins "$$($(SWIFT) build $(RELEASE_FLAGS) --show-bin-path)" --only dropbox caja-dropbox ;; \
	3) ;; \
	*) exit $$status ;; \
	esac

# Dropbox's plug-ins for file managers on a screen of Xvfb. Packages of Debian's contrib and non-free that are not installed are
# skipped.
test-desktop: packages release
	Tests/desktop/plugins "$$($(SWIFT) build $(RELEASE_FLAGS) --show-bin-path)" $(if $(SCREENSHOTS),--screenshots '$(SCREENSHOTS)')

build: packages-build
	$(BUILD)

# Package.swift asks pkg-config for libfuse and xxHash, too, whose descriptions in LINKED_FOLDER lead to other files.
programs lib simulation: export DBXFS_PKG_CONFIG = yes

# The Swift runtime's static libraries are part of every toolchain from swift.org. If linking fails
# with "cannot find -lswift…", the toolchain was packaged without them (usr/lib/swift_static).
release: packages-build
	@$(unless_built) $(MAKE) --no-print-directory programs

programs:
	@Scripts/link-in $(LINKED_FOLDER) $(LINKED_IN)
	@SWIFT='$(SWIFT)' Scripts/small-icu $(ICU_FOLDER) .build/release/dbxfs .build/release/dropbox-emulator
	@for program in dbxfs dropbox-emulator; do [ .build/release/$$program -nt Scripts/small-linker ] \
		|| rm -f .build/release/$$program; done
	@$(BUILD) $(PROGRAM_FLAGS) --product dbxfs \
		&& $(BUILD) $(PROGRAM_FLAGS) --product dropbox-emulator \
		|| { echo 'The release build failed. If the linker misses swift_static libraries, use' \
			'a toolchain from swift.org: others leave the static runtime out.' >&2; exit 1; }
	@for program in dbxfs dropbox-emulator; do SWIFT='$(SWIFT)' LINKED_FOLDER='$(LINKED_FOLDER)' Packaging/list-parts notices $$program \
		> .build/release/$$program.notices.md || exit 1; done
	@echo "built $$($(SWIFT) build $(RELEASE_FLAGS) --show-bin-path)/dbxfs"

# The program of Scripts/simulate, optimised as users have it: one history is about a tuple that only the optimising compiler breaks.
simulation: packages-build
	@Scripts/link-in $(LINKED_FOLDER) $(LINKED_IN)
	$(BUILD) $(RELEASE_FLAGS) --product Simulation

# The library for C, with the Swift runtime linked in, which SwiftPM does for programs only: so the objects are linked here. Its
# own library, which is not used, finds the static libraries that the objects name.
lib: packages-build
	$(BUILD) $(RELEASE_FLAGS) --product dropbox -Xlinker "-L$$($(SWIFT)c -static-stdlib -print-target-info \
		| sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')/linux"
	@mkdir -p '$(LIBRARY)'
	$(SWIFT)c -emit-library -static-stdlib -use-ld=lld -module-name dropbox @.build/release/dropbox.product/Objects.LinkFileList \
		$(LIBRARY_LINKING) $$(pkg-config --libs libcurl libcrypto zlib) -o '$(LIBRARY)/$(SONAME)'
	@SWIFT='$(SWIFT)' LINKED_FOLDER='$(LINKED_FOLDER)' Packaging/list-parts notices dropbox > '$(LIBRARY)/notices.md'

# What `make lib` has built.
install-lib:
	@test -e '$(LIBRARY)/$(SONAME)' && test -e '$(LIBRARY)/notices.md' || { echo 'run make lib first' >&2; exit 1; }
	install -d '$(DESTDIR)$(LIBDIR)/pkgconfig' '$(DESTDIR)$(INCLUDEDIR)' '$(DESTDIR)$(LIBDOCDIR)/examples/c' \
		'$(DESTDIR)$(LIBDOCDIR)/examples/python'
	install -m 644 '$(LIBRARY)/$(SONAME)' '$(DESTDIR)$(LIBDIR)/$(SONAME)'
	Packaging/strip-programs '$(DESTDIR)$(LIBDIR)/$(SONAME)'
	ln -sf $(SONAME) '$(DESTDIR)$(LIBDIR)/libdropbox.so'
	install -m 644 Sources/CDropbox/dropbox.h '$(DESTDIR)$(INCLUDEDIR)/dropbox.h'
	sed 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@INCLUDEDIR@|$(INCLUDEDIR)|; '"s|@VERSION@|$$(Packaging/version)|" \
		Packaging/dropbox.pc.in > '$(DESTDIR)$(LIBDIR)/pkgconfig/dropbox.pc'
	chmod 644 '$(DESTDIR)$(LIBDIR)/pkgconfig/dropbox.pc'
	install -m 644 docs/libdropbox.md LICENSE '$(DESTDIR)$(LIBDOCDIR)'
	install -m 644 '$(LIBRARY)/notices.md' '$(DESTDIR)$(LIBDOCDIR)/THIRD-PARTY-NOTICES.md'
	install -m 644 Examples/c/* '$(DESTDIR)$(LIBDOCDIR)/examples/c'
	install -m 644 Examples/python/*.py '$(DESTDIR)$(LIBDOCDIR)/examples/python'

# Only what `make install-lib` has put there.
uninstall-lib:
	rm -f '$(DESTDIR)$(LIBDIR)/$(SONAME)' '$(DESTDIR)$(LIBDIR)/libdropbox.so' '$(DESTDIR)$(INCLUDEDIR)/dropbox.h' \
		'$(DESTDIR)$(LIBDIR)/pkgconfig/dropbox.pc'
	rm -rf '$(DESTDIR)$(LIBDOCDIR)'

# What `make release` has built.
install:
	@test -x '$(BIN)/dbxfs' && test -e '$(BIN)/dbxfs.notices.md' || { echo 'run make release first' >&2; exit 1; }
	install -d '$(DESTDIR)$(BINDIR)' '$(DESTDIR)$(LIBEXECDIR)/dbxfs' '$(DESTDIR)$(SBINDIR)' \
		'$(DESTDIR)$(MANDIR)/man1' '$(DESTDIR)$(MANDIR)/man8' '$(DESTDIR)$(USERUNITDIR)' '$(DESTDIR)$(SYSTEMUNITDIR)' \
		'$(DESTDIR)$(BASHCOMPDIR)' '$(DESTDIR)$(ZSHCOMPDIR)' '$(DESTDIR)$(FISHCOMPDIR)' \
		'$(DESTDIR)$(DOCDIR)/examples' '$(DESTDIR)$(DOCDIR)/docs/man' '$(DESTDIR)$(DOCDIR)/Packaging/container'
	install -m 755 '$(BIN)/dbxfs' '$(DESTDIR)$(BINDIR)/dbxfs'
	install -m 755 '$(BIN)/dropbox-emulator' '$(DESTDIR)$(LIBEXECDIR)/dbxfs/dropbox-emulator'
	for name in $(HELPERS); do ln -sf '$(HELPER_TARGET)' "$(DESTDIR)$(SBINDIR)/$$name"; done
	install -m 644 docs/man/dbxfs.1 '$(DESTDIR)$(MANDIR)/man1/dbxfs.1'
	install -m 644 docs/man/mount.dbxfs.8 '$(DESTDIR)$(MANDIR)/man8/mount.dbxfs.8'
	for name in $(filter-out mount.dbxfs,$(HELPERS)); do \
		ln -sf mount.dbxfs.8 "$(DESTDIR)$(MANDIR)/man8/$$name.8"; done
	sed 's|@BINDIR@|$(BINDIR)|' Packaging/dbxfs@.service.in > '$(DESTDIR)$(USERUNITDIR)/dbxfs@.service'
	sed 's|@BINDIR@|$(BINDIR)|' Packaging/dbxfs-system@.service.in > '$(DESTDIR)$(SYSTEMUNITDIR)/dbxfs@.service'
	chmod 644 '$(DESTDIR)$(USERUNITDIR)/dbxfs@.service' '$(DESTDIR)$(SYSTEMUNITDIR)/dbxfs@.service'
	{ '$(BIN)/dbxfs' --generate-completion-script bash | sed '1{/^#!/d}' && cat Packaging/completion.bash; } \
		> '$(DESTDIR)$(BASHCOMPDIR)/dbxfs'
	'$(BIN)/dbxfs' --generate-completion-script zsh > '$(DESTDIR)$(ZSHCOMPDIR)/_dbxfs'
	'$(BIN)/dbxfs' --generate-completion-script fish > '$(DESTDIR)$(FISHCOMPDIR)/dbxfs.fish'
	chmod 644 '$(DESTDIR)$(BASHCOMPDIR)/dbxfs' '$(DESTDIR)$(ZSHCOMPDIR)/_dbxfs' \
		'$(DESTDIR)$(FISHCOMPDIR)/dbxfs.fish'
	install -m 644 $(DOCS) '$(DESTDIR)$(DOCDIR)'
	install -m 644 '$(BIN)/dbxfs.notices.md' '$(DESTDIR)$(DOCDIR)/THIRD-PARTY-NOTICES.md'
	install -m 644 '$(BIN)/dropbox-emulator.notices.md' '$(DESTDIR)$(DOCDIR)/THIRD-PARTY-NOTICES-demo.md'
	install -m 644 $(PAGES) '$(DESTDIR)$(DOCDIR)/docs'
	install -m 644 docs/man/*.md '$(DESTDIR)$(DOCDIR)/docs/man'
	install -m 644 Packaging/container/* '$(DESTDIR)$(DOCDIR)/Packaging/container'
	install -m 644 Packaging/config.toml '$(DESTDIR)$(DOCDIR)/examples/config.toml'

# Only what `make install` has put there: no login, queue, cache or configuration.
uninstall:
	rm -f '$(DESTDIR)$(BINDIR)/dbxfs' '$(DESTDIR)$(MANDIR)/man1/dbxfs.1' \
		'$(DESTDIR)$(USERUNITDIR)/dbxfs@.service' '$(DESTDIR)$(SYSTEMUNITDIR)/dbxfs@.service' \
		'$(DESTDIR)$(BASHCOMPDIR)/dbxfs' '$(DESTDIR)$(ZSHCOMPDIR)/_dbxfs' '$(DESTDIR)$(FISHCOMPDIR)/dbxfs.fish'
	rm -f $(foreach name,$(HELPERS),'$(DESTDIR)$(SBINDIR)/$(name)' '$(DESTDIR)$(MANDIR)/man8/$(name).8')
	rm -rf '$(DESTDIR)$(LIBEXECDIR)/dbxfs' '$(DESTDIR)$(DOCDIR)'

deb: release
	@Scripts/install-packages --for package
	Packaging/build-deb

# The library for C as a package of its own.
deb-lib: lib
	@Scripts/install-packages --for package
	Packaging/build-deb-lib

# The library for Objective-C, on what `make lib` has built. `make build` does without its packages: few programs need them.
objc:
	@test -e '$(LIBRARY)/$(SONAME)' || { echo 'run make lib first' >&2; exit 1; }
	@Scripts/install-packages --for objc
	$(MAKE) -C ObjectiveC OUTPUT='$(abspath $(OBJECTIVE_C))' LIBDROPBOX='$(abspath $(LIBRARY))' -j $(JOBS)

# What `make objc` has built, beside libdropbox.
install-objc: install-lib
	@test -e '$(OBJECTIVE_C)/libObjectiveDropboxOfficial.so.0' || { echo 'run make objc first' >&2; exit 1; }
	$(MAKE) -C ObjectiveC install OUTPUT='$(abspath $(OBJECTIVE_C))' LIBDROPBOX='$(abspath $(LIBRARY))' PREFIX='$(PREFIX)' \
		LIBDIR='$(LIBDIR)' INCLUDEDIR='$(INCLUDEDIR)'

uninstall-objc:
	$(MAKE) -C ObjectiveC uninstall PREFIX='$(PREFIX)' LIBDIR='$(LIBDIR)' INCLUDEDIR='$(INCLUDEDIR)'

# A tarball for any Linux with a C library as new as that of Debian 12, on which it is built.
portable:
	Packaging/build-portable

# Everything that a release consists of.
dist:
	Packaging/build-dist

# For Fedora, openSUSE and others.
rpm: portable
	Packaging/build-rpm

# The tarball on clean systems.
test-portable: portable
	Tests/packaging/portable

# All, and those to build with.
packages:
	@$(unless_built) Scripts/install-packages
	@$(unless_built) env SWIFT='$(SWIFT)' Scripts/resolve-packages

packages-build:
	@$(unless_built) Scripts/install-packages --for build
	@$(unless_built) env SWIFT='$(SWIFT)' Scripts/resolve-packages

lint:
	Scripts/lint

check: lint

generate:
	Scripts/generate-api "$(SPEC)" $(if $(filter yes,$(DOCUMENTATION)),--documentation)

release-notes:
	@Scripts/release-notes '$(VERSION)'

clean:
	rm -rf .build .build-*
