use attention::study::{HeadCost, head_cost, multi_head_cost};
use attention::{Head, MultiHead, Projections};
use ndarray::Array2;

use crate::drawn;

/// The shapes in `heads` fit one another and the library; what it counts is what the library counts, and for 64 / h
/// features a head what is known.
#[test]
fn heads_has_the_shapes_and_costs_of_the_library() {
    for heads in [1, 2, 4, 8] {
        for (width, d_head) in [("divided", 64 / heads), ("8", 8), ("16", 16), ("32", 32)] {
            let drawing = drawn("heads", &[("heads", &heads), ("width", &width)]);
            let fact = |name: &str| drawing.text(name);
            let times =
                |count: usize, shape: String| if count == 1 { shape } else { format!("{count} × {shape}") };
            let all = heads * d_head;
            assert_eq!(fact("shape-input"), "[7, 64]");
            assert_eq!(fact("shape-projection"), format!("3 × [64, {all}]"));
            assert_eq!(fact("shape-projected"), format!("3 × [7, {all}]"));
            assert_eq!(fact("shape-split"), format!("{} × [7, {d_head}]", 3 * heads));
            assert_eq!(fact("shape-weights"), times(heads, "[7, 7]".into()));
            assert_eq!(fact("shape-head-output"), times(heads, format!("[7, {d_head}]")));
            assert_eq!(fact("shape-side-by-side"), format!("[7, {all}]"));
            assert_eq!(fact("shape-w-o"), format!("[{all}, 64]"));
            assert_eq!(fact("shape-output"), "[7, 64]");

            // What is to be learned, counted on heads of these shapes.
            let (down, up) = (Array2::zeros((64, d_head)), Array2::zeros((d_head, 64)));
            let projections = Projections { query: down.clone(), key: down.clone(), value: down };
            let built = MultiHead::new(vec![Head::new(projections, up); heads]);
            let number = |name: &str| drawing.number(name) as u64;
            let counted = HeadCost {
                parameters: number("parameters"),
                multiplications: number("multiplications"),
                exponentials: number("exponentials"),
            };
            assert_eq!(counted.parameters, built.parameters() as u64);
            let one = head_cost(7, 64, d_head);
            assert_eq!(counted.multiplications, heads as u64 * one.multiplications);
            assert_eq!(counted.exponentials, heads as u64 * one.exponentials);
            for (column, number) in [
                ("d_head", d_head as u64),
                ("h · d_head", all as u64),
                ("parameters", counted.parameters),
                ("multiplications", counted.multiplications),
                ("exponentials", counted.exponentials),
            ] {
                assert_eq!(drawing.cell(&heads.to_string(), column), number as f64);
            }
            if width == "divided" {
                assert_eq!(multi_head_cost(7, 64, heads).unwrap(), counted);
                let known = HeadCost {
                    parameters: 16_384,
                    multiplications: 120_960,
                    exponentials: 49 * heads as u64,
                };
                assert_eq!(counted, known);
            }
        }
    }
}
