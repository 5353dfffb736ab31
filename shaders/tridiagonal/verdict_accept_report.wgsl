// role: verdict
import package::shared::place::Share;
import super::report_promise::report_promise;
import super::verdict_follow::accepted;

// If REPORTS is set, reports accepted problems that are not dominant.
fn concerns(t: u32, share: Share, doubtful: bool) -> bool {
    let concerned = accepted(share.problem) != 0u;
    report_promise(t, share, doubtful && concerned);
    return concerned;
}
