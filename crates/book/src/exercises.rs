//! The exercises of all chapters, gathered: their questions, and where the answers are.

use crate::page::{link_text, way};

/// The heading that exercises stand under, in each chapter.
const HEADING: &str = "## Exercises";

/// The list of all exercises, as Markdown, for the page `here`; empty if there are none. Each chapter is given by its page, a
/// path from the book's first folder, and its text.
///
/// ```
/// let chapter = "# 7.1 Query\n\nText.\n\n## Exercises\n\n1. What is it?\n\n<details>\nThis.\n</details>\n\n## In short\n";
/// let list = book::exercises::list([("part/a b.html", chapter)], "all.html");
/// assert_eq!(list, "**[7.1 Query](part/a%20b.html#exercises)**\n\n1. What is it?\n");
/// ```
pub fn list<'a>(chapters: impl IntoIterator<Item = (&'a str, &'a str)>, here: &str) -> String {
    let lists = chapters.into_iter().filter_map(|(page, text)| {
        let title = text.lines().find_map(|line| line.strip_prefix("# "))?;
        let questions = questions(text);
        // Not a heading: mdBook makes those links themselves.
        let link = format!("**[{}]({}#exercises)**", link_text(title), way(here, page));
        (!questions.is_empty()).then(|| format!("{link}\n\n{}\n", questions.join("\n")))
    });
    lists.collect::<Vec<_>>().join("\n")
}

/// The questions of a chapter: what begins with a number, without the answers, which are folded away.
fn questions(text: &str) -> Vec<String> {
    let mut questions: Vec<String> = Vec::new();
    let mut in_answer = false;
    let lines = text.lines().skip_while(|line| *line != HEADING).skip(1);
    for line in lines.take_while(|line| !line.starts_with("## ")) {
        in_answer |= line.starts_with("<details");
        let begins = line.split_once(". ").is_some_and(|(number, _)| number.parse::<usize>().is_ok());
        match questions.last_mut() {
            _ if in_answer || line.trim().is_empty() => {}
            _ if begins => questions.push(line.to_owned()),
            Some(question) => *question += &format!("\n{line}"),
            None => {}
        }
        in_answer &= !line.starts_with("</details>");
    }
    questions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_end_where_answers_begin() {
        let text = "# T\n\n1. not one\n\n## Exercises\n\n1. One\n   goes on.\n\n<details>\n1. In an answer\n</details>\n\n2. Two\n";
        assert_eq!(questions(text), ["1. One\n   goes on.", "2. Two"]);
    }
}
