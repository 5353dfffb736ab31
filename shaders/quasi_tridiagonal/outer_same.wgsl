alias outer = real;
