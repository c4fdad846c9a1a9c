# For Nix and NixOS, from the tarball of `make portable`: the Swift of nixpkgs is older than the one that dbxfs is written in.
# `make dist` fills in what stands between @ signs.
{
  description = "Dropbox as a filesystem";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      system = "x86_64-linux";
      pkgs = nixpkgs.legacyPackages.${system};
      version = "@VERSION@";
    in
    {
      packages.${system} = rec {
        dbxfs = pkgs.stdenv.mkDerivation {
          pname = "dbxfs";
          inherit version;
          # Not pkgs.fetchurl: a release may be in a folder of this machine.
          src = builtins.fetchurl {
            url = "@URL@/dbxfs-${version}-linux-x86_64.tar.gz";
            name = "dbxfs-linux-x86_64.tar.gz";
            sha256 = "@LINUX_SHA256@";
          };
          nativeBuildInputs = [ pkgs.autoPatchelfHook ];
          buildInputs = [ pkgs.stdenv.cc.cc.lib ];
          dontConfigure = true;
          dontBuild = true;
          # They are stripped, and patched sections of a stripped program are not moved a second time.
          dontStrip = true;
          installPhase = ''
            runHook preInstall
            mkdir -p $out
            cp -r bin sbin lib libexec share $out/
            for unit in $out/lib/systemd/*/dbxfs@.service; do
              substituteInPlace $unit --replace-fail '=dbxfs ' "=$out/bin/dbxfs "
            done
            runHook postInstall
          '';
          doInstallCheck = true;
          installCheckPhase = "$out/bin/dbxfs --version";
          meta = {
            description = "Dropbox as a filesystem";
            license = with pkgs.lib.licenses; [ mit asl20 lgpl21Only curl bsd2 zlib publicDomain ];
            sourceProvenance = [ pkgs.lib.sourceTypes.binaryNativeCode ];
            platforms = [ system ];
            mainProgram = "dbxfs";
          };
        };
        default = dbxfs;
      };

      # Users mount by fusermount3, which NixOS has among its wrappers; fileSystems.<path>.fsType = "dbxfs" finds the helper.
      nixosModules.default = {
        programs.fuse.userAllowOther = nixpkgs.lib.mkDefault false;
        environment.systemPackages = [ self.packages.${system}.dbxfs ];
        systemd.packages = [ self.packages.${system}.dbxfs ];
        system.fsPackages = [ self.packages.${system}.dbxfs ];
      };
    };
}
