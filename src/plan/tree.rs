//! How a workgroup's threads share out the chunks of its problems (`shaders/shared/place.wgsl`).

/// Levels that shuffles merge at the most, twice: more than 64 lanes are not used.
pub(crate) const MAX_LOG_LANES: u32 = 6;

/// A workgroup's threads, a chunk of rows each; chunks merge as a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Tree {
    pub workgroup: u32,
    /// 2^this chunks of each problem.
    pub log_chunks: u32,
    /// Neighbouring threads take neighbouring problems.
    pub systems_first: bool,
    /// Merge with shuffles among 2^this lanes; 0 goes through workgroup memory.
    pub log_run: u32,
}

impl Tree {
    pub fn chunks(self) -> u32 {
        1 << self.log_chunks
    }

    /// Problems per workgroup.
    pub fn problems(self) -> u32 {
        self.workgroup >> self.log_chunks
    }

    /// The same with shuffles, where subgroups are large enough for them.
    pub fn with_shuffles(self, subgroup_lanes: u32) -> Self {
        let log_run = subgroup_lanes.ilog2().min(MAX_LOG_LANES);
        let fits = log_run > 0 && !self.systems_first && self.workgroup.is_multiple_of(subgroup_lanes);
        if fits { Self { log_run, ..self } } else { self }
    }

    /// The chunks' place, and the lanes that shuffle.
    pub fn place_overrides(self) -> Vec<(&'static str, u32)> {
        let mut overrides = vec![
            ("WORKGROUP", self.workgroup),
            ("LOG_CHUNKS", self.log_chunks),
            ("SYSTEMS_FIRST", self.systems_first.into()),
        ];
        if self.log_run > 0 {
            overrides.push(("LOG_RUN", self.log_run));
        }
        overrides
    }
}
