//! The mutant runner's command line.
use std::path::Path;
use mutant_runner::{catalogue::Catalogue, gather, run, report, subject::{Subject, Part}};
fn main() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let w = here.join("..").canonicalize().unwrap();
    let part = |p: &str, cat: &str, g: &[&str]| Part { package: p.into(), folder: p.into(), catalogue: cat.into(), integration: true, generated: g.iter().map(|x| x.into()).collect() };
    let subject = Subject { builds: w.join("target"), place: w.join("target/mutants"),
        parts: vec![part("firmware-core", "", &["wg_mgr","m3_read"]), part("models", "models", &["m3_read/responder"])],
        clauses: models::clause::Clause::all().map(|c| c.id().to_owned()).collect(), workspace: w };
    let cat = Catalogue::read(&here.join("catalogue")).unwrap();
    let mut m = gather::written(&subject, &cat).unwrap();
    if std::env::args().any(|a| a == "--gen") { m.extend(gather::generated(&subject)); }
    println!("{}", m.len());
    let run = run::run(&subject, m, false, &|m, v| eprintln!("{:?} {}", v.took, report::line(m, v))).unwrap();
    for v in &run.verdicts { if v.outcome.kind() != mutant_runner::outcome::Kind::Killed || v.alone { println!("{}", report::line(&run.mutants[v.mutant], v)); } }
    println!("{}", report::summary(&run));
}
