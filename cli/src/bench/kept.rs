//! The vectors of the last case, which the next case uses again if it needs the same.

use std::any::Any;

/// At most one sample, with the key that it was made for.
#[derive(Default)]
pub struct Kept(Option<Box<dyn Any>>);

impl Kept {
    /// Frees the sample unless it has this key. To be called before a plan needs memory.
    pub fn free_unless<K: PartialEq + 'static, S: 'static>(&mut self, key: Option<&K>) {
        let is_same = |kept: &Box<dyn Any>| kept.downcast_ref::<(K, S)>().map(|(own, _)| own) == key && key.is_some();
        self.0 = self.0.take().filter(is_same);
    }

    /// The sample of this key: the kept one, or a new one.
    ///
    /// # Errors
    /// The errors of `make`.
    pub fn sample<K: PartialEq + 'static, S: 'static>(
        &mut self,
        key: K,
        make: impl FnOnce() -> trisolve::Result<S>,
    ) -> trisolve::Result<&S> {
        self.free_unless::<K, S>(Some(&key));
        if self.0.is_none() {
            self.0 = Some(Box::new((key, make()?)));
        }
        let kept = self.0.as_ref().and_then(|kept| kept.downcast_ref::<(K, S)>());
        Ok(&kept.unwrap_or_else(|| unreachable!("it was kept with this type")).1)
    }
}
