//! The shaders as a tree of modules, read by another parser than the linker's: no name is free, no import is unused, and a name means one
//! thing in the whole tree.

mod names;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use names::Names;
use wgsl_parse::syntax::{GlobalDeclaration, ImportContent, PathOrigin, TranslationUnit};

/// The role of functions that the library's caller writes.
const CALLER: &str = "caller";

/// Base names that each folder may have: constants that Rust sets.
const IN_EACH_FOLDER: [&str; 1] = ["sizes"];

/// Entry points are called so in every kernel.
const ENTRY: &str = "main";

struct Module {
    /// Folder and base name: `["shared", "place"]`.
    path: [String; 2],
    roles: BTreeSet<String>,
    unit: TranslationUnit,
}

impl Module {
    fn read(file: &Path) -> Self {
        let name = |path: &Path| path.file_stem().unwrap().to_str().unwrap().to_owned();
        Self::parse([name(file.parent().unwrap()), name(file)], &fs::read_to_string(file).unwrap())
    }

    fn parse(path: [String; 2], text: &str) -> Self {
        let roles = text.lines().map_while(|line| line.strip_prefix("// role: "));
        let roles = roles.flat_map(|roles| roles.split(", ")).map(str::to_owned).collect();
        let unit: TranslationUnit = text.parse().unwrap_or_else(|error| panic!("{}: {error}", path.join("/")));
        Self { path, roles, unit }
    }

    fn name(&self) -> String {
        format!("shaders/{}/{}.wgsl", self.path[0], self.path[1])
    }

    /// Imported names, and the path of the module or role that each is from.
    fn imports(&self) -> Vec<(Vec<String>, String)> {
        let mut found = vec![];
        for import in &self.unit.imports {
            let path = import.path.as_ref().unwrap_or_else(|| panic!("{}: an import without a path", self.name()));
            let origin = match &path.origin {
                PathOrigin::Absolute => vec![],
                PathOrigin::Relative(1) => vec![self.path[0].clone()],
                PathOrigin::Package(name) => vec![name.clone()],
                PathOrigin::Relative(_) => panic!("{}: an import from above the folder", self.name()),
            };
            gather(&import.content, [origin, path.components.clone()].concat(), &mut found);
        }
        found
    }

    /// Names of functions and structs, and how many parameters or members they have.
    fn declared(&self) -> BTreeMap<String, usize> {
        let declared = self.unit.global_declarations.iter().filter_map(|declaration| match declaration.node() {
            GlobalDeclaration::Function(function) => Some((&function.ident, function.parameters.len())),
            GlobalDeclaration::Struct(own) => Some((&own.ident, own.members.len())),
            _ => None,
        });
        declared.map(|(ident, count)| (ident.to_string(), count)).collect()
    }

    /// Names of module level.
    fn names(&self) -> BTreeSet<String> {
        let names = self.unit.global_declarations.iter().filter_map(|declaration| match declaration.node() {
            GlobalDeclaration::Declaration(own) => Some(&own.ident),
            GlobalDeclaration::TypeAlias(own) => Some(&own.ident),
            GlobalDeclaration::Struct(own) => Some(&own.ident),
            GlobalDeclaration::Function(own) => Some(&own.ident),
            GlobalDeclaration::ConstAssert(_) | GlobalDeclaration::Void => None,
        });
        names.map(|ident| ident.to_string()).collect()
    }

    fn declares(&self, name: &str) -> bool {
        self.names().contains(name)
    }
}

fn gather(content: &ImportContent, path: Vec<String>, found: &mut Vec<(Vec<String>, String)>) {
    match content {
        ImportContent::Item(item) => found.push((path, item.ident.to_string())),
        ImportContent::Collection(imports) => {
            for import in imports {
                gather(&import.content, [path.clone(), import.path.clone()].concat(), found);
            }
        }
    }
}

fn tree() -> Vec<Module> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("shaders");
    let folders = fs::read_dir(root).unwrap().map(|folder| folder.unwrap().path());
    let files = folders.flat_map(|folder| fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()));
    files.map(|file| Module::read(&file)).collect()
}

/// All of what is wrong, at once.
fn assert_none(wrong: Vec<String>) {
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Names that are free in a module, and imports that it does not use.
fn free_or_unused(module: &Module) -> Vec<String> {
    let (used, own) = (Names::of(&module.unit).used, module.names());
    let imported: BTreeSet<_> = module.imports().into_iter().map(|(_, name)| name).collect();
    let free = used.iter().filter(|name| !own.contains(*name) && !imported.contains(*name));
    let unused = imported.difference(&used);
    let free = free.map(|name| format!("{}: {name} is neither declared nor imported", module.name()));
    free.chain(unused.map(|name| format!("{}: {name} is imported and not used", module.name()))).collect()
}

#[test]
fn no_name_is_free_and_no_import_unused() {
    let modules = tree();
    assert!(modules.len() > 300, "{} modules", modules.len());
    assert_none(modules.iter().flat_map(free_or_unused).collect());
}

#[test]
fn free_names_and_unused_imports_are_seen() {
    let faults = |text: &str| free_or_unused(&Module::parse(["a".into(), "b".into()], text)).join("; ");
    let good = "import super::c::{one, two};\nfn f(x: u32) -> u32 { for (var i = x; i < 3u; i++) { let y = i; } return one(x) + two; }";
    assert_eq!(faults(good), "");
    let free = faults(&good.replace("one, two", "one"));
    assert_eq!(free, "shaders/a/b.wgsl: two is neither declared nor imported");
    // A local name of another scope.
    let free = faults(&good.replace("+ two", "+ two + y"));
    assert_eq!(free, "shaders/a/b.wgsl: y is neither declared nor imported");
    let unused = faults(&good.replace("one, two", "one, three, two"));
    assert_eq!(unused, "shaders/a/b.wgsl: three is imported and not used");
}

#[test]
fn imports_lead_to_declarations() {
    let modules = tree();
    let mut wrong = vec![];
    for module in &modules {
        for (path, ident) in module.imports() {
            let found = match path.iter().map(String::as_str).collect::<Vec<_>>()[..] {
                ["roles", CALLER] => true,
                ["roles", role] => modules.iter().any(|other| other.roles.contains(role) && other.declares(&ident)),
                [folder, base] => modules.iter().any(|other| other.path == [folder, base] && other.declares(&ident)),
                _ => false,
            };
            if !found {
                wrong.push(format!("{}: {}::{ident} does not exist", module.name(), path.join("::")));
            }
        }
    }
    assert_none(wrong);
}

/// Whether these modules all fill one role, so that a name in all of them is the role's.
fn share_a_role(modules: &[&Module]) -> bool {
    let mut common = modules[0].roles.clone();
    modules.iter().for_each(|module| common.retain(|role| module.roles.contains(role)));
    !common.is_empty()
}

#[test]
fn a_name_means_one_thing() {
    let modules = tree();
    let (mut bases, mut names) = (BTreeMap::<_, Vec<_>>::new(), BTreeMap::<_, Vec<_>>::new());
    for module in &modules {
        bases.entry(module.path[1].clone()).or_default().push(module);
        module.declared().into_keys().for_each(|name| names.entry(name).or_default().push(module));
    }
    bases.retain(|base, _| !IN_EACH_FOLDER.contains(&base.as_str()));
    names.remove(ENTRY);
    let wrong = bases.iter().chain(&names).filter(|(_, modules)| modules.len() > 1 && !share_a_role(modules));
    let said = wrong.map(|(name, modules)| {
        let places: Vec<_> = modules.iter().map(|module| module.name()).collect();
        format!("{name} has several meanings, in {}", places.join(", "))
    });
    assert_none(said.collect());
}

#[test]
fn fillings_of_a_role_agree() {
    let modules = tree();
    let mut counts = BTreeMap::<_, BTreeMap<usize, String>>::new();
    for module in &modules {
        for (name, count) in module.declared() {
            for role in module.roles.iter().filter(|_| name.starts_with(char::is_lowercase) && name != ENTRY) {
                counts.entry((role.clone(), name.clone())).or_default().insert(count, module.name());
            }
        }
    }
    let differ = counts.iter().filter(|(_, counts)| counts.len() > 1);
    assert_none(differ.map(|((role, name), counts)| format!("{name} of {role}: parameters {counts:?}")).collect());
}
