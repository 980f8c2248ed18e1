//! What is kept of one session.

use std::{
    collections::{BTreeMap, VecDeque},
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use rmcp::{
    ErrorData,
    model::{RequestId, ServerJsonRpcMessage},
    transport::streamable_http_server::session::ServerSseMessage,
};
use tokio::time::Instant;

use super::{
    EventName, Source,
    room::{AGE, EVENTS, OF_SESSION, Room, SHORT, STREAMS},
    said::Said,
};

/// What is kept of one session.
pub(in super::super) struct Kept {
    streams: Arc<Mutex<Streams>>,
    room: Arc<Room>,
}

#[derive(Default)]
pub(super) struct Streams {
    /// By their numbers, which is in the order in which they began.
    all: BTreeMap<u64, Sent>,
    bytes: usize,
}

/// One stream.
struct Sent {
    /// What it is read from; none once it is over.
    source: Option<Source>,
    events: VecDeque<Event>,
    /// How many events it has had.
    count: u64,
    /// Which of its readers reads now: a client that comes back takes the place of the one that it was before.
    reader: u64,
    /// Whether that one is a client.
    is_read: bool,
    waker: Option<Waker>,
    /// When it ended.
    over: Option<Instant>,
    /// Whether it ended without a client that read it to its end.
    is_missed: bool,
}

impl Sent {
    /// Whether it can be forgotten for another.
    fn has_ended(&self) -> bool {
        self.over.is_some() && !self.is_read
    }

    fn bytes(&self) -> usize {
        self.events.iter().map(|event| event.said.bytes()).sum()
    }
}

struct Event {
    index: u64,
    said: Said,
}

/// How far one reader of a stream is.
#[derive(Debug)]
pub(super) struct Place {
    stream: u64,
    reader: u64,
    /// The first event that it does not have; none where it wants none and has all kept that come.
    next: Option<u64>,
}

impl Kept {
    pub(in super::super) fn new(room: Arc<Room>) -> Self {
        let streams = Arc::default();
        room.enter(&streams);
        Self { streams, room }
    }

    /// Whether so many streams go on whose clients have gone that there is to be no other.
    pub(in super::super) fn is_full(&self) -> bool {
        self.streams().all.values().filter(|sent| sent.over.is_none() && !sent.is_read).count() >= STREAMS
    }

    /// Keeps a stream from its first event on.
    pub(super) fn begin(&self, name: EventName, event: &ServerSseMessage, source: Source) -> Place {
        let mut streams = self.streams();
        let sent = Sent {
            source: Some(source),
            events: VecDeque::new(),
            count: 0,
            reader: 0,
            is_read: true,
            waker: None,
            over: None,
            is_missed: false,
        };
        streams.all.insert(name.stream, sent);
        streams.keep((name.stream, name.index), event, &self.room);
        Place { stream: name.stream, reader: 0, next: Some(name.index + 1) }
    }

    /// A reader of what came after an event; none where no event of that name was ever sent, or its stream is not kept.
    pub(super) fn after(&self, name: EventName) -> Option<Place> {
        let mut streams = self.streams();
        streams.forget_old(&self.room);
        let sent = streams.all.get_mut(&name.stream).filter(|sent| name.index < sent.count)?;
        sent.reader += 1;
        sent.is_read = true;
        // Whoever read it before is at its end.
        let before = sent.waker.take();
        let place = Place { stream: name.stream, reader: sent.reader, next: Some(name.index + 1) };
        drop(streams);
        before.into_iter().for_each(Waker::wake);
        Some(place)
    }

    /// The client has gone. Whether there is more to come, which is to be read in its place.
    pub(super) fn leave(&self, place: &mut Place) -> bool {
        let mut streams = self.streams();
        place.next = None;
        let sent = streams.all.get_mut(&place.stream).filter(|sent| sent.reader == place.reader);
        sent.is_some_and(|sent| {
            sent.is_read = false;
            sent.source.is_some()
        })
    }

    /// The next event for a reader; none where there is no other, or another reader has taken its place.
    pub(super) fn poll_next(
        &self,
        place: &mut Place,
        context: &mut Context<'_>,
    ) -> Poll<Option<ServerSseMessage>> {
        let mut streams = self.streams();
        let sent = streams.all.get_mut(&place.stream).filter(|sent| sent.reader == place.reader);
        let Some(sent) = sent else { return Poll::Ready(None) };
        if let Some(next) = &mut place.next
            && let Some(kept) = sent.events.iter().find(|kept| kept.index >= *next)
        {
            *next = kept.index + 1;
            let said = kept.said.clone();
            drop(streams);
            return Poll::Ready(Some(said.event()));
        }
        let polled = match &mut sent.source {
            Some(source) => source.as_mut().poll_next(context),
            None => Poll::Ready(None),
        };
        match polled {
            Poll::Pending => {
                sent.waker = Some(context.waker().clone());
                Poll::Pending
            }
            Poll::Ready(None) => {
                sent.source = None;
                sent.is_read = false;
                sent.is_missed = place.next.is_none();
                sent.over.get_or_insert_with(Instant::now);
                Poll::Ready(None)
            }
            Poll::Ready(Some(event)) => {
                let index = EventName::of(&event).map_or(sent.count, |name| name.index);
                place.next = place.next.map(|_| index + 1);
                streams.keep((place.stream, index), &event, &self.room);
                Poll::Ready(Some(event))
            }
        }
    }

    fn streams(&self) -> MutexGuard<'_, Streams> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        // Nothing is left for whoever looks through all sessions just now.
        let streams = mem::take(&mut *self.streams());
        self.room.give_back(streams.bytes);
    }
}

impl Streams {
    /// Keeps an event of a stream, where there is room; of an answer at least that there was one.
    fn keep(&mut self, (stream, index): (u64, u64), event: &ServerSseMessage, room: &Room) {
        let answered = answered(event);
        let said = Said::of(event).filter(|said| {
            self.make_room(stream, said.bytes(), room)
                || (answered.is_some() && self.take_for_an_answer(said.bytes(), room))
        });
        let Some(sent) = self.all.get_mut(&stream) else { return };
        sent.count = index + 1;
        let said = said.or_else(|| {
            let mut told = ServerSseMessage::from_message(too_long(answered?));
            told.event_id.clone_from(&event.event_id);
            // Nothing else has to go for so little.
            Said::of(&told).filter(|told| {
                self.take_for_an_answer(told.bytes(), room) || self.make_room(stream, told.bytes(), room)
            })
        });
        if let (Some(said), Some(sent)) = (said, self.all.get_mut(&stream)) {
            sent.events.push_back(Event { index, said });
        }
    }

    /// Takes room for an event of a stream; what has ended goes for it first, then what the stream has had before.
    fn make_room(&mut self, stream: u64, bytes: usize, room: &Room) -> bool {
        self.forget_old(room);
        while self.all.len() > STREAMS && self.forget_ended(room) {}
        if self.all.get(&stream).is_some_and(|sent| sent.events.len() >= EVENTS) {
            self.forget_first(stream, room);
        }
        if bytes > OF_SESSION {
            return false;
        }
        loop {
            if self.bytes + bytes <= OF_SESSION && room.take(bytes) {
                self.bytes += bytes;
                return true;
            }
            // What would not make room enough is not forgotten for nothing.
            let can = self.can_make_room(stream, bytes, room)
                || (room.forget_old() && self.can_make_room(stream, bytes, room));
            if !can {
                return false;
            }
            if !self.forget_ended(room) && !self.forget_first(stream, room) {
                return false;
            }
        }
    }

    /// Takes room for an answer where there is none: there is one of each stream, and a short one is always kept.
    fn take_for_an_answer(&mut self, bytes: usize, room: &Room) -> bool {
        let is_short = bytes <= SHORT;
        if is_short {
            self.bytes += bytes;
            room.take_always(bytes);
        }
        is_short
    }

    /// Whether there is room for an event of a stream, once all is forgotten that can be.
    fn can_make_room(&self, stream: u64, bytes: usize, room: &Room) -> bool {
        let own = self.all.iter().filter(|(number, sent)| **number == stream || sent.has_ended());
        let own: usize = own.map(|(_, sent)| sent.bytes()).sum();
        self.bytes.saturating_sub(own) + bytes <= OF_SESSION && room.free() + own >= bytes
    }

    /// Forgets the streams that ended long ago.
    pub(super) fn forget_old(&mut self, room: &Room) {
        let is_old = |sent: &Sent| sent.has_ended() && sent.over.is_some_and(|over| over.elapsed() > AGE);
        let old: Vec<u64> =
            self.all.iter().filter(|(_, sent)| is_old(sent)).map(|(number, _)| *number).collect();
        for number in old {
            self.forget(number, room);
        }
    }

    /// Forgets the stream that ended first and is not being read; whether there was one. A client comes back for what it
    /// missed, so that is kept as long as there is one that was read to its end.
    fn forget_ended(&mut self, room: &Room) -> bool {
        let ended = self.all.iter().filter(|(_, sent)| sent.has_ended());
        let first = ended.min_by_key(|(_, sent)| (sent.is_missed, sent.over));
        let Some(number) = first.map(|(number, _)| *number) else { return false };
        self.forget(number, room);
        true
    }

    fn forget(&mut self, number: u64, room: &Room) {
        let bytes = self.all.remove(&number).map_or(0, |sent| sent.bytes());
        self.give_back(bytes, room);
    }

    /// Forgets the first event of a stream; whether there was one.
    fn forget_first(&mut self, stream: u64, room: &Room) -> bool {
        let first = self.all.get_mut(&stream).and_then(|sent| sent.events.pop_front());
        let Some(event) = first else { return false };
        self.give_back(event.said.bytes(), room);
        true
    }

    fn give_back(&mut self, bytes: usize, room: &Room) {
        self.bytes = self.bytes.saturating_sub(bytes);
        room.give_back(bytes);
    }
}

/// The request that an event is the answer to.
fn answered(event: &ServerSseMessage) -> Option<RequestId> {
    match event.message.as_deref()? {
        ServerJsonRpcMessage::Response(response) => Some(response.id.clone()),
        ServerJsonRpcMessage::Error(error) => error.id.clone(),
        _ => None,
    }
}

fn too_long(id: RequestId) -> ServerJsonRpcMessage {
    let why = "the request was answered, and the answer, which did not arrive, is too long to be kept, or there was no room for it";
    ServerJsonRpcMessage::error(ErrorData::internal_error(why, None), Some(id))
}
