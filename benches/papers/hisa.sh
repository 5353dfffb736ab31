# shellcheck shell=bash disable=SC2154 # papers.sh sets them
# The measurements of quasi-tridiagonal systems: a part of ../papers.sh, which has the functions and variables.
size=()
if [ -n "$quick" ]; then
    size=(--quick)
elif [ "$(of_adapter kind)" = Cpu ]; then
    size=(--brief)
fi
step "tables 6 to 11: the ten cases on the device and on CPU cores, and peers" \
    "$here/gas.sh" ${size[@]+"${size[@]}"} "$trisolve" "$out"
