import package::shared::place::Share;
import package::shared::status::report_not_dominant;

fn report_promise(t: u32, share: Share, doubtful: bool) {
    if (doubtful && share.owned) {
        report_not_dominant(share.problem);
    }
}
