//! The tests of the models. They are one program: it is linked once.

mod lowered;
mod oracle;
mod page;
mod samples;
mod shown;
mod small;

mod agree;
mod bounds;
mod emit;
mod errors_characters;
mod errors_declarations;
mod errors_habits;
mod errors_limits;
mod errors_names;
mod errors_statements;
mod errors_syntax;
mod errors_types;
mod format;
mod levels;
mod liveness;
mod lower;
mod lower_choices;
mod lower_language;
mod lower_points;
mod lower_statements;
mod oracle_rules;
mod oracle_self;
mod parse_grammar;
mod parse_random;
mod races;
mod rounds;
mod sequential_delays;
mod symbolic;
