# A Python virtual environment with pip: thousands of small files, links, programs, byte code.
# limit: 300
python3 -m venv "$MNT/venv"
"$MNT/venv/bin/python" -c 'import sys; assert sys.prefix != sys.base_prefix, sys.prefix'
"$MNT/venv/bin/pip" --version
"$MNT/venv/bin/python" -c 'import pip, json; print(pip.__file__)' | grep "^$MNT/venv/"
mkdir "$WORK/package"
printf 'from setuptools import setup\n' > "$WORK/package/unused.py"
find "$MNT/venv" -name '*.pyc' | head -1 | grep -q pyc
