//! Measuring all servers in turns, and the medians of same-round ratios to the floor.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::http;
use crate::load::Load;
use crate::messages::Era;
use crate::server::{Link, Program, Server, TRANSPORT, Transport, on_core};

/// How long one load lasts, and how long the one before it that warms the server up.
const TIME: Duration = Duration::from_millis(800);
const WARM: Duration = Duration::from_millis(200);
const WIDE: usize = 32;
/// How often a server is started in a round for the time that it takes.
const STARTS: usize = 5;
/// How long a server is left alone before its memory is looked at.
const IDLE: Duration = Duration::from_millis(100);

/// Values by measure and server, one for each round.
type Values = BTreeMap<(&'static str, &'static str), Vec<f64>>;

pub(crate) fn run(arguments: &[String]) {
    let paths: BTreeMap<&str, &str> = arguments.iter().filter_map(|word| word.split_once('=')).collect();
    let rounds = arguments.iter().find_map(|word| word.parse().ok()).unwrap_or(5);
    let servers = servers(&paths);
    let command = paths.get("command").map(|path| program("command", path, &["serve"]));
    let mut values = Values::new();
    on_core(0, || {
        for round in 0..rounds {
            eprintln!("round {} of {rounds}", round + 1);
            for offset in 0..servers.len() {
                let server = &servers[(round + offset) % servers.len()]; // no server always follows the same one
                stdio(server, &mut values);
                wide(server, "http-stateless-rate", Era::Legacy, &mut values);
                if server.name != "typescript" {
                    wide(server, "http-modern-rate", Era::Modern, &mut values); // that SDK knows the handshake only
                }
            }
            if let Some(command) = &command {
                begin(command, &mut values);
            }
        }
    });
    report(&values);
}

fn servers(paths: &BTreeMap<&str, &str>) -> Vec<Program> {
    let mut servers = vec![program("floor", paths["floor"], &[TRANSPORT])];
    servers.extend(paths.get("haft").map(|path| program("haft", path, &[TRANSPORT])));
    if let Some(path) = paths.get("rmcp") {
        servers.push(program("rmcp", path, &["plain", TRANSPORT]));
        servers.push(program("rmcp-best", path, &["best", TRANSPORT]));
    }
    if let (Some(node), Some(modules)) = (paths.get("node"), paths.get("modules")) {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/mcp/server.mjs");
        let script = script.to_str().expect("the path is text");
        servers.push(program("typescript", node, &[script, TRANSPORT, modules]));
    }
    servers
}

fn program(name: &'static str, path: &str, arguments: &[&str]) -> Program {
    let arguments = arguments.iter().map(ToString::to_string).collect();
    Program { name, path: PathBuf::from(path), arguments }
}

/// Start, idle memory, and calls over standard input and output.
fn stdio(program: &Program, values: &mut Values) {
    let mut server = begin(program, values);
    let Link::Lines(lines) = &mut server.link else { unreachable!("it was started on stdio") };
    lines.load(WIDE, WARM);
    let narrow = lines.load(1, TIME);
    let before = server.process.cpu();
    let wide = lines.load(WIDE, TIME);
    let cpu = server.process.cpu().saturating_sub(before);
    add(values, "stdio-p50", program, narrow.middle());
    add(values, "stdio-rate", program, wide.rate());
    add(values, "stdio-cpu", program, cpu.as_secs_f64() * 1e6 / wide.calls());
}

fn begin(program: &Program, values: &mut Values) -> Server {
    let mut starts: Vec<f64> =
        (1..STARTS).map(|_| program.start(Transport::Stdio).start.as_secs_f64() * 1e3).collect();
    let server = program.start(Transport::Stdio);
    starts.push(server.start.as_secs_f64() * 1e3);
    add(values, "start", program, median(starts));
    thread::sleep(IDLE);
    add(values, "idle-memory", program, server.process.memory());
    server
}

fn wide(program: &Program, measure: &'static str, era: Era, values: &mut Values) {
    let server = program.start(Transport::Http(era));
    let Link::Http { address } = &server.link else { unreachable!("it was started on HTTP") };
    http::load(address, era, WIDE, WARM);
    let load: Load = http::load(address, era, WIDE, TIME);
    add(values, measure, program, load.rate());
}

fn add(values: &mut Values, measure: &'static str, program: &Program, value: f64) {
    values.entry((measure, program.name)).or_default().push(value);
}

/// A line for each figure, and what is behind it.
fn report(values: &Values) {
    println!("medians: p50 and CPU in us a call, rates in calls a second, start in ms, memory in KiB");
    for ((measure, server), own) in values {
        println!("  {measure} {server}: {:.1}", median(own.clone()));
    }
    for ((measure, server), own) in values.iter().filter(|((_, server), _)| *server != "floor") {
        let Some(floor) = values.get(&(*measure, "floor")) else { continue };
        let ratio = |own: &[f64]| median(own.iter().zip(floor).map(|(own, floor)| own / floor).collect());
        let best = values.get(&(*measure, "rmcp-best")).map(|best| ratio(best));
        let goal = match (*server, *measure, best) {
            ("haft", "start", _) => "<=2.1".to_owned(),
            ("haft", "idle-memory", _) => "<=2.5".to_owned(),
            ("haft", rate, Some(best)) if rate.ends_with("-rate") => format!(">={best:.2}"),
            _ => "none".to_owned(),
        };
        let name = if *server == "haft" { (*measure).to_owned() } else { format!("{measure}-{server}") };
        println!("figure mcp/{name} {:.2} goal {goal}", ratio(own));
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
