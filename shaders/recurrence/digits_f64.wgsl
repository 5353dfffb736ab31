// 2^480, 2^-480, 2^960 and 2^-960: products of two numbers between the first two are normal.
const HIGH: real = 3.1217485503159922e144lf;
const LOW: real = 3.2033329522929615e-145lf;
const UP: real = 9.7453140114e288lf;
const DOWN: real = 1.0261342003245941e-289lf;
