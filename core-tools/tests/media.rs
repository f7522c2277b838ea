//! Images and documents, through `read` and `view_image`.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

mod project;

use std::io::Cursor;

use base64::{Engine, engine::general_purpose::STANDARD};
use image::{DynamicImage, ImageEncoder, ImageFormat, Rgba, RgbaImage, codecs::jpeg::JpegEncoder};
use project::{Project, error, output};
use serde_json::{Value, json};
use tool_core::{Attachment, Outcome};

/// Left half red, right half clear.
fn sample(width: u32, height: u32) -> DynamicImage {
    let pixel = |x, _| if x < width / 2 { Rgba([255, 0, 0, 255]) } else { Rgba([0, 0, 255, 0]) };
    RgbaImage::from_fn(width, height, pixel).into()
}

/// Of no pattern that could be compressed.
fn noise(width: u32, height: u32) -> DynamicImage {
    let mut state = 1_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        u8::try_from(state >> 24).unwrap()
    };
    RgbaImage::from_fn(width, height, |_, _| Rgba([next(), next(), next(), 255])).into()
}

fn encoded(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Vec::new();
    image.write_to(&mut Cursor::new(&mut bytes), format).unwrap();
    bytes
}

async fn view(project: &Project, arguments: Value) -> Outcome {
    project.call("view_image", arguments).await
}

async fn read(project: &Project, path: &str) -> Outcome {
    project.call("read", json!({ "filePath": path })).await
}

fn attachment(outcome: &Outcome) -> &Attachment {
    let [attachment] = outcome.status().unwrap().attachments() else { panic!("expected one attachment: {outcome:?}") };
    attachment
}

fn decoded(attachment: &Attachment) -> Vec<u8> {
    let (head, data) = attachment.url.split_once(',').unwrap();
    assert_eq!(head, format!("data:{};base64", attachment.mime));
    STANDARD.decode(data).unwrap()
}

#[tokio::test]
async fn what_fits_keeps_its_bytes_whatever_its_name() {
    let project = Project::new();
    for format in [ImageFormat::Png, ImageFormat::Gif, ImageFormat::WebP] {
        let bytes = encoded(&sample(20, 10), format);
        project.file("image.txt", &bytes);
        let outcome = read(&project, "image.txt").await;
        assert_eq!(output(&outcome), "Image read successfully");
        assert_eq!(attachment(&outcome).mime, format.to_mime_type());
        assert_eq!(decoded(attachment(&outcome)), bytes);
        let outcome = view(&project, json!({ "path": "image.txt" })).await;
        assert_eq!(output(&outcome), "[Image: 20x10 pixels, shown as it is.]");
        assert_eq!(decoded(attachment(&outcome)), bytes);
    }
    project.file("a.pdf", "%PDF-1.7\n...");
    let outcome = read(&project, "a.pdf").await;
    assert_eq!(output(&outcome), "PDF read successfully");
    assert_eq!(
        (&*attachment(&outcome).mime, decoded(attachment(&outcome))),
        ("application/pdf", b"%PDF-1.7\n...".to_vec())
    );
}

#[tokio::test]
async fn a_large_image_is_scaled_and_says_by_how_much() {
    let project = Project::new();
    project.file("wide.png", encoded(&sample(2500, 100), ImageFormat::Png));
    let outcome = read(&project, "wide.png").await;
    let note = "[Image: the original has 2500x100 pixels, and is shown with 2000x80. Multiply coordinates by 1.25 to get those of the original.]";
    assert_eq!(output(&outcome), format!("Image read successfully\n{note}"));
    let shown = image::load_from_memory(&decoded(attachment(&outcome))).unwrap();
    assert_eq!((shown.width(), shown.height()), (2000, 80));

    let outcome = view(&project, json!({ "path": "wide.png" })).await;
    assert_eq!(output(&outcome), note);
    assert_eq!(outcome.metadata()["shown"], json!([2000, 80]));
    let outcome = view(&project, json!({ "path": "wide.png", "detail": "original" })).await;
    assert_eq!(output(&outcome), "[Image: 2500x100 pixels, shown as it is.]");
}

#[tokio::test]
async fn an_image_of_too_many_bytes_is_made_shorter() {
    let project = Project::new();
    let bytes = encoded(&noise(1500, 1000), ImageFormat::Bmp);
    assert!(bytes.len() > 4 << 20);
    project.file("noise.bmp", &bytes);
    let outcome = read(&project, "noise.bmp").await;
    assert_eq!(attachment(&outcome).mime, "image/jpeg");
    assert!(attachment(&outcome).url.len() < 4_718_592 + 30);
    assert_eq!(image::load_from_memory(&decoded(attachment(&outcome))).unwrap().width(), 1500);
}

#[tokio::test]
async fn a_bitmap_becomes_a_png_and_a_turned_photograph_is_turned_back() {
    let project = Project::new();
    project.file("a.bmp", encoded(&sample(20, 10), ImageFormat::Bmp));
    assert_eq!(attachment(&read(&project, "a.bmp").await).mime, "image/png");

    // Orientation 6: lies on its side.
    let exif = b"MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0";
    let mut bytes = Vec::new();
    let mut encoder = JpegEncoder::new(&mut bytes);
    encoder.set_exif_metadata(exif.to_vec()).unwrap();
    encoder.encode_image(&sample(40, 20).to_rgb8()).unwrap();
    project.file("photo.jpg", &bytes);
    let outcome = view(&project, json!({ "path": "photo.jpg" })).await;
    let shown = image::load_from_memory(&decoded(attachment(&outcome))).unwrap().to_rgb8();
    assert_eq!((shown.width(), shown.height()), (20, 40));
    let [red, _, blue] = shown.get_pixel(10, 5).0;
    assert!(red > 200 && blue < 50, "what was left is above: {red} {blue}");
}

#[tokio::test]
async fn what_cannot_be_decoded_never_reaches_a_provider() {
    let project = Project::new();
    let png = encoded(&sample(200, 100), ImageFormat::Png);
    // The header promises 30,000 by 30,000 pixels.
    let mut bomb = encoded(&sample(2, 2), ImageFormat::Png);
    bomb[16..24].copy_from_slice(&[0, 0, 0x75, 0x30, 0, 0, 0x75, 0x30]);
    for (name, bytes) in [("short.png", &png[..60]), ("head.png", &png[..24]), ("bomb.png", &bomb)] {
        project.file(name, bytes);
        let outcome = read(&project, name).await;
        assert!(output(&outcome).starts_with("Image read successfully, but it is not shown: "), "{outcome:?}");
        assert!(outcome.status().unwrap().attachments().is_empty());
        let refused = view(&project, json!({ "path": name })).await;
        assert!(error(&refused).contains("invalid or unsupported image data"), "{refused:?}");
    }
    let path = project.file("huge.png", &png);
    std::fs::File::options().write(true).open(path).unwrap().set_len(30 << 20).unwrap();
    assert!(error(&read(&project, "huge.png").await).contains("at most 20971520"));
}

#[tokio::test]
async fn what_is_no_image_is_not_taken_for_one() {
    let project = Project::new();
    for (name, text) in [
        ("text.png", "not an image"),
        ("g.gif", "GIFTS and more"),
        ("b.bmp", "BMW and other makes, a list of them"),
        ("v.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>"),
    ] {
        project.file(name, text);
        assert!(output(&read(&project, name).await).contains(&format!("\n1: {text}\n")));
        assert!(error(&view(&project, json!({ "path": name })).await).starts_with("unable to process image at `"));
    }
    assert!(error(&view(&project, json!({ "path": "none.png" })).await).starts_with("unable to locate image at `"));
    assert!(error(&view(&project, json!({ "path": "." })).await).ends_with("is not a file: it is a directory"));
    let refused = view(&project, json!({ "path": "text.png", "detail": "low" })).await;
    assert!(error(&refused).contains("detail") && error(&refused).contains("original"), "{refused:?}");
}
