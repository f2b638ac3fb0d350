//! A picture as PNG: the same SVG, drawn to pixels by resvg, so that there is one renderer of ours.
//!
//! Fonts are in the program: on a server there are none, and where there are some a picture would differ from machine to
//! machine. Letters that they do not have are boxes; the SVG has them.

use std::sync::{Arc, LazyLock};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

/// Pixels of the picture for one of its units: sharp on screens that have two for one, and in print.
const SCALE: f32 = 2.0;
/// Pixels of a picture at most in each direction.
const MOST: f32 = 16_384.0;

const FAMILY: &str = "DejaVu Sans";
const REGULAR: &[u8] = include_bytes!("../../fonts/DejaVuSans.ttf");
const BOLD: &[u8] = include_bytes!("../../fonts/DejaVuSans-Bold.ttf");

static FONTS: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(REGULAR.to_vec());
    fonts.load_font_data(BOLD.to_vec());
    fonts.set_sans_serif_family(FAMILY);
    Arc::new(fonts)
});

/// Draws a picture that [`file`](super::svg::file) made.
pub fn png(svg: &str) -> Result<Vec<u8>, String> {
    let options =
        Options { fontdb: Arc::clone(&FONTS), font_family: FAMILY.to_owned(), ..Options::default() };
    let tree = Tree::from_str(svg, &options).map_err(|error| error.to_string())?;
    let size = tree.size();
    let scale = SCALE.min(MOST / size.width().max(size.height()));
    let (width, height) = ((size.width() * scale).ceil() as u32, (size.height() * scale).ceil() as u32);
    let mut pixels = Pixmap::new(width, height).ok_or("a picture without a size")?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pixels of a picture that are not of its paper.
    fn inked(svg: &str) -> usize {
        let pixels = Pixmap::decode_png(&png(svg).expect("a picture")).expect("a PNG");
        let paper = pixels.pixels()[0];
        pixels.pixels().iter().filter(|pixel| **pixel != paper).count()
    }

    fn with_text(text: &str) -> String {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"200\" height=\"30\"><rect width=\"200\" height=\"30\" \
             fill=\"#ffffff\"/><text x=\"4\" y=\"20\" style=\"font-family:system-ui,sans-serif\">{text}</text></svg>"
        )
    }

    #[test]
    fn text_is_there_without_fonts_of_the_machine() {
        let [nothing, latin, accents, greek, cyrillic] =
            ["", "disk", "Größe ≥ 2 µs…", "Αθήνα", "диск"].map(|text| inked(&with_text(text)));
        assert_eq!(nothing, 0);
        for letters in [latin, accents, greek, cyrillic] {
            assert!(letters > 200, "{letters} pixels");
        }
    }

    #[test]
    fn a_picture_has_two_pixels_for_one_and_an_end() {
        let picture = |width: u32| {
            let svg = format!("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"10\"/>");
            Pixmap::decode_png(&png(&svg).expect("a picture")).expect("a PNG").width()
        };
        assert_eq!([picture(100), picture(1_000_000)], [200, 16_384]);
        assert!(png("<svg").is_err());
    }
}
