//! The grid of an experiment: every combination of its variants and of the values of its sweep.

use toml::{Table, Value};

use super::spec::{Settings, Spec};

/// One point of the grid.
#[derive(Clone, Debug)]
pub struct Point {
    /// The value of each axis, by its column's name, in the order of the columns.
    pub axes: Vec<(String, String)>,
    /// The settings with these values put in.
    pub settings: Settings,
}

impl Point {
    /// The point in words, for messages.
    pub fn describe(&self) -> String {
        match self.axes.is_empty() {
            true => "the only point".to_owned(),
            false => self.axes.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", "),
        }
    }
}

impl Spec {
    /// All points. Variants vary slowest, then the axes in the order in which their work is done (data, copies, seed,
    /// embedding, method, evaluation; within one of these in the order of the file), so that what several points share
    /// is done once.
    ///
    /// # Errors
    /// With the reason, if an axis names no setting or a value does not fit.
    pub fn points(&self) -> Result<Vec<Point>, String> {
        let mut axes: Vec<(&String, &Vec<Value>)> = self.sweep.iter().map(|(path, values)| (path, values)).collect();
        axes.sort_by_key(|(path, _)| stage(path));
        if let Some((path, _)) = axes.iter().find(|(_, values)| values.is_empty()) {
            return Err(format!("sweep: {path:?} has no values"));
        }
        let variants: Vec<Option<&super::Variant>> =
            if self.variants.is_empty() { vec![None] } else { self.variants.iter().map(Some).collect() };
        let names = column_names(axes.iter().map(|(path, _)| path.as_str()).collect());
        let mut points = Vec::new();
        for variant in variants {
            let mut base = self.base.clone();
            let mut labels = Vec::new();
            if let Some(variant) = variant {
                labels.push(("variant".to_owned(), variant.name.clone()));
                overlay(&mut base, &variant.settings);
            }
            let total: usize = axes.iter().map(|(_, values)| values.len()).product();
            for number in 0..total {
                let (mut table, mut point_axes, mut rest) = (base.clone(), labels.clone(), number);
                let mut chosen = vec![0; axes.len()];
                for place in (0..axes.len()).rev() {
                    chosen[place] = rest % axes[place].1.len();
                    rest /= axes[place].1.len();
                }
                for (place, (path, values)) in axes.iter().enumerate() {
                    let value = &values[chosen[place]];
                    set(&mut table, path, value.clone())?;
                    point_axes.push((names[place].clone(), label(value)));
                }
                let settings = Settings::from_table(table).map_err(|e| {
                    let at = point_axes.iter().map(|(n, v)| format!("{n} = {v}")).collect::<Vec<_>>().join(", ");
                    format!("at {at}: {e}")
                })?;
                points.push(Point { axes: point_axes, settings });
            }
        }
        Ok(points)
    }
}

/// The order in which the parts of a point are worked out.
fn stage(path: &str) -> usize {
    let first = path.split('.').next().unwrap_or_default();
    ["data", "seed", "inject", "embedding", "method", "evaluation"].iter().position(|s| *s == first).unwrap_or(6)
}

/// The last part of each path; the whole path where two would be alike.
fn column_names(paths: Vec<&str>) -> Vec<String> {
    let last = |path: &str| path.rsplit('.').next().unwrap_or(path).replace('-', "_");
    paths
        .iter()
        .map(|path| {
            let twins = paths.iter().filter(|other| last(other) == last(path)).count();
            if twins > 1 { path.replace('-', "_") } else { last(path) }
        })
        .collect()
}

/// Puts a value at a dotted path.
fn set(table: &mut Table, path: &str, value: Value) -> Result<(), String> {
    let (folders, name) = path.rsplit_once('.').unwrap_or(("", path));
    let mut at = table;
    for folder in folders.split('.').filter(|f| !f.is_empty()) {
        at = at
            .entry(folder)
            .or_insert_with(|| Value::Table(Table::new()))
            .as_table_mut()
            .ok_or_else(|| format!("sweep: {path:?}: {folder:?} is no table of settings"))?;
    }
    at.insert(name.to_owned(), value);
    Ok(())
}

/// Lays settings over others: tables are joined, everything else is replaced. A method replaces the method.
pub(super) fn overlay(base: &mut Table, over: &Table) {
    for (key, value) in over {
        match (base.get_mut(key), value) {
            (Some(Value::Table(below)), Value::Table(above)) if key != "method" => overlay(below, above),
            _ => {
                base.insert(key.clone(), value.clone());
            }
        }
    }
}

/// A value as a cell: a list is joined by `+`, an empty list is `none`.
fn label(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) if items.is_empty() => "none".to_owned(),
        Value::Array(items) => items.iter().map(label).collect::<Vec<_>>().join(" + "),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(text: &str) -> Spec {
        Spec::from_toml(text, "test.toml").unwrap()
    }

    #[test]
    fn the_grid_is_walked_in_the_order_of_the_work() {
        let spec = spec(
            r#"
            title = "t"
            [data]
            generate = 50
            [method.whole-file]
            [sweep]
            "evaluation.unit" = ["pair", "paper"]
            seed = [1, 2]
            "inject.edits" = [["exact"], ["garble=0.1", "truncate=0.5"]]
            "#,
        );
        let points = spec.points().unwrap();
        assert_eq!(points.len(), 8);
        let names: Vec<&str> = points[0].axes.iter().map(|(n, _)| n.as_str()).collect();
        assert_eq!(names, ["seed", "edits", "unit"]);
        assert_eq!(points[1].describe(), "seed = 1, edits = exact, unit = paper");
        assert_eq!(points[7].axes[1].1, "garble=0.1 + truncate=0.5");
        assert_eq!(points[7].settings.seed.0, 2);
    }

    #[test]
    fn a_variant_replaces_the_method_and_joins_the_rest() {
        let spec = spec(
            r#"
            title = "t"
            [data]
            generate = 50
            [method.whole-file]
            [[variant]]
            name = "plain"
            [[variant]]
            name = "other"
            settings.data.limit = 10
            settings.method.whole-file = {}
            "#,
        );
        let points = spec.points().unwrap();
        assert_eq!(points.iter().map(|p| p.describe()).collect::<Vec<_>>(), ["variant = plain", "variant = other"]);
        assert_eq!((points[0].settings.data.limit, points[1].settings.data.limit), (None, Some(10)));
    }

    #[test]
    fn a_wrong_setting_is_named() {
        let bad = spec("title = \"t\"\n[data]\ngenerate = 5\n[method.whole-file]\n[sweep]\n\"data.limt\" = [1]\n");
        let error = bad.points().unwrap_err();
        assert!(error.contains("limt"), "{error}");
        let error =
            Spec::from_toml("title = \"t\"\n[data]\ngenerate = 5\n[methud]\n", "x.toml").unwrap_err().to_string();
        assert!(error.contains("x.toml") && error.contains("methud"), "{error}");
    }
}
