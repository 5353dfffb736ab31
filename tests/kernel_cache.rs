//! Compiled kernels on disk: used by the next device, and ignored where they are of no use.

use std::fs;
use std::path::{Path, PathBuf};

use trisolve::tridiagonal::{Algorithm, Options, Shape, System, TridiagonalPlan};
use trisolve::{Error, Gpu, GpuOptions, KernelCacheFile, wgpu};
use trisolve_lab::OnDevice;

/// A folder that goes with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("trisolve-{test}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

/// A device whose kernels are kept in a file; `None` if the adapter has no pipeline caches.
fn keeping(path: &Path) -> Option<Gpu> {
    let options = GpuOptions { kernel_cache: KernelCacheFile::File(path.into()), ..GpuOptions::default() };
    let gpu = Gpu::with_options(options).unwrap();
    let has_caches = gpu.device().features().contains(wgpu::Features::PIPELINE_CACHE);
    if !has_caches {
        println!("left out: {} has no pipeline caches", gpu.info().name);
    }
    has_caches.then_some(gpu)
}

fn solve(gpu: &Gpu) {
    let options = Options::on_device().algorithm(Algorithm::Thomas).untuned();
    let plan = TridiagonalPlan::<f32>::new(gpu, Shape::single(3), options).unwrap();
    let x = plan.solve(&System::new(&[-1.0; 2], &[2.0; 3], &[-1.0; 2]), &[1.0, 0.0, 1.0]).unwrap();
    assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-6), "{x:?}");
}

#[test]
fn the_next_device_takes_them() {
    let folder = Folder::new("next");
    let file = folder.0.join("made on the way").join("kernels");
    let compiled = [0; 3].map(|_| {
        let gpu = keeping(&file)?;
        solve(&gpu);
        let [compiled, ..] = gpu.kernels_counted();
        Some((gpu.has_loaded_kernels(), compiled))
    });
    let [Some((false, first)), Some((true, second)), Some((true, third))] = compiled else {
        assert_eq!(compiled, [None; 3]);
        return;
    };
    // The later ones need not test the subgroups.
    assert!(first > second && second == third, "{compiled:?}");
    let gpu = keeping(&file).unwrap();
    fs::remove_file(&file).unwrap();
    // Nothing is new.
    gpu.store_kernels().unwrap();
    assert!(!file.exists());
}

#[test]
fn files_of_no_use_are_ignored_and_replaced() {
    let folder = Folder::new("no-use");
    let file = folder.0.join("kernels");
    let Some(gpu) = keeping(&file) else { return };
    solve(&gpu);
    drop(gpu);
    let good = fs::read(&file).unwrap();
    let text = String::from_utf8_lossy(&good).into_owned();
    let flipped = |at: usize| {
        let mut bytes = good.clone();
        bytes[at] ^= 1;
        bytes
    };
    let foreign = {
        let start = text.find("subgroups ").unwrap() + "subgroups ".len();
        flipped(start)
    };
    let cases: [(&str, Vec<u8>); 6] = [
        ("empty", vec![]),
        ("cut off", good[..good.len() - 1].to_vec()),
        ("longer", [&good[..], &[0]].concat()),
        ("a bit of the data changed", flipped(good.len() - 1)),
        ("of other subgroups", foreign),
        ("only the first line", good[..good.iter().position(|byte| *byte == b'\n').unwrap()].to_vec()),
    ];
    for (name, bytes) in cases {
        fs::write(&file, bytes).unwrap();
        let gpu = keeping(&file).unwrap();
        assert!(!gpu.has_loaded_kernels(), "{name}");
        solve(&gpu);
        drop(gpu);
        assert!(keeping(&file).unwrap().has_loaded_kernels(), "after {name}");
    }
    assert_eq!(folder.names(), ["kernels"]);
}

#[test]
fn what_cannot_be_written_stops_no_solve() {
    let folder = Folder::new("unwritable");
    let file = folder.0.join("file");
    fs::write(&file, "no folder").unwrap();
    let directory = folder.0.join("folder");
    fs::create_dir(&directory).unwrap();
    // The folder for the last one can be made, but no file of this name.
    let mut places = vec![file.clone(), file.join("kernels"), directory, folder.0.join("new").join("x".repeat(300))];
    // What is no file stays as it is, and so does a link that points nowhere.
    #[cfg(unix)]
    {
        let link = folder.0.join("link");
        std::os::unix::fs::symlink(folder.0.join("nowhere"), &link).unwrap();
        places.extend([PathBuf::from("/dev/null"), link]);
    }
    for place in places {
        let Some(gpu) = keeping(&place) else { return };
        solve(&gpu);
        match gpu.store_kernels() {
            Err(Error::File { path, .. }) => assert_eq!(Path::new(&path), place),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(folder.names().len(), 2 + usize::from(cfg!(unix)), "{:?}", folder.names());
    assert_eq!(fs::read(&file).unwrap(), b"no folder");
    let gpu = Gpu::with_options(GpuOptions { kernel_cache: KernelCacheFile::None, ..GpuOptions::default() }).unwrap();
    solve(&gpu);
    gpu.store_kernels().unwrap();
}

#[test]
fn several_write_at_once() {
    let folder = Folder::new("at-once");
    let file = folder.0.join("kernels");
    for _ in 0..3 {
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| keeping(&file).iter().for_each(solve));
            }
        });
        let Some(gpu) = keeping(&file) else { return };
        assert!(gpu.has_loaded_kernels());
        fs::remove_file(&file).unwrap();
    }
    assert!(folder.names().is_empty(), "{:?}", folder.names());
}
