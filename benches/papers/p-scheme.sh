# shellcheck shell=bash disable=SC2154 # papers.sh sets them
# The measurements of P-scheme: a part of ../papers.sh, which has the functions and variables.
rows=$(either 2^14,2^16 2^14,2^16,2^18,1000000)
step "figure 1" "$trisolve" bench p-scheme --host --rows "$rows" --warm-up 0.1 --runs 3 --csv "$out/substitution.csv"
rows=$(either 2^14 2^18,1000000)
groups=$(either 4,16,64 16,32,64,128)
threads=$(either 32,64 16,32,64,128,256,512)
measuring=(--warm-up 0.02 --runs "$(either 7 15)")
step "figures 2 to 7, table I" "$trisolve" bench p-scheme --rows "$rows" --groups "$groups" \
    --threads "$threads" "${measuring[@]}" --csv "$out/p-scheme.csv"
groups=$(either 64,256 64,256,1024,4096)
threads=$(either 32,64 32,64,128)
step "the same, propagated over groups of chunks" "$trisolve" bench p-scheme --grouped --rows "$rows" \
    --groups "$groups" --threads "$threads" "${measuring[@]}" --csv "$out/p-scheme-grouped.csv"
rm -f "$out/tuned.json"
step "the policy: measured choices" "$trisolve" tune p-scheme --precision f32 --output "$out/tuned.json"
rows=$(either 2^14,2^16 2^14,2^16,2^18,2^20)
step "other algorithms for the same recurrences" bench recurrence --algorithm p-scheme,three-launch,one-pass \
    --coefficients both,case-m,case-h --rows "$rows" --csv "$out/recurrence.csv"
step "the next step: Moebius recurrences" bench recurrence --moebius --rows "$rows" --csv "$out/moebius.csv"
# One thread takes seconds for a long system.
part "the next step: Thomas's method, one thread" bench tridiagonal --algorithm thomas --precision f32 --rows 2^14,2^16
part "the next step: Thomas's method, three recurrences" bench tridiagonal --algorithm scan,partition --precision f32 --rows "$rows"
join_parts thomas.csv
step "an application: DPCM" "$bin/dpcm_decode" "$out/dpcm.png" "$out/dpcm.csv"
