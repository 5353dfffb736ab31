// Whether `diag` holds the excess.
override EXCESS: bool = false;

// Whether the corners stay, for kernels that solve periodic systems as they are.
override CLOSED: bool = false;
