# Everything that has to be done with this repository. `make demo` and `make test` are enough for a
# newcomer: on Debian 12 with a Swift toolchain they install what is missing themselves.

SWIFT ?= swift
# How many compilers at once; each takes about 1 GiB.
JOBS ?= $(shell nproc)
RELEASE_FLAGS = -c release --static-swift-stdlib -j $(JOBS)

.PHONY: help demo test test-unit test-clients test-mount build release packages lint check generate clean

help:
	@echo 'make demo     build everything, mount a sample account, show it, stay mounted until Ctrl-C'
	@echo 'make test     build and run all tests, those with real mounts too'
	@echo 'make build    build for debugging'
	@echo 'make release  build the programs to install, with the Swift runtime linked in'
	@echo 'make lint     check the formatting and the rules of style'
	@echo 'make check    lint, and check which layer imports which'
	@echo 'make generate SPEC=FOLDER   write DropboxAPIComplete from the .stone files in FOLDER'
	@echo 'make clean    remove what was built'

demo: release
	Scripts/demo

test: test-unit test-clients test-mount

test-unit: packages
	$(SWIFT) build --build-tests -j $(JOBS)
	Scripts/run-tests --skip EndToEndTests

# Clients that were not written here, the official SDK and rclone, drive the emulator; the SDK also reads what
# DropboxAPIComplete sends.
test-clients: packages
	$(SWIFT) build --build-tests -j $(JOBS)
	Tests/clients/run "$$($(SWIFT) build --show-bin-path)/dropbox-emulator"

# Real mounts of the programs that users get.
test-mount: release
	$(SWIFT) build --build-tests -j $(JOBS)
	DBXFS_BIN="$$($(SWIFT) build $(RELEASE_FLAGS) --show-bin-path)" Scripts/run-mount-tests

build: packages
	$(SWIFT) build -j $(JOBS)

# The Swift runtime's static libraries are part of every toolchain from swift.org. If linking fails
# with "cannot find -lswift…", the toolchain was packaged without them (usr/lib/swift_static).
release: packages
	@$(SWIFT) build $(RELEASE_FLAGS) --product dbxfs \
		&& $(SWIFT) build $(RELEASE_FLAGS) --product dropbox-emulator \
		|| { echo 'The release build failed. If the linker misses swift_static libraries, use' \
			'a toolchain from swift.org: others leave the static runtime out.' >&2; exit 1; }
	@echo "built $$($(SWIFT) build $(RELEASE_FLAGS) --show-bin-path)/dbxfs"

packages:
	@Scripts/install-packages

lint:
	Scripts/lint

check: lint
	Scripts/check-imports

generate:
	Scripts/generate-api "$(SPEC)"

clean:
	rm -rf .build .build-*
