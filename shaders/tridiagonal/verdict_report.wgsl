// role: verdict
import package::shared::place::Share;
import super::report_promise::report_promise;

// A kernel on its own: all problems concern it. If REPORTS is set, reports those that are not dominant.
fn concerns(t: u32, share: Share, doubtful: bool) -> bool {
    report_promise(t, share, doubtful);
    return true;
}
