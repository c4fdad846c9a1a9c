# fio writes at random, beside each other and through mappings, and finds every block as it wrote it.
run() {
    job=$1
    shift
    fio --name="$job" --directory="$MNT/fio" --size=16m --numjobs=2 --group_reporting --verify=crc32c \
        --verify_fatal=1 --ioengine=psync --fallocate=none --minimal --output="$WORK/fio.out" "$@"
}
# Where fio leaves what it needs to verify again.
cd "$WORK"
mkdir "$MNT/fio"
run pages --rw=randwrite --bs=4k-64k --do_verify=1
run mixed --rw=randrw --bs=4k-128k --do_verify=1
run stream --rw=write --bs=1m --do_verify=1
run mapped --rw=randwrite --bs=4k --do_verify=1 --ioengine=mmap
rm "$MNT"/fio/*
# Content written before its upload is read again when the server has it.
run sent --rw=randwrite --bs=4k-64k --do_verify=0
"$DBXFS" sync "$MNT"
run sent --rw=randwrite --bs=4k-64k --verify_only=1
