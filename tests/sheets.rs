//! Writes a page for each scene in `tests/scenes` with the figures that show its tokens, in both widths, for the
//! browser to measure (`tests/browser/scenes.test.mjs`), and beside it what the texts in them are: `sheets FOLDER`.

use std::error::Error;
use std::path::Path;

use figures::{Params, Scene, Size, text_width};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("where to? sheets FOLDER")?;
    let scenes = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes");
    let fonts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../theme/fonts");
    let (own, mut sheets) = (Scene::default(), 0);
    for file in std::fs::read_dir(scenes)? {
        let file = file?.path();
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let scene = Scene::load(&file)?;
        let mut page = format!(
            "<!doctype html><meta charset=\"utf-8\"><title>{name}</title><style>\n\
             @font-face {{ font-family: Book; src: url(\"file://{0}/book-sans-regular.woff2\") }}\n\
             @font-face {{ font-family: Book; font-weight: 600 900; src: url(\"file://{0}/book-sans-semibold.woff2\") }}\n\
             body {{ margin: 10px }} svg {{ display: block; width: 100%; height: auto }} .wide {{ max-width: 680px }}\n\
             .narrow {{ max-width: 340px }} svg text {{ font-family: Book, sans-serif; font-variant-numeric: tabular-nums }}\n\
             @media (max-width: 700px) {{ .wide {{ display: none }} }} @media (min-width: 701px) {{ .narrow {{ display: none }} }}\n\
             </style>\n",
            fonts.canonicalize()?.display()
        );
        let mut texts = Vec::new();
        for figure in figures::all() {
            let draw = |scene: &Scene| figure.draw_sizes(scene, &Params::new(), Size::ALL);
            let (drawn, without) = (draw(&scene)?, draw(&own)?);
            if drawn[0].svg == without[0].svg {
                continue;
            }
            page += &format!("<figure data-figure=\"{}\">", figure.id);
            for (drawing, without) in drawn.iter().zip(&without) {
                page += &drawing.svg;
                let words = words(&without.svg);
                texts.extend(words_with(&drawing.svg).filter(|text| !words.contains(text)));
            }
            page += "</figure>\n";
        }
        texts.sort_unstable();
        texts.dedup();
        let tokens: Vec<_> = scene.tokens.iter().flat_map(|token| [&token.text, &token.label]).collect();
        let widths: Vec<_> = texts.iter().map(|text| (text, text_width(text))).collect();
        let told = serde_json::to_string(&(tokens, widths))?.replace('<', "\\u003c");
        page += &format!("<script type=\"application/json\">{told}</script>\n");
        std::fs::write(Path::new(&folder).join(format!("{name}.html")), page)?;
        sheets += 1;
    }
    println!("{sheets} scenes");
    Ok(())
}

/// The texts of a picture, as they are to be seen.
fn words(svg: &str) -> Vec<String> {
    words_with(svg).collect()
}

fn words_with(svg: &str) -> impl Iterator<Item = String> {
    let unescape = |text: &str| {
        text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
    };
    svg.split("<text ").skip(1).filter_map(move |text| {
        let (_, text) = text.split_once('>')?;
        Some(unescape(text.split_once("</text>")?.0.trim()))
    })
}
