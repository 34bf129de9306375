use crate::drawn;

/// Attention alone does not see the order: each token's output is found again at its new place. Positions make it see
/// the order, and so does a causal mask: there an exchange of two neighbours moves these two and no other, for the
/// others see the same tokens as before.
#[test]
fn order_counts_with_positions_or_with_a_mask() {
    let moves = |new_order: &str, column: &str| -> Vec<bool> {
        let drawing = drawn("order", &[("order", &new_order)]);
        drawing.table.rows.iter().map(|row| drawing.cell(&row.name, column) > 1e-9).collect()
    };
    for new_order in ["reversed", "exchanged", "shifted"] {
        assert_eq!(moves(new_order, "differs"), [false; 7], "{new_order}");
        assert_eq!(moves(new_order, "differs, positions"), [true; 7], "{new_order}");
    }
    let (no, yes) = (false, true);
    assert_eq!(moves("exchanged", "differs, mask"), [no, no, no, yes, yes, no, no]);
    assert_eq!(moves("exchanged", "differs, both"), [no, no, no, yes, yes, yes, yes]);
    assert_eq!(moves("reversed", "differs, mask"), [yes; 7]);
    assert_eq!(moves("shifted", "differs, mask"), [yes; 7]);
}
