//! Ids of requests that the protocol's library can not hold: they are answered as they were written.

use rmcp::model::RequestId;
use serde_json::value::RawValue;

/// What a stand-in begins with; behind it is the id as JSON.
const MARK: &str = "\u{1}haft:";

/// The id, or a stand-in for a number beyond 64 bits or one that is written as a fraction; none where it is neither text
/// nor a number.
pub(super) fn read(id: &RawValue) -> Option<RequestId> {
    let text = id.get();
    if text.starts_with('"') {
        let id = serde_json::from_str::<String>(text).ok()?;
        return Some(if id.starts_with(MARK) { stand_in(text) } else { RequestId::String(id.into()) });
    }
    if let Ok(number) = text.parse::<i64>()
        && number.to_string() == text
    {
        return Some(RequestId::Number(number));
    }
    text.starts_with(|first: char| first.is_ascii_digit() || first == '-').then(|| stand_in(text))
}

/// The id of a request that is taken up once more, whose answer the client has; no id that `read` gives.
pub(super) fn answered_already() -> RequestId {
    RequestId::String(MARK.into())
}

pub(super) fn is_answered_already(id: &RequestId) -> bool {
    matches!(id, RequestId::String(text) if &**text == MARK)
}

fn stand_in(text: &str) -> RequestId {
    RequestId::String(format!("{MARK}{text}").into())
}

/// The id as it was written, where the one given stands in for it.
pub(super) fn restore(id: &RequestId) -> Option<&str> {
    match id {
        RequestId::String(text) => text.strip_prefix(MARK),
        RequestId::Number(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_comes_back_as_it_was_written() {
        let texts = [
            "0",
            "-1",
            "9223372036854775807",
            r#""a-1""#,
            r#""""#,
            "18446744073709551615",
            "1.0",
            "1e2",
            "-0",
            r#""\u0001haft:1,\"x\":2""#,
        ];
        for text in texts {
            let raw = RawValue::from_string(text.to_owned()).expect("JSON");
            let id = read(&raw).expect(text);
            let written = restore(&id).map(str::to_owned);
            let written = written.unwrap_or_else(|| serde_json::to_string(&id).expect("an id"));
            assert_eq!(written, text);
        }
        for text in ["true", "{}", "[1]"] {
            assert_eq!(read(&RawValue::from_string(text.to_owned()).expect("JSON")), None, "{text}");
        }
    }
}
