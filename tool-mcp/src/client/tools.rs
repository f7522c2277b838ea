//! The tools of all servers, as a registry takes them.

use std::{collections::HashMap, sync::Arc};

use serde_json::Value;
use tool_core::{
    Tool, ToolSpec,
    tool::{Concurrency, FnTool, InvalidTool, ToolName, ToolPolicy},
};

use super::{
    declared::{Declared, loosened},
    name::names,
    server::Server,
};

/// The set that all these tools are in.
pub(super) const SET: &str = "mcp";

/// The tools of all servers, at one moment.
#[derive(Default)]
pub(super) struct Offered {
    /// By name.
    pub(super) tools: Vec<OfferedTool>,
    /// What could not be made a tool, or only in part: the server and a line.
    pub(super) notes: Vec<(String, String)>,
}

/// A tool, and what it was made of.
#[derive(Clone)]
pub(super) struct OfferedTool {
    pub(super) server: String,
    pub(super) declared: Declared,
    pub(super) name: ToolName,
    pub(super) tool: Arc<dyn Tool>,
    note: Option<String>,
    refused_icons: usize,
}

impl Offered {
    /// Makes tools of what the servers declare now. What was a tool before stays the same tool.
    pub(super) fn of(servers: &[Arc<Server>], before: &Self) -> Self {
        let views: Vec<_> = servers.iter().map(|server| (server, server.view().declared)).collect();
        let declared: Vec<(&Arc<Server>, &Declared)> =
            views.iter().flat_map(|(server, declared)| declared.iter().map(|tool| (*server, tool))).collect();
        let names = names(declared.iter().map(|(server, tool)| (server.config.name.as_str(), tool.name.as_str())));
        let known: HashMap<&ToolName, &OfferedTool> = before.tools.iter().map(|tool| (&tool.name, tool)).collect();
        let mut offered = Self::default();
        for ((server, declared), name) in declared.into_iter().zip(names) {
            let name_of_server = &server.config.name;
            let same = known.get(&name).filter(|old| old.server == *name_of_server && old.declared == *declared);
            let made = match same {
                Some(old) => Ok((*old).clone()),
                None => make(server, declared, name),
            };
            match made {
                Ok(tool) => {
                    offered.notes.extend(tool.note.iter().map(|note| (name_of_server.clone(), note.clone())));
                    offered.tools.push(tool);
                }
                Err(note) => offered.notes.push((name_of_server.clone(), note)),
            }
        }
        offered.note_icons(servers);
        offered
    }

    /// Notes how many icons were left out of each server's tools: one line, for what is left out of a tool matters more.
    fn note_icons(&mut self, servers: &[Arc<Server>]) {
        for server in servers {
            let name = &server.config.name;
            let tools = self.tools.iter().filter(|tool| tool.server == *name);
            let refused: usize = tools.map(|tool| tool.refused_icons).sum();
            if refused > 0 {
                let why = "only `https:` addresses and `data:` URIs are taken";
                self.notes.push((name.clone(), format!("icons were left out of its tools ({refused}): {why}")));
            }
        }
    }
}

fn make(server: &Arc<Server>, declared: &Declared, name: ToolName) -> Result<OfferedTool, String> {
    let trust = server.config.trust;
    let spec = declared.spec(name.clone(), trust);
    let refused_icons = declared.refused_icons(&spec);
    let runs_unasked = trust && spec.annotations.read_only;
    let is_parallel = runs_unasked || server.config.parallel;
    let policy = ToolPolicy {
        concurrency: if is_parallel { Concurrency::Parallel } else { Concurrency::Exclusive },
        permission: (!runs_unasked).then(|| name.to_string().into()),
        sets: [SET].into_iter().collect(),
        tags: [server.config.name.as_str()].into_iter().collect(),
        ..ToolPolicy::default()
    };
    let mut notes = Vec::new();
    let mut made = callable(server, declared, spec.clone());
    let mut spec = spec;
    // At most one for each of the two schemas.
    while let Err(fault) = &made {
        let Some((looser, note)) = loosened(spec.clone(), fault).filter(|_| notes.len() < 2) else {
            return Err(format!("the tool `{}` was left out: {fault}", declared.name));
        };
        notes.push(note);
        made = callable(server, declared, looser.clone());
        spec = looser;
    }
    let tool = made.map_err(|fault| fault.to_string())?.policy(policy);
    let note = (!notes.is_empty()).then(|| format!("of the tool `{}`: {}", declared.name, notes.join("; ")));
    let (server, declared) = (server.config.name.clone(), declared.clone());
    Ok(OfferedTool { server, declared, name, tool: Arc::new(tool), note, refused_icons })
}

fn callable(server: &Arc<Server>, declared: &Declared, spec: ToolSpec) -> Result<FnTool, InvalidTool> {
    let (server, tool): (_, Arc<str>) = (server.clone(), declared.name.as_str().into());
    FnTool::declared(spec, move |arguments: Value, ctx| {
        let (server, tool) = (server.clone(), tool.clone());
        async move { server.call(&tool, arguments, &ctx).await }
    })
}
