# For Homebrew on Linux, from the sources of a release. `make dist` fills in what stands between @ signs.
class Dbxfs < Formula
  desc "Dropbox as a filesystem"
  homepage "@URL@"
  url "@URL@/dbxfs-@VERSION@.tar.gz"
  version "@VERSION@"
  sha256 "@SOURCE_SHA256@"
  license "MIT"

  depends_on "pkgconf" => :build
  depends_on "python@3.13" => :build
  depends_on "swift" => :build
  depends_on "curl"
  depends_on "libfuse"
  depends_on :linux
  depends_on "openssl@3"
  depends_on "sqlite"
  depends_on "xxhash"
  depends_on "zlib"

  def install
    # Homebrew's libraries are updated together, so none is linked in.
    system "make", "release", "LINKED_IN="
    system "make", "install", "PREFIX=#{prefix}", "SBINDIR=#{sbin}", "HELPER_TARGET=#{opt_bin}/dbxfs",
           "BASHCOMPDIR=#{bash_completion}", "ZSHCOMPDIR=#{zsh_completion}", "FISHCOMPDIR=#{fish_completion}"
  end

  def caveats
    <<~EOS
      Users other than root mount by fusermount3, which must be installed with the set-user-ID bit: take it
      from the system's package fuse3. For lines in /etc/fstab, root makes the helpers known once:
        sudo ln -s #{opt_sbin}/*mount*.dbxfs /sbin/
    EOS
  end

  test do
    assert_match "dbxfs #{version.to_s[/^[0-9.]+/]}", shell_output("#{bin}/dbxfs --version")
    assert_match "SUBCOMMANDS", shell_output("#{bin}/dbxfs --help")
  end
end
