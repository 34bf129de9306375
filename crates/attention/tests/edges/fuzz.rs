//! Every public function with arguments from the edges. It may refuse them, but not panic, unless its documentation says
//! when it does.

use std::any::Any;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};

use attention::circuits::*;
use attention::gradient::*;
use attention::random::*;
use attention::study::*;
use attention::trained::*;
use attention::*;

use crate::draw::Draw;
use crate::sources::public_functions;

/// So many calls of each function: of one that takes longer, fewer.
const CALLS: usize = 2000;

/// A function's name, how often it is called, and one call.
type Call = (&'static str, usize, fn(&mut Draw));

/// What a function returns is computed, and not looked at.
macro_rules! calls {
    ($($name:literal $(* $times:expr)? => |$draw:ident| $call:expr,)*) => {
        &[$(($name, [$($times,)? CALLS][0], |$draw| {
            black_box(&$call);
        }),)*]
    };
}

const FUNCTIONS: &[Call] = calls! {
    "Ablations::of" => |draw| {
        let repeats: Vec<_> = (0..draw.below(3)).map(|_| draw.repeat()).collect();
        Ablations::of(&draw.attention_only(), &repeats)
    },
    "Activation::apply" => |draw| {
        draw.recurrence(1).activation.apply(draw.number())
    },
    "Activation::derivative" => |draw| {
        draw.recurrence(1).activation.derivative(draw.number())
    },
    "Attempt::of" * 50 => |draw| {
        let sentences: Vec<_> = (0..draw.below(3)).map(|_| draw.sentence()).collect();
        Attempt::of("it", draw.seed(), None, &draw.transformer(), &sentences, &sentences)
    },
    "Attempts::parse" => |draw| {
        let mut csv = Attempts::to_csv(&[attempt(draw)]).into_bytes();
        let place = draw.below(csv.len());
        csv[place] = draw.below(128) as u8;
        Attempts::parse(&String::from_utf8_lossy(&csv))
    },
    "Attempts::roles" * 2 => |_draw| Attempts::roles(),
    "Attempts::to_csv" => |draw| Attempts::to_csv(&[attempt(draw)]),
    "AttentionOnly::embed" => |draw| {
        let length = draw.size();
        draw.attention_only().embed(&draw.symbols(length))
    },
    "AttentionOnly::from_safetensors" => |draw| {
        let mut file =
            include_bytes!("../../src/trained/model/weights.safetensors").to_vec();
        let place = draw.below(2000);
        file[place] = draw.below(256) as u8;
        file.truncate(file.len() - draw.below(2));
        AttentionOnly::from_safetensors(&file)
    },
    "AttentionOnly::parameters" => |draw| draw.attention_only().parameters(),
    "AttentionOnly::run" => |draw| {
        let length = draw.size();
        draw.attention_only().run(&draw.symbols(length))
    },
    "AttentionOnly::trained" * 2 => |_draw| AttentionOnly::trained(),
    "AttentionOnly::without" => |draw| {
        let (layer, head) = (draw.count(), draw.count());
        draw.attention_only().without(layer, head)
    },
    "Block::backward" => |draw| {
        let (t, d) = (draw.size(), draw.size());
        let (x, gradient) = (draw.matrix(t, d), draw.matrix(t, d));
        draw.block(d).backward(&x, &draw.mask(t, t), &gradient)
    },
    "Block::forward" => |draw| {
        let (t, d) = (draw.size(), draw.size());
        let x = draw.matrix(t, d);
        draw.block(d).forward(&x, &draw.mask(t, t))
    },
    "Block::parameters" => |draw| {
        let d = draw.size();
        draw.block(d).parameters()
    },
    "Block::run_step" => |draw| {
        let (t, d) = (draw.size(), draw.size());
        let x = draw.matrix(t, d);
        let residual = (!draw.once_in(3)).then(|| draw.matrix(t, d));
        let mask = draw.mask(t, t);
        draw.block(d).run_step(draw.step(), State { x, residual }, &mask)
    },
    "Block::trace" => |draw| {
        let (t, d) = (draw.size(), draw.size());
        let x = draw.matrix(t, d);
        draw.block(d).trace(&x, &draw.mask(t, t))
    },
    "Block::weights" => |draw| {
        let (t, d) = (draw.size(), draw.size());
        let x = draw.matrix(t, d);
        draw.block(d).weights(&x, &draw.mask(t, t))
    },
    "Block::xavier" => |draw| {
        let mut normals = Normals::seeded(draw.seed());
        let norms = draw.norm_place();
        Block::xavier(norms, draw.count(), draw.count(), &mut normals)
    },
    "Dependencies::attention" => |draw| {
        Dependencies::attention(draw.small_or_largest())
    },
    "Dependencies::distances" => |draw| {
        Dependencies::recurrent(draw.size()).distances(draw.count())
    },
    "Dependencies::longest_path" => |draw| {
        Dependencies::attention(draw.size()).longest_path()
    },
    "Dependencies::operations" => |draw| {
        Dependencies::attention(draw.size()).operations().len()
    },
    "Dependencies::recurrent" => |draw| {
        Dependencies::recurrent(draw.small_or_largest())
    },
    "Dependencies::sequential_operations" => |draw| {
        Dependencies::recurrent(draw.size()).sequential_operations()
    },
    "Dependencies::tokens" => |draw| {
        Dependencies::recurrent(draw.size()).tokens()
    },
    "DepthGradients::line" => |draw| {
        let (norms, initialisation) = (draw.norm_place(), draw.initialisation());
        let blocks = (0..draw.below(4)).map(|_| draw.quartiles()).collect();
        DepthGradients { norms, initialisation, blocks }.line()
    },
    "DepthGradients::read" => |draw| {
        let words = ["xavier", "pre", "scaled post", " ", "| ", "|", "12", "-1", "99999999999"];
        let line: Vec<_> = (0..draw.below(9)).map(|_| draw.one_of(&words)).collect();
        DepthGradients::read(&line.concat())
    },
    "Head::attend" => |draw| {
        let (t, d) = (draw.size(), draw.size());
        let x = draw.matrix(t, d);
        draw.head(d).attend(&x, &draw.mask(t, t))
    },
    "Head::new" => |draw| {
        let d = draw.size();
        Head::new(draw.projections(d), draw.matrix(d, d))
    },
    "Head::parameters" => |draw| {
        let d = draw.size();
        draw.head(d).parameters()
    },
    "Head::project" => |draw| {
        let (t, d) = (draw.size(), draw.size());
        draw.head(d).project(&draw.matrix(t, d))
    },
    "LayerNorm::apply" => |draw| {
        let (t, d) = (draw.size(), draw.size());
        draw.norm(d).apply(&draw.matrix(t, d))
    },
    "LayerNorm::backward" => |draw| {
        let (t, d) = (draw.size(), draw.size());
        draw.norm(d).backward(&draw.matrix(t, d), &draw.matrix(t, d))
    },
    "LayerNorm::new" => |draw| LayerNorm::new(draw.small_or_largest()),
    "LayerNorm::parameters" => |draw| {
        let d = draw.size();
        draw.norm(d).parameters()
    },
    "Mask::allows" => |draw| {
        let (queries, keys) = (draw.size(), draw.size());
        draw.mask(queries, keys).allows(draw.count(), draw.count())
    },
    "Mask::apply" => |draw| {
        let (queries, keys) = (draw.size(), draw.size());
        draw.mask(queries, keys).apply(&mut draw.matrix(queries, keys))
    },
    "Mask::matrix" => |draw| {
        let (queries, keys) = (draw.count(), draw.count());
        draw.mask(queries.min(5), keys.min(5)).matrix(queries, keys)
    },
    "Metrics::best_induction" => |draw| metrics(draw).best_induction(),
    "Metrics::best_previous" => |draw| metrics(draw).best_previous(),
    "Metrics::of" => |draw| {
        let repeats: Vec<_> = (0..draw.below(3)).map(|_| draw.repeat()).collect();
        Metrics::of(&draw.attention_only(), &repeats)
    },
    "Mlp::apply" => |draw| {
        let (t, d) = (draw.size(), draw.size());
        draw.mlp(d).apply(&draw.matrix(t, d))
    },
    "Mlp::backward" => |draw| {
        let (t, d) = (draw.size(), draw.size());
        draw.mlp(d).backward(&draw.matrix(t, d), &draw.matrix(t, d))
    },
    "Mlp::none" => |draw| Mlp::none(draw.size()),
    "Mlp::parameters" => |draw| {
        let d = draw.size();
        draw.mlp(d).parameters()
    },
    "Mlp::xavier" => |draw| {
        let mut normals = Normals::seeded(draw.seed());
        Mlp::xavier(draw.small_or_largest(), &mut normals)
    },
    "MultiHead::attend" => |draw| {
        let (t, d) = (draw.size(), draw.size());
        let x = draw.matrix(t, d);
        draw.heads(d).attend(&x, &draw.mask(t, t))
    },
    "MultiHead::backward" => |draw| {
        let (t, d) = (draw.size(), draw.size());
        let (x, gradient) = (draw.matrix(t, d), draw.matrix(t, d));
        draw.heads(d).backward(&x, &draw.mask(t, t), &gradient)
    },
    "MultiHead::contributions" => |draw| {
        let (t, d) = (draw.size(), draw.size());
        let x = draw.matrix(t, d);
        draw.heads(d).contributions(&x, &draw.mask(t, t))
    },
    "MultiHead::new" => |draw| {
        let d = draw.size();
        MultiHead::new(draw.heads(d).heads)
    },
    "MultiHead::parameters" => |draw| {
        let d = draw.size();
        draw.heads(d).parameters()
    },
    "MultiHead::split" => |draw| {
        let (d, k, v) = (draw.size(), draw.size(), draw.size());
        let (w_q, w_k) = (draw.matrix(d, k), draw.matrix(d, k));
        let (w_v, w_o) = (draw.matrix(d, v), draw.matrix(v, d));
        MultiHead::split(&w_q, &w_k, &w_v, &w_o, draw.count())
    },
    "MultiHead::w_o" => |draw| {
        let d = draw.size();
        draw.heads(d).w_o()
    },
    "MultiHead::with_biases" => |draw| {
        let d = draw.size();
        let heads = draw.heads(d);
        let [mut k, mut v] = [0; 2];
        for head in &heads.heads {
            k += head.projections.query.ncols();
            v += head.projections.value.ncols();
        }
        let (b_q, b_k, b_v) = (draw.row(k), draw.row(k), draw.row(v));
        heads.with_biases(&b_q, &b_k, &b_v, &draw.row(d))
    },
    "MultiHead::xavier" => |draw| {
        let mut normals = Normals::seeded(draw.seed());
        MultiHead::xavier(draw.count(), draw.count(), &mut normals)
    },
    "NormPlace::steps" => |draw| draw.norm_place().steps(),
    "Normals::matrix" => |draw| {
        let mut normals = Normals::seeded(draw.seed());
        normals.matrix(draw.small_or_largest(), draw.small_or_largest())
    },
    "Normals::seeded" => |draw| {
        Normals::seeded(draw.seed()).take(draw.size()).count()
    },
    "Noun::all" * 2 => |_draw| Noun::all().count(),
    "Noun::from_word" => |draw| Noun::from_word(&draw.words()),
    "Noun::word" => |draw| Noun { class: draw.count(), state: draw.size() }.word(),
    "Pairing::pair" => |draw| draw.pairing().pair(draw.count(), draw.count()),
    "Pairing::turn" => |draw| {
        let (t, pairs) = (draw.size(), draw.below(3));
        let x = draw.matrix(t, 2 * pairs);
        let (cosines, sines) = (draw.matrix(t, pairs), draw.matrix(t, pairs));
        draw.pairing().turn(&x, &cosines, &sines)
    },
    "Projections::attend" => |draw| {
        let (t, d) = (draw.size(), draw.size());
        let x = draw.matrix(t, d);
        draw.projections(d).attend(&x, &draw.mask(t, t))
    },
    "Projections::identity" => |draw| {
        Projections::identity(draw.small_or_largest())
    },
    "Projections::project" => |draw| {
        let (t, d) = (draw.size(), draw.size());
        draw.projections(d).project(&draw.matrix(t, d))
    },
    "Quartiles::error" => |draw| draw.quartiles().error(draw.count()),
    "Quartiles::of" => |draw| {
        let count = draw.size();
        Quartiles::of(&draw.row(count).to_vec())
    },
    "Reading::of" * 200 => |draw| {
        let sentences: Vec<_> = (0..draw.below(3)).map(|_| draw.sentence()).collect();
        Reading::of(&draw.transformer(), &sentences)
    },
    "Recipe::rate_at" => |draw| {
        let (steps, batch, warm_up) = (draw.count(), draw.count(), draw.count());
        let [rate, last, beta1, beta2, weight_decay, grid] = [0; 6].map(|_| draw.number());
        let it = Recipe { steps, batch, rate, warm_up, last, beta1, beta2, weight_decay, grid };
        it.rate_at(draw.count())
    },
    "Recurrence::jacobian_norms" => |draw| {
        let (t, d) = (draw.size(), draw.size());
        draw.recurrence(d).jacobian_norms(&draw.matrix(t, d))
    },
    "Recurrence::rotation" => |draw| {
        let activation = draw.recurrence(1).activation;
        Recurrence::rotation(draw.number(), draw.number(), activation)
    },
    "Recurrence::states" => |draw| {
        let (t, d) = (draw.size(), draw.size());
        draw.recurrence(d).states(&draw.matrix(t, d))
    },
    "Repeat::first" => |draw| draw.repeat().first(),
    "Repeat::followers" => |draw| {
        let i = if draw.once_in(10) { draw.count() } else { draw.size() };
        draw.repeat().followers(i).count()
    },
    "Repeat::repeated" => |draw| draw.repeat().repeated(),
    "Repeats::evaluation" * 2 => |_draw| Repeats::evaluation(),
    "Repeats::seeded" => |draw| Repeats::seeded(draw.seed()).next(),
    "Rope::new" => |draw| Rope::new(draw.pairing()),
    "Rope::rotate" => |draw| {
        let (t, pairs) = (draw.size(), draw.below(3));
        let x = draw.matrix(t, 2 * pairs);
        let rope = Rope { pairing: draw.pairing(), base: draw.number() };
        rope.rotate(&x, &draw.row(t).to_vec())
    },
    "Rope::rotate_rows" => |draw| {
        let (t, d) = (draw.size(), draw.size());
        Rope { pairing: draw.pairing(), base: draw.number() }.rotate_rows(&draw.matrix(t, d))
    },
    "Rope::rotate_rows_back" => |draw| {
        let (t, d) = (draw.size(), draw.size());
        Rope { pairing: draw.pairing(), base: draw.number() }.rotate_rows_back(&draw.matrix(t, d))
    },
    "Saturation::line" => |draw| {
        let [unscaled, scaled] = [0; 2].map(|_| Saturated {
            largest_weight: draw.number(),
            decided: draw.number(),
            gradient: Tenths { lowest: draw.number(), median: draw.number(), highest: draw.number() },
        });
        Saturation { d: draw.count(), unscaled, scaled }.line(draw.seed())
    },
    "Scale::divisor" => |draw| draw.scale().divisor(draw.count()),
    "Seed::parse" => |draw| {
        let mut csv = include_str!("../../src/trained/model/seeds.csv").to_owned();
        for _ in 0..draw.below(4) {
            let place = draw.below(csv.len());
            csv.remove(place);
            csv.insert_str(place, draw.one_of(&["\n", ",", "", "7", "NaN", "e"]));
        }
        Seed::parse(&csv)
    },
    "Seed::to_csv" => |draw| {
        let rows = draw.size();
        Seed::to_csv(&(0..rows).map(|_| seed(draw)).collect::<Vec<_>>())
    },
    "Seed::tried" * 2 => |_draw| Seed::tried(),
    "Sentence::before" => |draw| draw.sentence().before().len(),
    "Sentence::candidates" => |draw| draw.sentence().candidates(),
    "Sentence::distance" => |draw| draw.sentence().distance(),
    "Sentence::is_held_out" => |draw| draw.sentence().is_held_out(),
    "Sentence::parse" => |draw| Sentence::parse(&draw.words()),
    "Sentence::says_state" => |draw| draw.sentence().says_state(),
    "Sentence::text" => |draw| draw.sentence().text(),
    "Sentences::evaluation" * 2 => |draw| Sentences::evaluation(draw.sort()),
    "Sentences::held_out" * 2 => |draw| Sentences::held_out(draw.sort()),
    "Sentences::seeded" => |draw| Sentences::seeded(draw.seed(), draw.sort()).next(),
    "Sentences::with_fillers" * 2 => |draw| Sentences::with_fillers(draw.sort().fillers),
    "Spread::line" => |draw| {
        let bars = draw.row(3).to_vec();
        let (deviation, deviation_scaled) = (draw.number(), draw.number());
        Spread { d: draw.count(), deviation, deviation_scaled, bars }.line(draw.seed())
    },
    "Stack::backward" * 500 => |draw| {
        let (t, d) = (draw.size(), draw.size());
        let (x, gradient) = (draw.matrix(t, d), draw.matrix(t, d));
        draw.stack(d).backward(&x, &draw.mask(t, t), &gradient)
    },
    "Stack::forward" => |draw| {
        let (t, d) = (draw.size(), draw.size());
        let x = draw.matrix(t, d);
        draw.stack(d).forward(&x, &draw.mask(t, t))
    },
    "Stack::parameters" => |draw| {
        let d = draw.size();
        draw.stack(d).parameters()
    },
    "Stack::with_scaled_residuals" => |draw| {
        let d = draw.size();
        draw.stack(d).with_scaled_residuals()
    },
    "Stack::xavier" * 500 => |draw| {
        let mut normals = Normals::seeded(draw.seed());
        let (norms, depth) = (draw.norm_place(), draw.count());
        Stack::xavier(norms, depth, draw.count(), draw.count(), &mut normals)
    },
    "Step::mixes_tokens" => |draw| draw.step().mixes_tokens(),
    "Step::name" => |draw| draw.step().name(),
    "TrainingLog::jump" => |draw| log(draw).jump(),
    "TrainingLog::one_layer" * 2 => |_draw| TrainingLog::one_layer(),
    "TrainingLog::parse" => |draw| {
        let mut csv = include_str!("../../src/trained/model/log.csv").to_owned();
        for _ in 0..draw.below(4) {
            let place = draw.below(csv.len());
            csv.remove(place);
            csv.insert_str(place, draw.one_of(&["\n", ",", "", "7", "NaN", "e"]));
        }
        TrainingLog::parse(&csv)
    },
    "TrainingLog::to_csv" => |draw| log(draw).to_csv(),
    "TrainingLog::two_layers" * 2 => |_draw| TrainingLog::two_layers(),
    "Transformer::from_safetensors" => |draw| {
        let mut file =
            include_bytes!("../../src/trained/roles/weights.safetensors").to_vec();
        let place = draw.below(2000);
        file[place] = draw.below(256) as u8;
        file.truncate(file.len() - draw.below(2));
        let rope = draw.once_in(2).then(|| Rope::new(draw.pairing()));
        Transformer::from_safetensors(&file, rope)
    },
    "Transformer::guess" => |draw| {
        let (t, d) = (draw.size(), draw.size());
        draw.transformer().guess(&draw.matrix(t, d))
    },
    "Transformer::parameters" => |draw| draw.transformer().parameters(),
    "Transformer::roles" * 2 => |_draw| Transformer::roles(),
    "Transformer::run" => |draw| {
        let length = draw.size();
        draw.transformer().run(&draw.symbols(length))
    },
    "Transformer::without_head" => |draw| draw.transformer().without_head(draw.count(), draw.count()),
    "Transformer::without_mlp" => |draw| draw.transformer().without_mlp(draw.count()),
    "angular_frequency" => |draw| {
        angular_frequency(draw.count(), draw.count(), draw.number())
    },
    "attention" => |draw| {
        let [t_q, t_k, d_k, d_v] = [0; 4].map(|_| draw.size());
        let (queries, keys) = (draw.matrix(t_q, d_k), draw.matrix(t_k, d_k));
        attention(&queries, &keys, &draw.matrix(t_k, d_v))
    },
    "attention_backward" => |draw| {
        let [t_q, t_k, d_k, d_v] = [0; 4].map(|_| draw.size());
        let (queries, keys) = (draw.matrix(t_q, d_k), draw.matrix(t_k, d_k));
        let values = draw.matrix(t_k, d_v);
        let it = Attention {
            weights: draw.matrix(t_q, t_k),
            output: draw.matrix(t_q, d_v),
        };
        let gradient = draw.matrix(t_q, d_v);
        attention_backward(&queries, &keys, &values, &it, &gradient)
    },
    "attention_with" => |draw| {
        let [t_q, t_k, d_k, d_v] = [0; 4].map(|_| draw.size());
        let (queries, keys) = (draw.matrix(t_q, d_k), draw.matrix(t_k, d_k));
        let (values, mask) = (draw.matrix(t_k, d_v), draw.mask(t_q, t_k));
        attention_with(&queries, &keys, &values, &mask, draw.scale())
    },
    "block_multiplications" => |draw| {
        block_multiplications(draw.count(), draw.count())
    },
    "block_parameters" => |draw| block_parameters(draw.count()),
    "cross_entropy" => |draw| {
        let classes = draw.size();
        let target = if draw.once_in(9) { draw.count() } else { draw.size() };
        cross_entropy(&draw.row(classes), target)
    },
    "depth_study" * 60 => |draw| {
        let depth = draw.one_of(&[0, 1, 2, usize::MAX / 2, usize::MAX]);
        depth_study(&[1, depth][draw.below(3)..], draw.below(3), draw.seed())
    },
    "depth_table" * 2 => |_draw| depth_table(),
    "dot_product_study" => |draw| {
        let dimensions: Vec<_> = (0..draw.size()).map(|_| draw.count()).collect();
        dot_product_study(&dimensions, draw.count(), draw.seed())
    },
    "dot_product_variance" => |draw| {
        dot_product_variance(draw.count(), draw.number(), draw.number())
    },
    "frobenius_norm" => |draw| {
        let (rows, columns) = (draw.size(), draw.size());
        frobenius_norm(&draw.matrix(rows, columns))
    },
    "gelu" => |draw| gelu(draw.number()),
    "gelu_derivative" => |draw| gelu_derivative(draw.number()),
    "gelu_tanh" => |draw| gelu_tanh(draw.number()),
    "gradient_sizes" * 60 => |draw| {
        let depth = draw.one_of(&[0, 1, 2, usize::MAX / 2, usize::MAX]);
        let initialisation = draw.initialisation();
        gradient_sizes(draw.norm_place(), initialisation, depth, draw.seed())
    },
    "head_cost" => |draw| head_cost(draw.count(), draw.count(), draw.count()),
    "induction_circuit" => |draw| {
        induction_circuit(draw.count(), draw.count())
    },
    "induction_score" => |draw| {
        let repeat = draw.repeat();
        let t = repeat.symbols.len().saturating_sub(1);
        induction_score(&draw.matrix(t, t), &repeat)
    },
    "log_slope" => |draw| {
        let points: Vec<_> = (0..draw.size())
            .map(|_| (draw.number(), draw.number()))
            .collect();
        log_slope(&points)
    },
    "look_up_jacobian_norm" => |draw| {
        let (t, d) = (draw.size(), draw.size());
        let x = draw.matrix(t, d);
        let mut place = || if draw.once_in(9) { draw.count() } else { draw.below(t.max(1)) };
        let (asks, found) = (place(), place());
        look_up_jacobian_norm(&x, asks, found)
    },
    "mean_ablated" => |draw| {
        let (layer, head) = (draw.count(), draw.count());
        let repeats: Vec<_> = (0..draw.below(3)).map(|_| draw.repeat()).collect();
        mean_ablated(&draw.attention_only(), layer, head, &repeats)
    },
    "mean_and_variance" => |draw| {
        let d = draw.size();
        mean_and_variance(&draw.row(d))
    },
    "mean_output" => |draw| {
        let (layer, head) = (draw.count(), draw.count());
        let repeats: Vec<_> = (0..draw.below(3)).map(|_| draw.repeat()).collect();
        mean_output(&draw.attention_only(), layer, head, &repeats)
    },
    "multi_head_cost" => |draw| {
        multi_head_cost(draw.count(), draw.count(), draw.count())
    },
    "neighbourhood_head" * 2 => |_draw| neighbourhood_head(),
    "neighbours_to_halves" => |draw| {
        let (t, d) = (draw.size(), draw.size());
        neighbours_to_halves(&draw.matrix(t, d))
    },
    "one_pass_attention" => |draw| {
        let [t_q, t_k, d_k, d_v] = [0; 4].map(|_| draw.size());
        let (queries, keys) = (draw.matrix(t_q, d_k), draw.matrix(t_k, d_k));
        let (values, mask) = (draw.matrix(t_k, d_v), draw.mask(t_q, t_k));
        one_pass_attention(&queries, &keys, &values, &mask)
    },
    "one_pass_cost" => |draw| one_pass_cost(draw.count(), draw.count()),
    "plain_cost" => |draw| plain_cost(draw.count(), draw.count()),
    "position_shift" => |draw| {
        let k = draw.one_of(&[0, 1, -1, i32::MIN, i32::MAX]);
        position_shift(k, draw.count())
    },
    "previous_token_head" * 2 => |_draw| previous_token_head(),
    "previous_token_score" => |draw| {
        let repeat = draw.repeat();
        let t = repeat.symbols.len().saturating_sub(1);
        previous_token_score(&draw.matrix(t, t), &repeat)
    },
    "pronoun_head" * 2 => |_draw| pronoun_head(),
    "saturation_study" => |draw| {
        let dimensions: Vec<_> = (0..draw.size()).map(|_| draw.count()).collect();
        saturation_study(&dimensions, draw.count(), draw.count(), draw.seed())
    },
    "saturation_table" * 50 => |draw| saturation_table(draw.seed()),
    "scores" => |draw| {
        let [t_q, t_k, d_k] = [0; 3].map(|_| draw.size());
        let (queries, keys) = (draw.matrix(t_q, d_k), draw.matrix(t_k, d_k));
        scores(&queries, &keys, draw.scale())
    },
    "sentence_features" => |draw| {
        let kinds = [WordKind::Noun, WordKind::Pronoun, WordKind::Other];
        let kinds: Vec<_> = (0..draw.size()).map(|_| draw.one_of(&kinds)).collect();
        sentence_features(&kinds)
    },
    "shift" => |draw| {
        let length = draw.size();
        let symbols = draw.symbols(length);
        shift(&symbols).0.len()
    },
    "sinusoids" => |draw| sinusoids(draw.count(), draw.count()),
    "softmax" => |draw| {
        let t = draw.size();
        softmax(&draw.row(t))
    },
    "softmax_backward" => |draw| {
        let t = draw.size();
        softmax_backward(&draw.row(t), &draw.row(t))
    },
    "softmax_jacobian" => |draw| {
        let t = draw.size();
        softmax_jacobian(&draw.row(t))
    },
    "softmax_rows" => |draw| {
        let (t_q, t_k) = (draw.size(), draw.size());
        softmax_rows(&draw.matrix(t_q, t_k))
    },
    "spread_table" * 50 => |draw| spread_table(draw.seed()),
    "token" => |draw| token(&draw.words()),
    "xavier" => |draw| {
        let mut normals = Normals::seeded(draw.seed());
        xavier(draw.small_or_largest(), draw.small_or_largest(), &mut normals)
    },
};

fn metrics(draw: &mut Draw) -> Metrics {
    let [loss_first, loss_repeated, accuracy] = [0; 3].map(|_| draw.number());
    let mut scores = || {
        let layers = draw.below(3);
        (0..layers)
            .map(|_| {
                let heads = draw.size();
                draw.row(heads).to_vec()
            })
            .collect()
    };
    let (previous, induction) = (scores(), scores());
    Metrics { loss_first, loss_repeated, accuracy, previous, induction }
}

fn seed(draw: &mut Draw) -> Seed {
    let Metrics { previous: zero, induction: mean, .. } = metrics(draw);
    let size = draw.size();
    let kept = vec![draw.symbols(size), vec![draw.count()]];
    Seed {
        seed: draw.seed(),
        jump: draw.once_in(2).then(|| draw.count()),
        one_layer: draw.number(),
        metrics: metrics(draw),
        ablations: Ablations { zero, mean, kept },
    }
}

fn attempt(draw: &mut Draw) -> Attempt {
    let [seen, held_out, verbs, states, weight_one, weight_two] =
        [0; 6].map(|_| draw.number());
    let (seed, learned_at) =
        (draw.seed(), draw.once_in(2).then(|| draw.count()));
    let network = draw.words();
    Attempt {
        network,
        seed,
        learned_at,
        seen,
        held_out,
        verbs,
        states,
        weight_one,
        weight_two,
    }
}

fn log(draw: &mut Draw) -> TrainingLog {
    let rows = draw.size();
    TrainingLog {
        rows: (0..rows).map(|_| (draw.count(), metrics(draw))).collect(),
    }
}

thread_local! {
    /// Whether a panic of this thread is caught, and not to be printed.
    static CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// What a panic says.
fn message(panic: &dyn Any) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| text.to_string());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
}

#[test]
fn every_public_function_is_among_these_and_none_else() {
    let here: Vec<&str> = FUNCTIONS.iter().map(|(name, ..)| *name).collect();
    let there = public_functions();
    let missing: Vec<_> =
        there.keys().filter(|name| !here.contains(&&name[..])).collect();
    assert!(missing.is_empty(), "not called with edges: {missing:?}");
    let gone: Vec<_> =
        here.iter().filter(|name| !there.contains_key(**name)).collect();
    assert!(gone.is_empty(), "no longer in the library: {gone:?}");
    assert!(here.is_sorted(), "to be found, they stand in order");
}

/// `cargo test -p attention --test edges -- --nocapture` prints how often each was called.
#[test]
fn no_public_function_panics_where_its_documentation_does_not_say_so() {
    let others = take_hook();
    set_hook(Box::new(move |panic| {
        if !CAUGHT.get() {
            others(panic);
        }
    }));
    let documented = public_functions();
    let mut found = BTreeMap::new();
    let (mut calls, mut refused) = (0, 0);
    for (number, (name, times, call)) in FUNCTIONS.iter().enumerate() {
        let mut draw = Draw::seeded(number as u64);
        let mut panics = 0;
        for _ in 0..*times {
            CAUGHT.set(true);
            let it = catch_unwind(AssertUnwindSafe(|| call(&mut draw)));
            CAUGHT.set(false);
            if let Err(panic) = it {
                panics += 1;
                if !documented.get(*name).copied().unwrap_or_default() {
                    found.insert(format!("{name}: {}", message(&*panic)), ());
                }
            }
        }
        calls += times;
        refused += panics;
        println!("{times:5} calls, {panics:4} panics: {name}");
    }
    println!(
        "{calls} calls of {} functions; {refused} panics, as documented",
        FUNCTIONS.len()
    );
    assert!(
        found.is_empty(),
        "{}",
        found.into_keys().collect::<Vec<_>>().join("\n")
    );
}
