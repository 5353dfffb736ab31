// role: verdict
import package::shared::place::Share;

// A kernel on its own: all problems concern it.
fn concerns(t: u32, share: Share, doubtful: bool) -> bool {
    return true;
}
