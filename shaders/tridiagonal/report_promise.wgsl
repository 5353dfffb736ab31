fn report_promise(t: u32, share: Share, doubtful: bool) {
    if (doubtful && share.owned) {
        report_not_dominant(share.problem);
    }
}
