//! A scene: balls and lights above a chequered floor, each farther away than the one before.

/// Its light and its depth, pixel by pixel, row by row.
pub struct Scene {
    pub width: u32,
    pub height: u32,
    pub colours: Vec<[f32; 3]>,
    pub depths: Vec<f32>,
}

struct Ball {
    centre: [f32; 3],
    radius: f32,
    colour: [f32; 3],
    /// Shines by itself.
    is_light: bool,
}

/// Where a ray that hits nothing ends.
const FAR: f32 = 60.0;
/// Height of the eye above the floor.
const EYE: f32 = 1.0;
const SUN: [f32; 3] = [0.45, 0.8, -0.4];

fn balls() -> Vec<Ball> {
    let colours = [[0.9, 0.25, 0.2], [0.95, 0.7, 0.2], [0.3, 0.75, 0.35], [0.25, 0.45, 0.9], [0.7, 0.35, 0.8]];
    let balls = colours.into_iter().enumerate().map(|(at, colour)| {
        let depth = 3.0 * 1.45f32.powi(at as i32);
        let side = [-0.36, 0.23, -0.08, 0.47, 0.06][at] * depth;
        Ball { centre: [side, 0.6, depth], radius: 0.6, colour, is_light: false }
    });
    let lights = (0..14).map(|at| {
        let depth = 2.5 + 1.6 * at as f32;
        let side = ((at * 37 % 14) as f32 / 13.0 - 0.5) * 1.3 * depth;
        Ball { centre: [side, 1.7 + 0.07 * depth, depth], radius: 0.05, colour: [7.0, 5.5, 3.5], is_light: true }
    });
    balls.chain(lights).collect()
}

fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

impl Scene {
    pub fn new(width: u32, height: u32) -> Self {
        let balls = balls();
        let rays = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        let seen = rays.map(|(x, y)| {
            let across = (x as f32 + 0.5 - 0.5 * width as f32) / width as f32;
            let up = (0.5 * height as f32 - y as f32 - 0.5) / width as f32;
            look([across, up - 0.05, 0.8], &balls)
        });
        let (colours, depths) = seen.unzip();
        Self { width, height, colours, depths }
    }
}

/// The light along a ray from the eye, and the depth where it comes from.
fn look(ray: [f32; 3], balls: &[Ball]) -> ([f32; 3], f32) {
    let eye = [0.0, EYE, 0.0];
    let hit = |ball: &Ball| {
        let to = [0, 1, 2].map(|k| eye[k] - ball.centre[k]);
        let (a, b, c) = (dot(ray, ray), dot(to, ray), dot(to, to) - ball.radius * ball.radius);
        let root = b * b - a * c;
        let along = (-b - root.max(0.0).sqrt()) / a;
        (root > 0.0 && along > 0.0).then_some(along)
    };
    let nearest = balls.iter().filter_map(|ball| Some((hit(ball)?, ball))).min_by(|a, b| a.0.total_cmp(&b.0));
    let floor = if ray[1] < 0.0 { -EYE / ray[1] } else { f32::INFINITY };
    match nearest {
        Some((along, ball)) if along < floor => {
            let at = [0, 1, 2].map(|k| eye[k] + along * ray[k]);
            let normal = [0, 1, 2].map(|k| (at[k] - ball.centre[k]) / ball.radius);
            let light = if ball.is_light { 1.0 } else { 0.25 + 0.75 * dot(normal, SUN).max(0.0) };
            (ball.colour.map(|colour| colour * light), at[2])
        }
        _ if floor * ray[2] < FAR => {
            let at = [floor * ray[0], floor * ray[2]];
            let is_dark = (at[0].floor() + at[1].floor()).rem_euclid(2.0) < 1.0;
            ([if is_dark { 0.12 } else { 0.6 }; 3], at[1])
        }
        _ => ([0.25, 0.4, 0.65], FAR),
    }
}
