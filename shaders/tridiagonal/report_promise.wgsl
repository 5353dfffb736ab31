import package::shared::place::Share;
import package::shared::status::report_not_dominant;

// Whether the caller has promised that all problems are dominant.
override REPORTS: bool = false;

fn report_promise(t: u32, share: Share, doubtful: bool) {
    if (REPORTS && doubtful && share.owned) {
        report_not_dominant(share.problem);
    }
}
