// role: wide
import roles::real::real;

// Numbers that residuals are summed in.
alias wide = real;
