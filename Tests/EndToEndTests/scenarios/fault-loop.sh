# The n-th local call or request fails, or kills the mount's process: the rest is sound.
# mounts: itself
# limit: 1800
# A Swift toolchain brings a C compiler along.
compiler=$(command -v cc || command -v clang || echo "$(dirname "$(realpath "$(command -v swift)")")/clang")
"$compiler" -shared -fPIC -O1 -o "$WORK/nth_call.so" "$TOOLS/nth_call.c"
test -n "${FAULT_MODES:-}${FAULT_FROM:-}${FAULT_STRIDE:-}" || export FAULT_SAMPLE=4
PYTHONDONTWRITEBYTECODE=1 python3 "$TOOLS/fault_loop.py"
