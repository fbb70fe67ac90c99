//! A table of coloured cells: a row a series, a column a value of x, the value of y in the cell. It shows what many marks in
//! one plot would hide.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::draw::{LINE, TEXT, failed, text_width};
use super::select::{Panel, Selected};
use super::{Figure, FigureError};

/// Height of a cell.
const CELL: i32 = 24;
/// Blank around everything, and between labels and cells.
const MARGIN: i32 = 12;
/// The colour of the largest value; the least is white.
const FULL: RGBColor = RGBColor(0, 68, 136);

/// Where things stand, in units of the SVG.
pub(super) struct Grid {
    pub size: (u32, u32),
    title: i32,
    label: i32,
    cell: i32,
    header: i32,
    caption: i32,
}

impl Grid {
    pub(super) fn of(selected: &Selected, figure: &Figure) -> Grid {
        let label = selected.panels.iter().flat_map(|panel| &panel.series).map(|s| text_width(&s.name)).max();
        let lines: Vec<Vec<&str>> = selected.categories.iter().map(|name| lines_of(name)).collect();
        let cell =
            lines.iter().flatten().map(|line| text_width(line) + 10).max().unwrap_or(0).max(text_width("0.000") + 12);
        let header = lines.iter().map(Vec::len).max().unwrap_or(1) as i32 * (LINE - 3) + 6;
        let title = if figure.title.is_empty() { 0 } else { LINE + 10 };
        let caption = if selected.panels.iter().any(|panel| !panel.name.is_empty()) { LINE + 4 } else { 0 };
        let label = label.unwrap_or(0) + MARGIN;
        let rows = selected.panels.iter().map(|panel| panel.series.len() as i32 * CELL + header + caption).sum::<i32>();
        let width = 2 * MARGIN + label + cell * selected.categories.len() as i32;
        let width = width.max(text_width(&figure.title) * 5 / 4 + 2 * MARGIN);
        let height = title + rows + MARGIN * selected.panels.len() as i32;
        Grid { size: (width as u32, height as u32), title, label, cell, header, caption }
    }

    pub(super) fn draw<DB: DrawingBackend>(
        &self,
        area: &DrawingArea<DB, Shift>,
        selected: &Selected,
        figure: &Figure,
        zoom: i32,
    ) -> Result<(), FigureError> {
        area.fill(&WHITE).map_err(failed)?;
        let centre = Pos::new(HPos::Center, VPos::Center);
        let style = ("sans-serif", 16 * zoom, FontStyle::Bold).into_text_style(area).pos(centre);
        let middle = (self.size.0 as i32 * zoom / 2, self.title * zoom / 2);
        area.draw_text(&figure.title, &style, middle).map_err(failed)?;
        let mut top = self.title;
        for panel in &selected.panels {
            self.draw_panel(area, panel, selected, zoom, top)?;
            top += self.caption + self.header + panel.series.len() as i32 * CELL + MARGIN;
        }
        area.present().map_err(failed)
    }

    fn draw_panel<DB: DrawingBackend>(
        &self,
        area: &DrawingArea<DB, Shift>,
        panel: &Panel,
        selected: &Selected,
        zoom: i32,
        top: i32,
    ) -> Result<(), FigureError> {
        let text = |words: &str, at: (i32, i32), size: i32, across: HPos, colour: RGBColor| {
            let style = ("sans-serif", size * zoom).into_text_style(area).pos(Pos::new(across, VPos::Center));
            area.draw_text(words, &style.color(&colour), (at.0 * zoom, at.1 * zoom)).map_err(failed)
        };
        let left = MARGIN + self.label;
        text(&panel.name, (left, top + self.caption / 2), TEXT + 1, HPos::Left, BLACK)?;
        let top = top + self.caption;
        for (column, name) in selected.categories.iter().enumerate() {
            let x = left + self.cell * column as i32 + self.cell / 2;
            let lines = lines_of(name);
            // The lines stand on the cells.
            let first = top + self.header - 4 - (LINE - 3) * lines.len() as i32 + (LINE - 3) / 2;
            for (line, words) in lines.iter().enumerate() {
                text(words, (x, first + (LINE - 3) * line as i32), TEXT - 1, HPos::Center, BLACK)?;
            }
        }
        let top = top + self.header;
        let (low, high) = selected.y_range;
        for (row, series) in panel.series.iter().enumerate() {
            let y = top + CELL * row as i32;
            text(&series.name, (left - 8, y + CELL / 2), TEXT - 1, HPos::Right, BLACK)?;
            for column in 0..selected.categories.len() {
                let x = left + self.cell * column as i32;
                // The last row of the table holds where several have one place.
                let value = series.points.iter().flatten().rev().find(|point| point.0 == column as f64).map(|p| p.1);
                let share = value.map(|v| ((v - low) / (high - low)).clamp(0.0, 1.0));
                let fill = share.map_or(RGBColor(235, 235, 235), shade);
                let corners = [(x * zoom, y * zoom), ((x + self.cell) * zoom - zoom, (y + CELL) * zoom - zoom)];
                area.draw(&Rectangle::new(corners, fill.filled())).map_err(failed)?;
                let words = value.map_or("–".to_owned(), |v| format!("{v:.3}"));
                let ink = if share.is_some_and(|share| share > 0.55) { WHITE } else { BLACK };
                text(&words, (x + self.cell / 2, y + CELL / 2), TEXT - 2, HPos::Center, ink)?;
            }
        }
        Ok(())
    }
}

/// From white to the full colour.
fn shade(share: f64) -> RGBColor {
    let mix = |full: u8| (255.0 - (255.0 - f64::from(full)) * share).round() as u8;
    RGBColor(mix(FULL.0), mix(FULL.1), mix(FULL.2))
}

/// A name over two lines where it has two parts: `garble=0.1`.
fn lines_of(name: &str) -> Vec<&str> {
    name.split('=').collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Figure, Kind, png, svg};
    use crate::table::Table;

    #[test]
    fn every_pair_of_names_has_a_cell_with_its_value() {
        let text = "edit,method,ap\nexact,a,1\ngarble=0.1,a,0.25\nexact,b,NA\ngarble=0.1,b,0.5\n";
        let table = Table::read_csv(text.as_bytes()).unwrap();
        let figure = Figure {
            title: "AP".into(),
            x: "edit".into(),
            y: vec!["ap".into()],
            series: vec!["method".into()],
            kind: Kind::HeatMap,
            ..Figure::default()
        };
        let drawn = svg(&table, &figure).unwrap();
        for words in ["1.000", "0.250", "0.500", "–", "exact", "garble", "0.1", "AP"] {
            assert!(drawn.contains(&format!("\n{words}\n")), "{words}: {drawn}");
        }
        // The ground, and a cell each.
        assert_eq!(drawn.matches("<rect").count(), 1 + 4);
        assert_eq!(&png(&table, &figure, 1).unwrap()[1..4], b"PNG");
        // Numbers along the bottom are names here.
        let numbers = Table::read_csv("k,f1\n5,0.2\n50,0.4\n".as_bytes()).unwrap();
        let figure = Figure { x: "k".into(), y: vec!["f1".into()], kind: Kind::HeatMap, ..Figure::default() };
        assert!(svg(&numbers, &figure).unwrap().contains("\n50\n"));
    }
}
