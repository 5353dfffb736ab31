// Chunks at either end of a slice that belong to its neighbours, which store them; none where slices do not overlap.
override HALO: u32 = 0u;
