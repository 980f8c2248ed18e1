//! What is kept is bounded in every way.

use std::{
    collections::VecDeque,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Waker},
    time::Duration,
};

use futures_core::Stream;
use rmcp::{
    ErrorData,
    model::{RequestId, ServerJsonRpcMessage},
    transport::streamable_http_server::session::ServerSseMessage,
};

use serde_json::json;

use super::{
    EventName, Kept, Reader, Room,
    room::{AGE, EVENTS, OF_SESSION, STREAMS},
};

/// A stream of events that are there already, which ends or waits behind them.
struct Given(VecDeque<ServerSseMessage>, bool);

impl Stream for Given {
    type Item = ServerSseMessage;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<ServerSseMessage>> {
        match (self.0.pop_front(), self.1) {
            (None, false) => Poll::Pending,
            (event, _) => Poll::Ready(event),
        }
    }
}

/// A stream of events that are still to come.
struct Later(tokio::sync::mpsc::UnboundedReceiver<ServerSseMessage>);

impl Stream for Later {
    type Item = ServerSseMessage;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<ServerSseMessage>> {
        self.0.poll_recv(context)
    }
}

/// A stream: one event of each of these sizes, behind one that only gives a name.
fn stream(number: u64, sizes: &[usize], ends: bool) -> Given {
    let first = ServerSseMessage::priming(format!("0/{number}"), Duration::from_secs(3));
    let others = sizes.iter().enumerate().map(|(index, size)| {
        let error = ErrorData::internal_error("x".repeat(*size), None);
        let message = ServerJsonRpcMessage::error(error, Some(RequestId::Number(7)));
        ServerSseMessage::new(format!("{}/{number}", index + 1), message)
    });
    Given(std::iter::once(first).chain(others).collect(), ends)
}

/// The names of the events that a reader gets now, and how long each is.
fn read(reader: &mut Reader) -> Vec<(String, usize)> {
    let mut context = Context::from_waker(Waker::noop());
    let mut read = Vec::new();
    while let Poll::Ready(Some(event)) = Pin::new(&mut *reader).poll_next(&mut context) {
        let length = event.message.map_or(0, |message| serde_json::to_string(&message).unwrap().len());
        read.push((event.event_id.unwrap_or_default(), length));
    }
    read
}

/// Reads a stream to where it is now.
fn sent(kept: &Arc<Kept>, source: Given) -> Vec<(String, usize)> {
    read(&mut Reader::new(Arc::clone(kept), source))
}

/// The same, whatever comes.
fn pass(kept: &Arc<Kept>, source: Given) {
    let mut reader = Reader::new(Arc::clone(kept), source);
    let mut context = Context::from_waker(Waker::noop());
    while let Poll::Ready(Some(_)) = Pin::new(&mut reader).poll_next(&mut context) {}
}

/// What is kept behind the first event of a stream; none where nothing is known of it.
fn missed(kept: &Arc<Kept>, stream: u64) -> Option<Vec<(String, usize)>> {
    let name = EventName::parse(&format!("0/{stream}")).expect("a name");
    Reader::after(Arc::clone(kept), name).map(|mut reader| read(&mut reader))
}

fn kept(room: &Arc<Room>) -> Arc<Kept> {
    Arc::new(Kept::new(Arc::clone(room)))
}

#[tokio::test]
async fn of_many_events_the_last_are_kept() {
    let kept = kept(&Arc::default());
    assert_eq!(sent(&kept, stream(1, &[10; 1_000], true)).len(), 1_001, "who reads gets all of them");
    let missed = missed(&kept, 1).expect("the stream");
    assert_eq!((missed.len(), missed.last().map(|event| event.0.as_str())), (EVENTS, Some("1000/1")));
}

#[tokio::test]
async fn of_many_streams_the_last_are_kept() {
    let kept = kept(&Arc::default());
    for number in 0..1_000 {
        sent(&kept, stream(number, &[10], true));
    }
    let known: Vec<u64> = (0..1_000).filter(|number| missed(&kept, *number).is_some()).collect();
    assert_eq!(known, ((1_000 - STREAMS as u64)..1_000).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn what_a_client_missed_last_is_forgotten_last_whenever_it_began() {
    let kept = kept(&Arc::default());
    // Two calls that lose their clients, and go on.
    for number in [0, 1] {
        let (sender, source) = tokio::sync::mpsc::unbounded_channel();
        let mut given = stream(number, &[10], false);
        sender.send(given.0.pop_front().unwrap()).unwrap();
        let mut reader = Reader::new(Arc::clone(&kept), Later(source));
        assert_eq!(read(&mut reader).len(), 1);
        drop(reader);
        // Others come and go meanwhile, and behind it.
        let others = |from: u64| {
            for number in from..from + 300 {
                sent(&kept, stream(number, &[10], true));
            }
        };
        others(1_000 * (number + 1));
        sender.send(given.0.pop_front().unwrap()).unwrap();
        drop(sender);
        tokio::time::sleep(Duration::from_millis(1)).await;
        others(1_000 * (number + 1) + 500);
    }
    assert_eq!(missed(&kept, 0).map(|missed| missed.len()), Some(1));
    // Where all were missed, it is the one that ended first that goes. The first was read by now.
    let missed_by_all = |number: u64| {
        let mut reader = Reader::new(Arc::clone(&kept), stream(number, &[10], true));
        let mut context = Context::from_waker(Waker::noop());
        assert!(Pin::new(&mut reader).poll_next(&mut context).is_ready());
    };
    for number in 0..STREAMS as u64 {
        missed_by_all(10_000 + number);
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert_eq!((missed(&kept, 0), missed(&kept, 1)), (None, None));
    assert_eq!(missed(&kept, 10_000).map(|missed| missed.len()), Some(1));
}

#[tokio::test]
async fn of_long_events_so_many_are_kept_as_there_is_room_for() {
    let room = Arc::default();
    let kept = kept(&room);
    for number in 0..20 {
        sent(&kept, stream(number, &[OF_SESSION / 4], true));
        assert!(room.taken() <= OF_SESSION, "{number}: {}", room.taken());
    }
    let known: Vec<u64> = (0..20).filter(|number| missed(&kept, *number).is_some()).collect();
    assert_eq!(known, [17, 18, 19]);
    // A stream that goes on gives up what it has had.
    let events = sent(&kept, stream(20, &[OF_SESSION / 3; 9], true));
    assert_eq!(events.len(), 10, "who reads gets all of them");
    assert!(room.taken() <= OF_SESSION);
    let names: Vec<String> =
        missed(&kept, 20).expect("the stream").into_iter().map(|event| event.0).collect();
    assert_eq!(names, ["8/20", "9/20"]);
    drop(kept);
    assert_eq!(room.taken(), 0, "what is kept goes with its session");
}

#[tokio::test]
async fn of_an_answer_that_is_too_long_something_is_said() {
    let kept = kept(&Arc::default());
    let whole = sent(&kept, stream(1, &[OF_SESSION], true));
    assert!(whole[1].1 > OF_SESSION, "who reads gets it whole");
    let missed = missed(&kept, 1).expect("the stream");
    assert!(missed.len() == 1 && missed[0].0 == "1/1" && missed[0].1 < 300, "{missed:?}");
}

#[tokio::test]
async fn all_sessions_together_have_so_much_room() {
    let room = Arc::default();
    let sessions: Vec<Arc<Kept>> = (0..40).map(|_| kept(&room)).collect();
    for session in &sessions {
        sent(session, stream(0, &[OF_SESSION / 2], true));
    }
    let is_whole = |session: &&Arc<Kept>| {
        missed(session, 0).is_some_and(|missed| missed.iter().any(|event| event.1 > OF_SESSION / 2))
    };
    let whole = sessions.iter().filter(is_whole).count();
    assert!((30..=32).contains(&whole), "{whole}");
    assert!(room.taken() <= 64 << 20, "{}", room.taken());
    drop(sessions);
    assert_eq!(room.taken(), 0);
}

/// Sessions that have taken all the room there is, to the last few bytes.
fn crowd(room: &Arc<Room>) -> Vec<Arc<Kept>> {
    let crowd: Vec<Arc<Kept>> = (0..18).map(|_| kept(room)).collect();
    let (last, others) = crowd.split_last().expect("sessions");
    for number in 0..40 {
        for session in others {
            pass(session, stream(number, &[100_000], true));
        }
    }
    for number in 0..120 {
        let size = if number < 100 { 1_100 } else { 1 };
        sent(last, stream(number, &[size], true));
    }
    crowd
}

#[tokio::test(start_paused = true)]
async fn where_others_have_all_the_room_nothing_is_forgotten_in_vain_and_every_answer_is_told_of() {
    let room = Arc::default();
    let session = kept(&room);
    for number in 0..3 {
        sent(&session, stream(number, &[20_000], true));
    }
    let crowd = crowd(&room);
    assert!(room.taken() > (64 << 20) - 250, "{}", room.taken());
    sent(&session, stream(7, &[OF_SESSION / 2], true));
    let told = missed(&session, 7).expect("the stream");
    assert!(told.len() == 1 && told[0].1 < 300, "{told:?}");
    // The first has made room for the beginning of it.
    for number in 1..3 {
        assert_eq!(missed(&session, number).map(|missed| missed.len()), Some(1), "{number}");
    }
    // Nor is one left without an answer that has nothing to give up.
    let newcomer = kept(&room);
    for size in [100, OF_SESSION / 2, 2 * OF_SESSION] {
        sent(&newcomer, stream(size as u64, &[size], true));
        let told = missed(&newcomer, size as u64).expect("the stream");
        assert!(told.len() == 1 && told[0].1 < 300, "{size}: {told:?}");
    }
    drop((session, newcomer, crowd));
    assert_eq!(room.taken(), 0);
}

#[tokio::test(start_paused = true)]
async fn what_ended_long_ago_makes_room_for_other_sessions() {
    let room = Arc::default();
    let crowd = crowd(&room);
    let session = kept(&room);
    sent(&session, stream(1, &[OF_SESSION / 2], true));
    assert!(missed(&session, 1).expect("the stream")[0].1 < 300);
    tokio::time::advance(AGE + Duration::from_secs(1)).await;
    // Those that have it say nothing any more.
    sent(&session, stream(2, &[OF_SESSION / 2], true));
    assert!(missed(&session, 2).expect("the stream")[0].1 > OF_SESSION / 2);
    drop((session, crowd));
    assert_eq!(room.taken(), 0);
}

#[tokio::test(start_paused = true)]
async fn what_ended_long_ago_is_forgotten_and_what_goes_on_is_not() {
    let room = Arc::default();
    let kept = kept(&room);
    sent(&kept, stream(1, &[10], true));
    sent(&kept, stream(2, &[10], false));
    tokio::time::advance(AGE).await;
    assert_eq!(missed(&kept, 1).map(|missed| missed.len()), Some(1));
    tokio::time::advance(Duration::from_secs(1)).await;
    assert_eq!(missed(&kept, 1), None);
    assert_eq!(missed(&kept, 2).map(|missed| missed.len()), Some(1));
}

#[tokio::test]
async fn what_is_kept_is_text_and_says_what_was_said() {
    let messages = [
        json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 7, "progress": 0.1}}),
        json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": [1, null]}}),
        json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}),
        json!({"jsonrpc": "2.0", "id": "ask", "method": "elicitation/create", "params": {
            "message": "Who?", "requestedSchema": {"type": "object", "properties": {}}}}),
        json!({"jsonrpc": "2.0", "id": 1, "result": {}}),
        json!({"jsonrpc": "2.0", "id": 2, "result": {
            "content": [{"type": "text", "text": "ü\n", "_meta": {"a": 1}}], "structuredContent": {"list": vec![0; 1_000]},
            "isError": false, "_meta": {"b": [1e-7, 18_446_744_073_709_551_615_u64, -1]}}}),
        json!({"jsonrpc": "2.0", "id": 3, "error": {"code": -32_602, "message": "no", "data": {"code": 2_201}}}),
    ];
    let kept = kept(&Arc::default());
    let messages =
        messages.map(|message| Arc::new(serde_json::from_value::<ServerJsonRpcMessage>(message).unwrap()));
    let mut source = stream(1, &[], true);
    for (index, message) in messages.iter().enumerate() {
        let mut event = ServerSseMessage::default();
        event.event_id = Some(format!("{}/1", index + 1));
        event.message = Some(Arc::clone(message));
        source.0.push_back(event);
    }
    sent(&kept, source);
    let name = EventName::parse("0/1").expect("a name");
    let mut reader = Reader::after(Arc::clone(&kept), name).expect("the stream");
    let mut context = Context::from_waker(Waker::noop());
    for (index, message) in messages.into_iter().enumerate() {
        let Poll::Ready(Some(event)) = Pin::new(&mut reader).poll_next(&mut context) else {
            panic!("no event {index}");
        };
        assert_eq!(event.event_id, Some(format!("{}/1", index + 1)));
        assert_eq!(json!(event.message.expect("a message")), json!(message));
        assert_eq!(Arc::strong_count(&message), 1, "it is not kept as it was");
    }
}

#[tokio::test]
async fn without_a_name_a_stream_is_read_and_not_kept() {
    let room = Arc::default();
    let kept = kept(&room);
    let message = ServerJsonRpcMessage::error(ErrorData::internal_error("x", None), None);
    let source = Given([ServerSseMessage::from_message(message)].into(), true);
    assert_eq!(sent(&kept, source).len(), 1);
    assert_eq!(room.taken(), 0);
}
