// Numbers that residuals are summed in.
alias wide = real;
