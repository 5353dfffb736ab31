// Rows at any stride.
alias element = real;
