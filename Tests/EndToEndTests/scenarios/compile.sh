# A C program of many files, built by make with two jobs, rebuilt after a change, and nothing to do then.
# limit: 180
mkdir "$MNT/program"
cd "$MNT/program"
i=0
sources=
while [ $i -lt 20 ]; do
    printf '#include "all.h"\nint f%d(void) { return %d; }\n' $i $i > "f$i.c"
    printf 'int f%d(void);\n' $i >> all.h
    sources="$sources f$i.o"
    i=$((i + 1))
done
cat > main.c << 'END'
#include <stdio.h>
#include "all.h"
int main(void) { printf("%d\n", f1() + f19()); return 0; }
END
printf 'program: main.o%s\n\tgcc -o $@ $^\n%%.o: %%.c all.h\n\tgcc -c -o $@ $<\n' "$sources" > Makefile
make -s -j2
test "$(./program)" = 20

# Times hold to the nanosecond, so make knows that nothing changed, after the upload too.
make -q
dbxfs sync "$MNT"
make -q

printf '#include "all.h"\nint f1(void) { return 100; }\n' > f1.c
test "$(make -n | grep -c 'gcc -c')" = 1
make -s -j2
test "$(./program)" = 119
