// role: wide

// Numbers that residuals are summed in.
alias wide = f64;
