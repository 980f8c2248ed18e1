//! What the files say, put together: settings of the nearest file that has them, servers of all, each in its state.

use super::{
    display::ShownServer,
    effective::{Config, ConfigFile, ConfigServer, ServerState},
    environment::Environment,
    file::{ConfigOrigin, Content, Text},
    problem::{ConfigProblem, ConfigProblemKind},
    server::{ServerEntry, Transport},
    trust::{Trust, TrustStore},
};

/// As many haft may stand above one that starts servers.
const DEEPEST: u32 = 2;

impl Config {
    /// Adds what one file says, behind what nearer files say.
    pub(super) fn add(
        &mut self,
        environment: &Environment,
        text: Text,
        origin: ConfigOrigin,
        content: Content,
    ) {
        let Content { settings, servers, faulty, remarks } = content;
        let trust = self.trust(environment, &text, origin, &servers);
        self.settings = std::mem::take(&mut self.settings).or(&settings);
        self.remarks.extend(remarks.into_iter().map(|remark| format!("{}: {remark}", text.path.display())));
        for problem in faulty {
            self.add_faulty(&text, problem);
        }
        let mut waiting = Vec::new();
        for entry in servers {
            let state = self.state(environment, &entry, trust);
            match &state {
                ServerState::Untrusted => waiting.push(entry.name.clone()),
                ServerState::Faulty(problem) => self.problems.push((**problem).clone()),
                ServerState::Ready(_) => self.secrets.add(entry.secrets(environment)),
                _ => {}
            }
            let shown = Some(ShownServer::of(&entry));
            self.servers.push(ConfigServer { name: entry.name, file: text.path.clone(), shown, state });
        }
        if !waiting.is_empty() {
            self.problems.push(untrusted(&text, trust, &waiting));
        }
        self.files.push(ConfigFile { path: text.path, origin, trust, digest: text.digest });
    }

    /// A server with several mistakes is one server.
    fn add_faulty(&mut self, text: &Text, problem: ConfigProblem) {
        let name = problem.server.clone().unwrap_or_default();
        let known = self.servers.iter().any(|server| {
            server.name == name && server.file == text.path && matches!(server.state, ServerState::Faulty(_))
        });
        if !known {
            let state = ServerState::Faulty(Box::new(problem.clone()));
            self.servers.push(ConfigServer { name, file: text.path.clone(), shown: None, state });
        }
        self.problems.push(problem);
    }

    fn state(&self, environment: &Environment, entry: &ServerEntry, trust: Trust) -> ServerState {
        if !entry.enabled {
            return ServerState::Disabled;
        }
        if !trust.is_enough() {
            return ServerState::Untrusted;
        }
        // A server that is not used hides no other.
        let hides = |server: &ConfigServer| {
            server.name == entry.name && server.hides() && server.file != entry.place.file
        };
        if self.servers.iter().any(hides) {
            return ServerState::Shadowed;
        }
        let chain = if starts_haft(&entry.transport) {
            Some(
                "it starts haft itself, which would start itself without end; `--no-config` keeps it from that",
            )
        } else if environment.depth() >= DEEPEST {
            Some("haft was started by a haft that was started by a haft; no chain is longer")
        } else {
            None
        };
        if let Some(message) = chain {
            let problem = ConfigProblem::at(ConfigProblemKind::Server, entry.place.clone(), message);
            return ServerState::Faulty(Box::new(problem.of_server(&entry.name)));
        }
        match entry.resolve(environment) {
            Ok(server) => ServerState::Ready(Box::new(server)),
            Err(problem) => ServerState::Faulty(problem),
        }
    }

    fn trust(
        &mut self,
        environment: &Environment,
        text: &Text,
        origin: ConfigOrigin,
        servers: &[ServerEntry],
    ) -> Trust {
        if origin != ConfigOrigin::Folder || !servers.iter().any(|server| server.enabled) {
            return Trust::NotNeeded;
        }
        let looked = TrustStore::of(environment).and_then(|store| store.look(&text.path, text.digest));
        looked.unwrap_or_else(|error| {
            let problem = ConfigProblem::new(ConfigProblemKind::Untrusted, &text.path, error.to_string());
            self.problems.push(problem);
            Trust::Missing
        })
    }
}

/// What is said of servers that wait for trust.
fn untrusted(text: &Text, trust: Trust, servers: &[String]) -> ConfigProblem {
    let why = match trust {
        Trust::Outdated => "the file has changed since it was trusted",
        _ => "nobody has trusted this file",
    };
    let servers = match servers {
        [one] => format!("the server {one} is"),
        more => format!("the servers {} are", more.join(", ")),
    };
    let message = format!("{servers} left out: {why}; `haft trust` shows what would be started, and asks");
    ConfigProblem::new(ConfigProblemKind::Untrusted, &text.path, message)
}

/// Whether the program is haft as a server, which would read this file and start itself again.
fn starts_haft(transport: &Transport) -> bool {
    let Transport::Stdio { command, args, .. } = transport else { return false };
    let program = command.rsplit(['/', '\\']).next().unwrap_or_default();
    let program = program.strip_suffix(".exe").unwrap_or(program);
    let has = |word: &str| args.iter().any(|argument| argument == word);
    program == "haft" && has("serve") && !has("--no-config")
}
