// All problems were promised to be dominant: solved, and said where they are not.
fn concerns(t: u32, share: Share, doubtful: bool) -> bool {
    report_promise(t, share, doubtful);
    return true;
}
