// role: outer
import roles::real::real;

alias outer = real;
