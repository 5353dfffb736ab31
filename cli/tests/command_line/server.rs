//! A process that runs one command line after another and keeps its devices: it compiles each kernel once. A program of its own for each
//! command line would do so every time.

use std::env;
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::support::Outcome;

/// Set in the server.
const VARIABLE: &str = "TRISOLVE_TEST_SERVER";
/// Ends what a run prints on either stream. The exit code follows, on a line.
const END: u8 = 4;

struct Server {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    stderr: BufReader<ChildStderr>,
}

/// What one run printed on a stream, and the exit code; `None` if the stream ended before.
fn read(stream: &mut impl BufRead) -> (String, Option<i32>) {
    let (mut text, mut code) = (vec![], String::new());
    stream.read_until(END, &mut text).expect("the server's output");
    stream.read_line(&mut code).expect("the server's output");
    if text.last() == Some(&END) {
        text.pop();
    }
    (String::from_utf8(text).expect("text"), code.trim().parse().ok())
}

impl Server {
    fn start() -> Self {
        let mut command = Command::new(env::current_exe().expect("this program's path"));
        command.args(["--exact", "server::serve", "--nocapture", "--test-threads", "1"]);
        // The tests ignore the tuning file of this machine's user.
        command.env(VARIABLE, "1").env("TRISOLVE_TUNING", "");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("this program starts");
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (stdin, stdout, stderr) = (stdin.expect("a pipe"), stdout.expect("a pipe"), stderr.expect("a pipe"));
        let mut server = Self { child, stdin, stdout: BufReader::new(stdout), stderr: BufReader::new(stderr) };
        // What the test runner prints.
        server.answer();
        server
    }

    fn answer(&mut self) -> (String, String, Option<i32>) {
        let (stdout, stderr) = (&mut self.stdout, &mut self.stderr);
        thread::scope(|scope| {
            let told = scope.spawn(|| read(stderr).0);
            let (said, code) = read(stdout);
            (said, told.join().expect("no panic"), code)
        })
    }
}

/// Runs a command line in the server, which the first call starts.
pub fn run(arguments: &[&str]) -> Outcome {
    static SERVER: Mutex<Option<Server>> = Mutex::new(None);
    let mut slot = SERVER.lock().unwrap_or_else(PoisonError::into_inner);
    let server = slot.get_or_insert_with(Server::start);
    let request = serde_json::to_string(arguments).expect("text");
    writeln!(server.stdin, "{request}").expect("the server reads");
    let (stdout, stderr, code) = server.answer();
    if code.is_none() {
        // A panic ended it. The next call starts another.
        server.child.wait().expect("the server ends");
        *slot = None;
    }
    Outcome { code: code.unwrap_or(-1), stdout, stderr }
}

/// The server: reads command lines from stdin, each an array in JSON. Without [`VARIABLE`] it does nothing.
#[test]
fn serve() {
    if env::var_os(VARIABLE).is_none() {
        return;
    }
    trisolve_cli::keep_devices();
    let end = |code: u8| {
        writeln!(io::stdout(), "{}{code}", char::from(END)).expect("stdout");
        writeln!(io::stderr(), "{}{code}", char::from(END)).expect("stderr");
    };
    end(0);
    for line in io::stdin().lines() {
        let arguments: Vec<OsString> = serde_json::from_str::<Vec<String>>(&line.expect("a line"))
            .expect("an array of texts")
            .into_iter()
            .map(OsString::from)
            .collect();
        end(trisolve_cli::run([OsString::from("trisolve")].into_iter().chain(arguments)));
    }
}
