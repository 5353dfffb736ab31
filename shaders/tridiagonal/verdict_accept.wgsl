// role: verdict
import package::shared::place::Share;
import super::verdict_follow::accepted;

fn concerns(t: u32, share: Share, doubtful: bool) -> bool {
    return accepted(share.problem) != 0u;
}
