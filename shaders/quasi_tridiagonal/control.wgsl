// Words by which the steps of a solve, recorded ahead, know whether they are wanted.
const PHASE = 0u;
const OUTCOME = 1u;
// Iterations in all, those before this cycle, and those of it.
const ITERATIONS = 2u;
const BEFORE = 3u;
const IN_CYCLE = 4u;
const CYCLES = 5u;
// Columns of the Krylov basis that GMRES has.
const COLUMNS = 6u;
// Which of two places the iterate is in.
const X_AT = 7u;
// f32s, all relative to the right-hand side: the last residual; the one that a cycle shall reach; that with which a cycle
// began; that at which patience was last renewed, and at which iteration that was.
const RESIDUAL = 8u;
const TARGET = 9u;
const AT_BEGIN = 10u;
const MARK = 11u;
const MARKED_AT = 12u;
// What a norm of this cycle is multiplied by to be relative to the right-hand side.
const CYCLE_SCALE = 13u;
// The last step, relative to x.
const STEP = 14u;
// What a cycle ended for, to be confirmed by the true residual.
const ENDED = 15u;
// Cycles in a row that have brought nothing.
const FRUITLESS = 16u;
const WORDS = 20u;

// Words that say what is wrong: the first row of b that is not finite, while that is looked for; the first of x that left
// the range; the bits of the largest y; the first again; the first of the guess; whether any of x is far from
// underflowing.
const FAULTS = 8u;

// Phases: iterating; a cycle has ended; the solve has; a cycle is to begin.
const ITERATE = 0u;
const VERIFY = 1u;
const DONE = 2u;
const BEGIN = 3u;

// Outcomes.
const CONVERGED = 1u;
const DIVERGED = 2u;
const STAGNATED = 3u;
const EXHAUSTED = 4u;
const NOT_FINITE = 5u;
const ZERO_RHS = 6u;
const RHS_NOT_FINITE = 7u;
const BROKE_DOWN = 8u;
