//! Draws with plotters: panels in a grid, one legend below them, colours that colour-blind readers can tell apart.

use std::sync::Once;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::heat::Grid;
use super::select::{Panel, Selected, Series, select};
use super::{Figure, FigureError, Kind};
use crate::table::Table;

/// Okabe and Ito's colours without the yellow, which vanishes on paper.
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(0, 0, 0),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
];

pub(super) const TEXT: i32 = 14;
pub(super) const LINE: i32 = 20;
/// A mark on about so many points of a line.
const MARKS: usize = 9;

/// The figure as SVG text.
///
/// # Errors
/// If the table lacks a column, no row has data, or a setting makes no sense.
pub fn svg(table: &Table, figure: &Figure) -> Result<String, FigureError> {
    let selected = select(table, figure)?;
    let size = size_of(&selected, figure)?;
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
        draw(&area, &selected, figure, 1)?;
    }
    Ok(text)
}

/// The figure as the bytes of a PNG file, `scale` times as many pixels as the SVG has units.
///
/// # Errors
/// As for [`svg`]; or if the picture would be larger than 20,000 pixels at a side.
pub fn png(table: &Table, figure: &Figure, scale: u32) -> Result<Vec<u8>, FigureError> {
    let selected = select(table, figure)?;
    let (width, height) = size_of(&selected, figure)?;
    let side = width.max(height).saturating_mul(scale.max(1));
    if side > 20_000 {
        return Err(FigureError::Setting(format!(
            "{side} pixels at a side are too many; choose a smaller width or scale"
        )));
    }
    let scale = scale.max(1);
    // The bitmap backend has no smooth lines: it is drawn three times as large and averaged.
    const SMOOTH: u32 = 3;
    let (wide, high) = (width * scale * SMOOTH, height * scale * SMOOTH);
    let mut pixels = vec![0u8; wide as usize * high as usize * 3];
    {
        let area = BitMapBackend::with_buffer(&mut pixels, (wide, high)).into_drawing_area();
        let zoom = (scale * SMOOTH) as i32;
        draw(&area, &selected, figure, zoom)?;
    }
    encode(&average(&pixels, wide as usize, SMOOTH as usize), width * scale, height * scale)
}

fn average(pixels: &[u8], width: usize, by: usize) -> Vec<u8> {
    let height = pixels.len() / 3 / width;
    let mut small = Vec::with_capacity(pixels.len() / by / by);
    for y in (0..height).step_by(by) {
        for x in (0..width).step_by(by) {
            for colour in 0..3 {
                let block = (0..by * by).map(|n| u32::from(pixels[((y + n / by) * width + x + n % by) * 3 + colour]));
                small.push((block.sum::<u32>() / (by * by) as u32) as u8);
            }
        }
    }
    small
}

fn encode(pixels: &[u8], width: u32, height: u32) -> Result<Vec<u8>, FigureError> {
    let failed = |e: ::png::EncodingError| FigureError::Drawing(e.to_string());
    let mut bytes = Vec::new();
    let mut encoder = ::png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(::png::ColorType::Rgb);
    let mut writer = encoder.write_header().map_err(failed)?;
    writer.write_image_data(pixels).map_err(failed)?;
    writer.finish().map_err(failed)?;
    Ok(bytes)
}

/// Where things stand, in units of the SVG.
struct Layout {
    size: (u32, u32),
    columns: usize,
    title: i32,
    legend: Vec<Vec<(usize, i32)>>,
}

impl Layout {
    fn of(selected: &Selected, figure: &Figure) -> Result<Layout, FigureError> {
        if !(100..=4_000).contains(&figure.width) || !(80..=4_000).contains(&figure.height) {
            return Err(FigureError::Setting(format!(
                "a panel of {} x {} pixels; wanted a width from 100 and a height from 80, up to 4,000",
                figure.width, figure.height
            )));
        }
        let columns = selected.panels.len().min(if selected.panels.len() > 4 { 3 } else { 2 });
        let rows = selected.panels.len().div_ceil(columns);
        let width = figure.width as i32 * columns as i32;
        let title = if figure.title.is_empty() { 0 } else { LINE + 10 };
        let mut legend: Vec<Vec<(usize, i32)>> = Vec::new();
        let mut used = width;
        for (place, series) in named(selected).enumerate() {
            let need = 40 + text_width(&series.name) + 18;
            if used + need > width - 10 {
                legend.push(Vec::new());
                used = 10;
            }
            if let Some(line) = legend.last_mut() {
                line.push((place, used));
            }
            used += need;
        }
        if named(selected).all(|s| s.name.is_empty()) {
            legend.clear();
        }
        let height = title
            + figure.height as i32 * rows as i32
            + legend.len() as i32 * LINE
            + if legend.is_empty() { 0 } else { 12 };
        Ok(Layout { size: (width as u32, height as u32), columns, title, legend })
    }
}

/// Every panel has all series, in one order.
fn named(selected: &Selected) -> impl Iterator<Item = &Series> {
    selected.panels.iter().take(1).flat_map(|p| &p.series)
}

fn use_font() {
    static FONT: Once = Once::new();
    FONT.call_once(|| {
        for (style, bytes) in [(FontStyle::Normal, dejavu::sans::regular()), (FontStyle::Bold, dejavu::sans::bold())] {
            let known = plotters::style::register_font("sans-serif", style, bytes).is_ok();
            assert!(known, "the font is part of the program");
        }
    });
}

pub(super) fn text_width(text: &str) -> i32 {
    ("sans-serif", TEXT)
        .into_text_style(&(0, 0))
        .font
        .layout_box(text)
        .map_or(text.chars().count() as i32 * 9, |((x0, _), (x1, _))| x1 - x0)
}

fn size_of(selected: &Selected, figure: &Figure) -> Result<(u32, u32), FigureError> {
    use_font();
    match figure.kind {
        Kind::HeatMap => Ok(Grid::of(selected, figure).size),
        _ => Ok(Layout::of(selected, figure)?.size),
    }
}

fn draw<DB: DrawingBackend>(
    area: &DrawingArea<DB, plotters::coord::Shift>,
    selected: &Selected,
    figure: &Figure,
    zoom: i32,
) -> Result<(), FigureError> {
    if figure.kind == Kind::HeatMap {
        return Grid::of(selected, figure).draw(area, selected, figure, zoom);
    }
    let layout = Layout::of(selected, figure)?;
    area.fill(&WHITE).map_err(failed)?;
    let (above, below) = area.split_vertically(layout.title * zoom);
    if layout.title > 0 {
        let centre = Pos::new(HPos::Center, VPos::Center);
        let style = ("sans-serif", 16 * zoom, FontStyle::Bold).into_text_style(area).pos(centre);
        above
            .draw_text(&figure.title, &style, (layout.size.0 as i32 * zoom / 2, layout.title * zoom / 2))
            .map_err(failed)?;
    }
    let rows = selected.panels.len().div_ceil(layout.columns);
    let (panels, legend) = below.split_vertically(figure.height as i32 * rows as i32 * zoom);
    for (panel, area) in selected.panels.iter().zip(panels.split_evenly((rows, layout.columns))) {
        draw_panel(&area, panel, selected, figure, zoom)?;
    }
    for (line, entries) in layout.legend.iter().enumerate() {
        let y = (6 + line as i32 * LINE + LINE / 2) * zoom;
        for &(place, x) in entries {
            let Some(series) = named(selected).nth(place) else { continue };
            let x = x * zoom;
            if figure.kind != Kind::Points {
                dashes(&legend, place, &[(x, y), (x + 30 * zoom, y)], zoom)?;
            }
            if figure.kind != Kind::Line {
                mark(&legend, place, (x + 15 * zoom, y), zoom)?;
            }
            let style = ("sans-serif", TEXT * zoom).into_text_style(area).pos(Pos::new(HPos::Left, VPos::Center));
            legend.draw_text(&series.name, &style, (x + 36 * zoom, y)).map_err(failed)?;
        }
    }
    area.present().map_err(failed)
}

fn draw_panel<DB: DrawingBackend>(
    area: &DrawingArea<DB, plotters::coord::Shift>,
    panel: &Panel,
    selected: &Selected,
    figure: &Figure,
    zoom: i32,
) -> Result<(), FigureError> {
    let mut builder = ChartBuilder::on(area);
    builder.margin(8 * zoom).margin_right(18 * zoom).x_label_area_size(46 * zoom).y_label_area_size(62 * zoom);
    if !panel.name.is_empty() {
        builder.caption(&panel.name, ("sans-serif", 15 * zoom));
    }
    let ((x0, x1), (y0, y1)) = (selected.x_range, selected.y_range);
    let x_axis = Axis { from: x0, to: x1, log: figure.x_log, names: selected.categories.clone() };
    let y_axis = Axis { from: y0, to: y1, log: figure.y_log, names: Vec::new() };
    let mut chart = builder.build_cartesian_2d(x_axis, y_axis).map_err(failed)?;
    let style = ("sans-serif", 13 * zoom).into_text_style(area);
    chart
        .configure_mesh()
        .disable_mesh()
        .x_labels(ticks_that_fit(selected, figure))
        .y_labels(6)
        .x_label_style(style.clone())
        .y_label_style(style)
        .axis_style(BLACK.stroke_width(zoom as u32))
        .set_all_tick_mark_size(4 * zoom)
        .bold_line_style(RGBColor(225, 225, 225).stroke_width(zoom as u32))
        .axis_desc_style(("sans-serif", TEXT * zoom))
        .x_desc(figure.x_label.as_deref().unwrap_or(&figure.x))
        .y_desc(figure.y_label.clone().unwrap_or_else(|| figure.y.join(", ")))
        .draw()
        .map_err(failed)?;
    let plot = chart.plotting_area();
    let (x_pixels, y_pixels) = plot.get_pixel_range();
    let inside = |(x, y): (f64, f64)| (x0.min(x1)..=x0.max(x1)).contains(&x) && (y0.min(y1)..=y0.max(y1)).contains(&y);
    // Lines are drawn in pixels of the panel, so that dashes and marks have one size whatever the axes are.
    let frame = area.get_pixel_range();
    let origin = (frame.0.start, frame.1.start);
    let pixel = |x: f64, y: f64| {
        let (px, py) = plot.map_coordinate(&(x, y));
        (px - origin.0, py - origin.1)
    };
    let room =
        (x_pixels.start - origin.0..=x_pixels.end - origin.0, y_pixels.start - origin.1..=y_pixels.end - origin.1);
    for (place, series) in panel.series.iter().enumerate() {
        for run in series.points.split(Option::is_none) {
            let points: Vec<(i32, i32)> =
                run.iter().flatten().filter(|p| inside((p.0, p.1))).map(|p| pixel(p.0, p.1)).collect();
            if figure.kind != Kind::Points {
                dashes(area, place, &points, zoom)?;
            }
        }
        let shown: Vec<&(f64, f64, f64)> = series.points.iter().flatten().filter(|p| inside((p.0, p.1))).collect();
        for point in shown.iter().filter(|p| p.2 > 0.0) {
            let (x, low) = pixel(point.0, point.1 - point.2);
            let (_, high) = pixel(point.0, point.1 + point.2);
            let clip = |y: i32| y.clamp(*room.1.start(), *room.1.end());
            for line in [
                [(x, clip(low)), (x, clip(high))],
                [(x - 3 * zoom, clip(low)), (x + 3 * zoom, clip(low))],
                [(x - 3 * zoom, clip(high)), (x + 3 * zoom, clip(high))],
            ] {
                stroke(area, place, &line, zoom, 1)?;
            }
        }
        let every = if figure.kind == Kind::Points || shown.len() <= 30 { 1 } else { shown.len().div_ceil(MARKS) };
        if figure.kind != Kind::Line {
            // Each series starts at another point, so that marks of equal curves do not hide one another.
            for point in shown.iter().skip(if every > 1 { place * every / 7 % every } else { 0 }).step_by(every) {
                mark(area, place, pixel(point.0, point.1), zoom)?;
            }
        }
    }
    Ok(())
}

fn ticks_that_fit(selected: &Selected, figure: &Figure) -> usize {
    if selected.categories.is_empty() {
        return (figure.width as usize / 70).clamp(2, 8);
    }
    let widest = selected.categories.iter().map(|name| text_width(name) + 12).max().unwrap_or(60);
    ((figure.width as i32 - 88) / widest.max(1)).max(1) as usize
}

fn colour(place: usize) -> RGBColor {
    COLOURS[place % COLOURS.len()]
}

fn stroke<DB: DrawingBackend>(
    area: &DrawingArea<DB, plotters::coord::Shift>,
    place: usize,
    points: &[(i32, i32)],
    zoom: i32,
    width: i32,
) -> Result<(), FigureError> {
    area.draw(&PathElement::new(points.to_vec(), colour(place).stroke_width((width * zoom) as u32))).map_err(failed)
}

/// A line through these pixels: solid for the first series, then dashed in different ways.
fn dashes<DB: DrawingBackend>(
    area: &DrawingArea<DB, plotters::coord::Shift>,
    place: usize,
    points: &[(i32, i32)],
    zoom: i32,
) -> Result<(), FigureError> {
    let pattern: &[f64] = match place % 4 {
        0 => &[],
        1 => &[9.0, 4.0],
        2 => &[3.0, 3.0],
        _ => &[10.0, 3.0, 3.0, 3.0],
    };
    if points.len() < 2 {
        return Ok(());
    }
    if pattern.is_empty() {
        return stroke(area, place, points, zoom, 2);
    }
    let (mut part, mut left, mut dash) = (0, pattern[0] * f64::from(zoom), vec![points[0]]);
    for pair in points.windows(2) {
        let (from, to) = ((f64::from(pair[0].0), f64::from(pair[0].1)), (f64::from(pair[1].0), f64::from(pair[1].1)));
        let length = ((to.0 - from.0).powi(2) + (to.1 - from.1).powi(2)).sqrt();
        let mut done = 0.0;
        while length - done > left {
            done += left;
            let at = (
                (from.0 + (to.0 - from.0) * done / length).round() as i32,
                (from.1 + (to.1 - from.1) * done / length).round() as i32,
            );
            if part % 2 == 0 {
                dash.push(at);
                stroke(area, place, &dash, zoom, 2)?;
            }
            dash = vec![at];
            part = (part + 1) % pattern.len();
            left = pattern[part] * f64::from(zoom);
        }
        left -= length - done;
        if part % 2 == 0 {
            dash.push(pair[1]);
        }
    }
    if part % 2 == 0 && dash.len() > 1 { stroke(area, place, &dash, zoom, 2) } else { Ok(()) }
}

/// Circle, triangle, square, diamond, filled or hollow.
fn mark<DB: DrawingBackend>(
    area: &DrawingArea<DB, plotters::coord::Shift>,
    place: usize,
    (x, y): (i32, i32),
    zoom: i32,
) -> Result<(), FigureError> {
    let r = 4 * zoom;
    let style = if (place / 4).is_multiple_of(2) { colour(place).filled() } else { WHITE.filled() };
    let corners: Vec<(i32, i32)> = match place % 4 {
        0 => {
            area.draw(&Circle::new((x, y), r, style)).map_err(failed)?;
            return area.draw(&Circle::new((x, y), r, colour(place).stroke_width(zoom as u32))).map_err(failed);
        }
        1 => vec![(x, y - r), (x + r, y + r), (x - r, y + r)],
        2 => vec![(x - r, y - r), (x + r, y - r), (x + r, y + r), (x - r, y + r)],
        _ => vec![(x, y - r - zoom), (x + r + zoom, y), (x, y + r + zoom), (x - r - zoom, y)],
    };
    area.draw(&Polygon::new(corners.clone(), style)).map_err(failed)?;
    let closed = corners.iter().chain(&corners[..1]).copied().collect::<Vec<_>>();
    stroke(area, place, &closed, zoom, 1)
}

pub(super) fn failed<E: std::fmt::Display>(error: E) -> FigureError {
    FigureError::Drawing(error.to_string())
}

/// An axis that may run backwards, be logarithmic, or carry names instead of numbers.
#[derive(Clone)]
struct Axis {
    from: f64,
    to: f64,
    log: bool,
    names: Vec<String>,
}

impl Axis {
    fn low(&self) -> f64 {
        self.from.min(self.to)
    }
    fn high(&self) -> f64 {
        self.from.max(self.to)
    }
    /// The distance between marks: 1, 2 or 5 times a power of ten.
    fn step(&self, most: usize) -> f64 {
        let raw = (self.high() - self.low()) / most.max(1) as f64;
        let power = libm::pow(10.0, libm::floor(libm::log10(raw)));
        let factor = raw / power;
        power
            * if factor <= 1.0 + 1e-9 {
                1.0
            } else if factor <= 2.0 + 1e-9 {
                2.0
            } else if factor <= 5.0 + 1e-9 {
                5.0
            } else {
                10.0
            }
    }
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let scale = |v: f64| if self.log { libm::log(v) } else { v };
        let share = (scale(*value) - scale(self.from)) / (scale(self.to) - scale(self.from));
        limit.0 + (f64::from(limit.1 - limit.0) * share).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        let most = hint.max_num_points();
        if !self.names.is_empty() {
            let every = self.names.len().div_ceil(most.max(1));
            return (0..self.names.len()).step_by(every).map(|n| n as f64).collect();
        }
        if self.log {
            let mut marks = Vec::new();
            let mut power = libm::pow(10.0, libm::floor(libm::log10(self.low())));
            while power <= self.high() && marks.len() < 100 {
                marks.extend(
                    [1.0, 2.0, 5.0].map(|f| f * power).into_iter().filter(|v| (self.low()..=self.high()).contains(v)),
                );
                power *= 10.0;
            }
            return marks;
        }
        let step = self.step(most);
        let first = libm::ceil(self.low() / step - 1e-9) as i64;
        (first..first + 1_000).map(|n| n as f64 * step).take_while(|v| *v <= self.high() + step * 1e-9).collect()
    }

    fn range(&self) -> std::ops::Range<f64> {
        self.from..self.to
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, value: &f64) -> String {
        if !self.names.is_empty() {
            return self.names.get(value.round() as usize).cloned().unwrap_or_default();
        }
        let step = if self.log { value.abs() } else { self.step(10) };
        let largest = self.high().abs().max(self.low().abs());
        if !(1e-4..1e15).contains(&largest) {
            return format!("{value:e}");
        }
        let size = value.abs();
        for (unit, letter) in [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")] {
            if largest >= 1e4 && size >= unit {
                return format!("{}{letter}", value / unit);
            }
        }
        let decimals = (-libm::floor(libm::log10(step.max(1e-9)) + 1e-9)).clamp(0.0, 6.0) as usize;
        let text = format!("{value:.decimals$}");
        if text.trim_start_matches('-').chars().all(|c| c == '0' || c == '.') {
            text.trim_start_matches('-').to_owned()
        } else {
            text
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> Table {
        Table::read_csv(text.as_bytes()).unwrap()
    }

    fn figure(x: &str, y: &[&str]) -> Figure {
        Figure { x: x.into(), y: y.iter().map(|s| (*s).into()).collect(), ..Figure::default() }
    }

    #[test]
    fn o_087_a_constant_series_and_a_single_point_are_drawn() {
        for rows in ["5\t1.0\n10\t1.0\n20\t1.0\n", "5\t1.0\n"] {
            let text = svg(&table(&format!("k\tF1\n{rows}")), &figure("k", &["F1"])).unwrap();
            assert_eq!(text.matches("<circle").count(), 2 * rows.lines().count(), "{text}");
            assert!(!text.contains("NaN") && !text.contains("inf"));
        }
    }

    #[test]
    fn o_088_undefined_values_are_gaps_and_reversed_rows_are_fine() {
        let rows = ["1.00\tNA\t0.0", "0.95\tNA\t0.0", "0.90\t1.0\t0.5", "0.80\t0.5\t1.0"];
        let draw = |rows: &[&str]| {
            let text = format!("lambda\tprecision\trecall\n{}\n", rows.join("\n"));
            svg(&table(&text), &figure("recall", &["precision"]))
        };
        let forward = draw(&rows).unwrap();
        assert_eq!(forward.matches("<circle").count(), 4, "two points, each filled and outlined");
        let backward: Vec<&str> = rows.iter().rev().copied().collect();
        assert_eq!(draw(&backward).unwrap().matches("<circle").count(), 4);
        assert!(matches!(draw(&[]), Err(FigureError::NoData { rows: 0, .. })));
        assert!(draw(&rows[..2]).unwrap_err().to_string().starts_with("no data"));
    }

    #[test]
    fn the_same_table_gives_the_same_bytes() {
        let text: String = (0..300).map(|i| format!("{},{},{}\n", i / 3, f64::from(i % 90) / 90.0, i % 3)).collect();
        let table = table(&format!("x,y,s\n{text}"));
        let figure = Figure { series: vec!["s".into()], title: "λ ≥ 0.9".into(), ..figure("x", &["y"]) };
        let first = svg(&table, &figure).unwrap();
        assert_eq!(first, svg(&table, &figure).unwrap());
        assert!(first.contains("s = 2") && first.contains("λ ≥ 0.9"));
        let picture = png(&table, &figure, 1).unwrap();
        assert_eq!(picture, png(&table, &figure, 1).unwrap());
        assert_eq!(&picture[1..4], b"PNG");
    }

    #[test]
    fn large_numbers_have_a_letter_and_small_ones_decimals() {
        let axis = |to: f64, log: bool| Axis { from: 1e-3, to, log, names: Vec::new() };
        assert_eq!(axis(1e8, false).format_ext(&8e7), "80M");
        assert_eq!(axis(4e4, false).format_ext(&2_500.0), "2.5k");
        assert_eq!(axis(4e4, false).format_ext(&0.0), "0");
        assert_eq!(axis(9e3, false).format_ext(&2_500.0), "2500");
        assert_eq!(axis(1e6, true).format_ext(&0.002), "0.002");
        assert_eq!(axis(1e6, true).format_ext(&1e6), "1M");
    }

    #[test]
    fn axes_run_backwards_are_logarithmic_or_carry_names() {
        let sweep = table("k,f1\n5,0.2\n50,0.4\n500,0.6\n");
        let backwards = Figure { x_range: Some([500.0, 0.0]), ..figure("k", &["f1"]) };
        assert!(svg(&sweep, &backwards).is_ok());
        let log = svg(&sweep, &Figure { x_log: true, ..figure("k", &["f1"]) }).unwrap();
        assert!(log.contains(">\n100\n<"), "{log}");
        let names = svg(&table("edit,ap\nexact,1\ngarble,0.4\n"), &figure("edit", &["ap"])).unwrap();
        assert!(names.contains("exact") && names.contains("garble"));
        let empty = Figure { x_range: Some([1.0, 1.0]), ..figure("k", &["f1"]) };
        assert!(matches!(svg(&sweep, &empty), Err(FigureError::Setting(_))));
    }
}
