use attention::study::Dependencies;

#[test]
fn a_chain_is_as_long_as_its_sentence_and_a_look_up_is_one_step() {
    for tokens in [1, 2, 7, 64, 300] {
        let chain = Dependencies::recurrent(tokens);
        assert_eq!(
            (chain.tokens(), chain.operations().len()),
            (tokens, tokens)
        );
        assert_eq!(
            (chain.sequential_operations(), chain.longest_path()),
            (tokens, tokens - 1)
        );
        let look_ups = Dependencies::attention(tokens);
        assert_eq!(
            (look_ups.tokens(), look_ups.operations().len()),
            (tokens, tokens)
        );
        assert_eq!(
            (look_ups.sequential_operations(), look_ups.longest_path()),
            (1, usize::from(tokens > 1))
        );
    }
}

#[test]
fn in_a_chain_the_distance_is_the_steps_from_word_to_word() {
    let chain = Dependencies::recurrent(9);
    for input in 0..9 {
        for (output, distance) in chain.distances(input).into_iter().enumerate()
        {
            assert_eq!(distance, output.checked_sub(input));
        }
    }
}

#[test]
fn every_look_up_sees_every_word_one_step_away_and_its_own_in_its_place() {
    let look_ups = Dependencies::attention(9);
    for input in 0..9 {
        let mut needed = [Some(1); 9];
        needed[input] = Some(0);
        assert_eq!(look_ups.distances(input), needed);
    }
    assert_eq!(look_ups.distances(9), [None; 9]); // there is no tenth word
}

#[test]
fn without_words_there_is_nothing_to_wait_for() {
    for nothing in [Dependencies::recurrent(0), Dependencies::attention(0)] {
        assert_eq!(
            (nothing.sequential_operations(), nothing.longest_path()),
            (0, 0)
        );
    }
}

#[test]
fn a_long_text_is_counted_too() {
    assert_eq!(Dependencies::recurrent(1024).longest_path(), 1023);
    assert_eq!(Dependencies::attention(1024).longest_path(), 1);
    assert_eq!(
        Dependencies::recurrent(100_000).sequential_operations(),
        100_000
    );
}
