//! Structs that Rust writes and WGSL reads.

/// Defines a struct with the layout of the WGSL struct with the same fields, each of four bytes, and lists its fields. A test compares them
/// with the WGSL struct of the same name.
macro_rules! uniform_struct {
    ($(#[$meta:meta])* $vis:vis struct $name:ident { $($(#[$field_meta:meta])* pub $field:ident: $type:ident,)* }) => {
        $(#[$meta])*
        #[allow(missing_docs)] // The WGSL struct of the same name says it.
        #[repr(C)]
        #[derive(bytemuck::Pod, bytemuck::Zeroable)]
        $vis struct $name { $($(#[$field_meta])* pub $field: $type,)* }

        #[cfg(feature = "internals")]
        impl $name {
            /// Name, offset in bytes, type.
            pub const FIELDS: &'static [(&'static str, usize, &'static str)] =
                &[$((stringify!($field), std::mem::offset_of!($name, $field), stringify!($type)),)*];
        }
    };
}
pub(crate) use uniform_struct;
