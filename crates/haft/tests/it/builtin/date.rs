//! Weekdays and the current date, with exact reasons for what is no date and no zone.

use haft::builtin::{DateError, date_and_time, weekday_name};

/// 2026-11-30T01:02:03.999Z.
const NOW: i64 = 1_796_000_523_999;

#[test]
fn weekdays() {
    let table = [
        ("2024-02-29", "Thursday"),
        ("2000-01-01", "Saturday"),
        ("1970-01-01", "Thursday"),
        ("2026-11-30", "Monday"),
        ("1582-10-15", "Friday"),
        ("0001-01-01", "Monday"),
        ("9999-12-31", "Friday"),
        (" 2024-02-29\n", "Thursday"),
        ("2024-01-01", "Monday"),
        ("2024-01-01T00:00:00", "Monday"),
        ("2024-01-01T00:00:00Z", "Monday"),
        ("2024-01-01 09:30", "Monday"),
        // The date as written counts: in UTC these are Tuesday and Sunday.
        ("2024-01-01T23:30:00-08:00", "Monday"),
        ("2024-01-01T00:30:00.5+02:00[Europe/Helsinki]", "Monday"),
    ];
    for (date, expected) in table {
        assert_eq!(weekday_name(date).as_deref(), Ok(expected), "{date}");
    }
}

#[test]
fn every_day_of_two_leap_cycles_follows_the_day_before() {
    let names = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
    let mut expected = names.iter().cycle();
    for year in 1_900..2_300 {
        for month in 1..=12 {
            let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let days = match month {
                2 => 28 + i32::from(leap),
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            for day in 1..=days {
                let date = format!("{year}-{month:02}-{day:02}");
                assert_eq!(weekday_name(&date).as_deref(), Ok(*expected.next().unwrap()), "{date}");
            }
            let error = weekday_name(&format!("{year}-{month:02}-{}", days + 1)).unwrap_err();
            assert!(matches!(error, DateError::NoSuchDay { .. }), "{error}");
        }
    }
}

#[test]
fn texts_that_are_no_date() {
    let table = [
        ("2023-02-29", "there is no day 29: February 2023 has 28 days"),
        ("2024-04-31", "there is no day 31: April 2024 has 30 days"),
        ("2024-01-00", "there is no day 00: January 2024 has 31 days"),
        ("2024-13-01", "there is no month 13: months are 01 to 12"),
        ("2024-00-10", "there is no month 00: months are 01 to 12"),
        ("", "expected an ISO date, YYYY-MM-DD as in 2024-02-29, found ``"),
        ("29.02.2024", "expected an ISO date, YYYY-MM-DD as in 2024-02-29, found `29.02.2024`"),
        ("2024-2-9", "expected an ISO date, YYYY-MM-DD as in 2024-02-29, found `2024-2-9`"),
        ("2024-01-011", "expected an ISO date, YYYY-MM-DD as in 2024-02-29, found `2024-01-011`"),
        ("tomorrow\u{7}", "expected an ISO date, YYYY-MM-DD as in 2024-02-29, found `tomorrow\\u{7}`"),
        (
            "2024-01-01T25:00:00Z",
            "the date is right, but `T25:00:00Z` after it is not an ISO time as in T09:30:00+01:00: correct it or \
             leave it out",
        ),
    ];
    for (text, expected) in table {
        let error = weekday_name(text).unwrap_err();
        assert_eq!(error.to_string(), expected, "{text}");
        assert!(error.is_input());
    }
    let long = weekday_name(&"ä".repeat(100_000)).unwrap_err().to_string();
    assert!(long.len() < 200, "{long}");
}

#[test]
fn now_names_utc_local_time_zone_and_weekday() {
    let table = [
        (NOW, None, ["2026-11-30T01:02:03Z", "2026-11-30T01:02:03+00:00", "UTC", "Monday"]),
        (
            NOW,
            Some("Europe/Berlin"),
            ["2026-11-30T01:02:03Z", "2026-11-30T02:02:03+01:00", "Europe/Berlin", "Monday"],
        ),
        (
            NOW,
            Some("america/los_angeles"),
            ["2026-11-30T01:02:03Z", "2026-11-29T17:02:03-08:00", "America/Los_Angeles", "Sunday"],
        ),
        (
            NOW,
            Some("Asia/Kathmandu"),
            ["2026-11-30T01:02:03Z", "2026-11-30T06:47:03+05:45", "Asia/Kathmandu", "Monday"],
        ),
        (NOW, Some("utc"), ["2026-11-30T01:02:03Z", "2026-11-30T01:02:03+00:00", "UTC", "Monday"]),
        // One second to either side of a change to summer time.
        (
            1_711_846_799_000,
            Some("Europe/Berlin"),
            ["2024-03-31T00:59:59Z", "2024-03-31T01:59:59+01:00", "Europe/Berlin", "Sunday"],
        ),
        (
            1_711_846_800_000,
            Some("Europe/Berlin"),
            ["2024-03-31T01:00:00Z", "2024-03-31T03:00:00+02:00", "Europe/Berlin", "Sunday"],
        ),
        (-1, None, ["1969-12-31T23:59:59Z", "1969-12-31T23:59:59+00:00", "UTC", "Wednesday"]),
    ];
    for (now, zone, [utc, local, name, weekday]) in table {
        let expected = format!("utc\t{utc}\nlocal\t{local}\nzone\t{name}\nweekday\t{weekday}");
        assert_eq!(date_and_time(now, zone), Ok(expected), "{zone:?}");
    }
}

#[test]
fn an_unknown_zone_is_told_the_most_similar_names() {
    for (written, wanted) in [
        ("Berlin", "Europe/Berlin"),
        ("Europe/Berln", "Europe/Berlin"),
        ("America/NewYork", "America/New_York"),
        ("new york", "America/New_York"),
        ("Asia/Calcuta", "Asia/Calcutta"),
    ] {
        match date_and_time(NOW, Some(written)) {
            Err(error @ DateError::UnknownZone { .. }) => {
                let message = error.to_string();
                assert!(message.contains(&format!("the most similar names: {wanted}")), "{message}");
                assert!(error.is_input());
            }
            other => panic!("{written}: {other:?}"),
        }
    }
    for written in ["", "+02:00", "Etc/Unknown", "../../etc/passwd", "\u{1b}[2J"] {
        let error = date_and_time(NOW, Some(written)).unwrap_err();
        assert!(matches!(error, DateError::UnknownZone { .. }), "{written}");
        assert!(!error.to_string().contains(char::is_control), "{error}");
    }
}

#[test]
fn a_clock_out_of_range_is_no_fault_of_the_arguments() {
    for now in [i64::MIN, i64::MAX] {
        let error = date_and_time(now, None).unwrap_err();
        assert_eq!(error, DateError::ClockOutOfRange { milliseconds: now });
        assert!(!error.is_input());
    }
}
