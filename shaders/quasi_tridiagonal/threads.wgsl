override WORKGROUP: u32 = 256u;
