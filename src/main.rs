//! The binary: parse, run, exit code. What is done is told in `cli/`, how it is done in the library.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
