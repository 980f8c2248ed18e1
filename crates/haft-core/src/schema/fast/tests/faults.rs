//! Tests of the test: plans with a fault accept what they should not, and the comparison notices.

use super::super::node::{Checks, Kinds, NodeId, Unlisted};
use super::random::Random;
use super::roads::Both;
use super::{instances, schemas};

/// What a faulty plan would not heed, and how it comes not to.
type Fault = (&'static str, fn(&mut Checks));

const FAULTS: [Fault; 6] = [
    ("bounds of numbers", |checks| checks.nodes.iter_mut().for_each(|node| node.number = None)),
    ("lengths and patterns", |checks| checks.nodes.iter_mut().for_each(|node| node.text = None)),
    ("required members", |checks| {
        for object in checks.nodes.iter_mut().filter_map(|node| node.object.as_mut()) {
            object.required = 0;
        }
    }),
    ("closed objects", |checks| {
        for object in checks.nodes.iter_mut().filter_map(|node| node.object.as_mut()) {
            object.unlisted = Unlisted::Silent;
            object.others = NodeId::ANY;
        }
    }),
    ("whole floats", |checks| {
        for node in checks.nodes.iter_mut().filter(|node| node.kinds.meets(Kinds::INTEGER)) {
            node.kinds = node.kinds | Kinds::NUMBER;
        }
    }),
    ("one of several", |checks| {
        for union in checks.nodes.iter_mut().filter_map(|node| node.union.as_mut()) {
            union.exactly = false;
        }
    }),
];

#[test]
fn planted_faults_are_found() {
    for (name, plant) in FAULTS {
        let mut random = Random(2);
        let found = (0..4_000).any(|_| {
            let local = random.one_in(2);
            let Some(mut both) = Both::of(schemas::schema(&mut random), local) else { return false };
            let Some(checks) = both.checks.as_mut() else { return false };
            plant(checks);
            (0..20).any(|_| {
                let text = instances::text(&mut random, &both.schema);
                both.difference(&text).is_some()
            })
        });
        assert!(found, "the fault in {name} was not found");
    }
}
