fn concerns(t: u32, share: Share, doubtful: bool) -> bool {
    return accepted(share.problem) != 0u;
}
