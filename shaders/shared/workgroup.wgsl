// Threads of a workgroup.
override WORKGROUP: u32 = 64u;
