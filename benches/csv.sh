# shellcheck shell=bash
# For the scripts that write CSVs, which source this file.

# join_csvs OUT PARTS...: joins the CSVs PARTS into OUT, below the header of the first, and deletes PARTS.
join_csvs() {
    local part
    head -n 1 "$2" >"$1"
    for part in "${@:2}"; do tail -n +2 "$part" >>"$1"; done
    rm "${@:2}"
}
