// role: element
import roles::real::real4;

// Rows side by side: four a load. The bind sees to it that the last, partial vector lies inside the binding.
alias element = real4;
