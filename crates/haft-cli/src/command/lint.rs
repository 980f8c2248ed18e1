//! `haft lint`: what providers would refuse or weaken, and what makes a tool hard to use.

use std::io::{self, Write};

use haft::{Leniency, LintLevel, LintReport, Target};

use crate::{
    host::{Exit, Host},
    output,
    settings::{Lint, Tools},
    tools_file::{self, ToolsFile},
    workbench::Workbench,
};

pub(super) fn run(settings: &Lint, host: &mut Host) -> anyhow::Result<Exit> {
    let report = report(settings, host)?;
    if settings.json {
        output::write_pretty_json(&mut host.stdout, &report)?;
    } else {
        print(&report, host)?;
    }
    Ok(host.interrupt.outcome(Exit::failed_if(report.is_refused())))
}

/// What is to be said of the tools, those that can not be used first.
fn report(settings: &Lint, host: &mut Host) -> anyhow::Result<LintReport> {
    let file = match &settings.tools {
        Tools::Of(file) => file,
        Tools::Configured(configuration) => {
            let mut bench = Workbench::open(configuration, host)?;
            return super::block_on(async {
                bench.connect_all(host).await;
                let report = settings.linter.registry(&bench.registry);
                bench.close().await;
                report
            });
        }
    };
    super::announce(file, "a list of tools", host);
    let ToolsFile { registry, refused, notes, .. } = tools_file::load(file, Leniency::default())?;
    for note in notes {
        host.note(note);
    }
    let mut report = settings.linter.registry(&registry);
    report.tools += refused.len();
    let unusable = refused.iter().flat_map(|one| settings.linter.unusable(&one.name(), &one.fault));
    report.rows.splice(0..0, unusable);
    Ok(report)
}

/// Each tool with what is to be said of it, then how much that is.
fn print(report: &LintReport, host: &mut Host) -> io::Result<()> {
    let heading = host.heading();
    let mut tool = None;
    for row in &report.rows {
        if tool != Some(&row.tool) {
            writeln!(host.stdout, "{heading}{}{heading:#}", output::line(&row.tool))?;
            tool = Some(&row.tool);
        }
        let provider = row.provider.map_or("any", Target::name);
        let level = row.level.as_str();
        writeln!(host.stdout, "  {level:8}  {provider:13}  {}: {}", row.lint, output::line(&row.message))?;
        if let [first, rest @ ..] = row.places.as_slice() {
            let more =
                if rest.is_empty() { String::new() } else { format!(" and {} more places", rest.len()) };
            writeln!(host.stdout, "  {:8}  {:13}  at {}{more}", "", "", output::line(first))?;
        }
        writeln!(host.stdout, "  {:8}  {:13}  {}", "", "", row.mend)?;
    }
    let count = |level: LintLevel| report.rows.iter().filter(|row| row.level == level).count();
    writeln!(
        host.stdout,
        "{} {}: {} refused, {} weakened, {} to improve",
        report.tools,
        if report.tools == 1 { "tool" } else { "tools" },
        count(LintLevel::Refused),
        count(LintLevel::Weakened),
        count(LintLevel::Advice)
    )
}
