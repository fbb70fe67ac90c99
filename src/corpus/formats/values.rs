//! What the members of bibliographic JSON hold, as text: strings, numbers, lists, dates in parts.

use serde_json::Value;

/// The text of a value that can be one: a string, a number, or the first of a list. Empty for what has none.
pub(super) fn text(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.split_whitespace().collect::<Vec<_>>().join(" "),
        Some(Value::Number(number)) => number.to_string(),
        Some(Value::Array(items)) => text(items.first()),
        _ => String::new(),
    }
}

/// The texts of a value: those of a list, or the one.
pub(super) fn texts(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::Array(items)) => {
            items.iter().map(|item| text(Some(item))).filter(|text| !text.is_empty()).collect()
        }
        other => Some(text(other)).filter(|text| !text.is_empty()).into_iter().collect(),
    }
}

/// `{"date-parts": [[2016, 3, 5]]}` as ISO writes it; whatever else a date may be, as it is.
pub(super) fn date(value: Option<&Value>) -> String {
    let Some(value) = value else { return String::new() };
    if let Some(parts) = value.get("date-parts").and_then(|parts| parts.get(0)).and_then(Value::as_array) {
        let part = |n: usize| text(parts.get(n));
        if let Some(date) = super::dates::iso(&part(0), &part(1), &part(2)) {
            return date;
        }
        return part(0);
    }
    let free = ["raw", "literal", "date-time"].iter().map(|name| text(value.get(name))).find(|text| !text.is_empty());
    free.unwrap_or_else(|| text(Some(value)))
}
