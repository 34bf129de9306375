use crate::drawn;

/// A nudge to one token moves its own row alone in LayerNorm and in the MLP, and in attention, and so in the whole
/// block, the rows of all that may look at it: each of them, and no other, exactly.
#[test]
fn attention_mixes_tokens_and_nothing_else_does() {
    for (mask, token) in [("on", 1), ("on", 4), ("on", 7), ("off", 1), ("off", 4), ("off", 7)] {
        let drawing = drawn("mixing", &[("mask", &mask), ("token", &token)]);
        let table = &drawing.table;
        assert_eq!(table.columns, ["LayerNorm alone", "attention alone", "MLP alone", "the whole block"]);
        for (place, row) in table.rows.iter().enumerate() {
            let moves: Vec<_> =
                row.cells.iter().map(|cell| cell.value().is_some_and(|by| by > 0.0)).collect();
            let own = place + 1 == token;
            let looks = mask == "off" || place + 1 >= token;
            assert_eq!(moves, [own, looks, own, looks], "mask {mask}, nudged {token}, row {}", row.name);
        }
    }
}
