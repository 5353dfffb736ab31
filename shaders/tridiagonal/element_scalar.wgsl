// role: element
import roles::real::real;

// Rows at any stride.
alias element = real;
