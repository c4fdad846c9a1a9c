# A mount is exported by a server of NFS (nfs-ganesha), and a client (libnfs) works on it: what it does arrives on Dropbox, it sees changes from
# there, and it goes on after a restart of the server and a new mount.
# mounts: itself
# limit: 120
. "$TOOLS/lib.sh"
# Neither is among the packages of the tests: they would start servers on the machine.
if [ "$(id -u)" != 0 ] || ! command -v ganesha.nfsd || ! "$TOOLS/nfs.py" --check; then
    echo '*** skipped: not root, or no NFS here; Scripts/install-packages --for nfs'
    exit 0
fi
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
mkdir "$WORK/recovery"
printf '[General]\nDomain = localdomain\n' > "$WORK/idmapd.conf"
# Version 4 on loopback, without the services of version 3.
cat > "$WORK/ganesha.conf" << END
NFS_CORE_PARAM {
    Protocols = 4; NFS_Port = $port; Bind_addr = 127.0.0.1;
    Enable_NLM = false; Enable_RQUOTA = false; Enable_UDP = false;
}
NFSV4 {
    Graceless = true; Only_Numeric_Owners = true; IdmapConf = "$WORK/idmapd.conf";
    RecoveryBackend = fs; RecoveryRoot = "$WORK/recovery";
}
EXPORT {
    Export_Id = 71; Path = "$MNT"; Pseudo = /dropbox;
    Access_Type = RW; Squash = none; SecType = sys; Protocols = 4; Transports = TCP;
    FSAL { Name = VFS; }
}
END
client() { timeout 60 "$TOOLS/nfs.py" "nfs://127.0.0.1/dropbox?version=4&nfsport=$port&uid=0&gid=0" "$@"; }
# An answer in one line.
says() {
    _answer=$1
    shift
    test "$(client "$@")" = "$_answer"
}
export_mount() {
    dbxfs mount "$MNT" -o allow_other
    # Where it was not installed as a package, its own library is beside it.
    LD_LIBRARY_PATH=/usr/lib/ganesha ganesha.nfsd -F -f "$WORK/ganesha.conf" -L "$WORK/ganesha.log" -p "$WORK/ganesha.pid" \
        > "$WORK/ganesha.out" 2>&1 &
    server=$!
    trap 'kill $server' EXIT
    wait_while_running $server 60 client 'list /'
}
end_export() {
    trap - EXIT
    kill $server
    wait $server || true
    dbxfs unmount "$MNT" --timeout 60
}

export_mount
mkdir "$MNT/folder"
echo old > "$MNT/folder/file"
says 'file' 'list /folder'
says old 'read /folder/file'
client 'mkdir /made' 'create /made/new text' 'create /made/gone text' 'rename /made/new /folder/moved' 'remove /made/gone' \
    'write /folder/file edited'
says 'file moved' 'list /folder'
says '' 'list /made'
test "$(cat "$MNT/folder/file" "$MNT/folder/moved")" = editedtext
dbxfs sync "$MNT" --timeout 60
python3 "$TOOLS/compare.py" "$MNT"
# The server's cache asks the mount again.
echo elsewhere | "$TOOLS/dropbox.py" upload /folder/remote
wait_until 90 says elsewhere 'read /folder/remote'

end_export
export_mount
says 'file moved remote' 'list /folder'
client 'write /folder/moved again'
says again 'read /folder/moved'
end_export
