// One function for each number of parameters of an initialiser, and a getter for each place: a class gets those that its table
// asks for. Needs `initialise` and `getValue`. The emitter refuses structs with more fields.

enum { mostFields = 32 };

#define P1 id a0
#define V1 a0
#define P2 P1, id a1
#define V2 V1, a1
#define P3 P2, id a2
#define V3 V2, a2
#define P4 P3, id a3
#define V4 V3, a3
#define P5 P4, id a4
#define V5 V4, a4
#define P6 P5, id a5
#define V6 V5, a5
#define P7 P6, id a6
#define V7 V6, a6
#define P8 P7, id a7
#define V8 V7, a7
#define P9 P8, id a8
#define V9 V8, a8
#define P10 P9, id a9
#define V10 V9, a9
#define P11 P10, id a10
#define V11 V10, a10
#define P12 P11, id a11
#define V12 V11, a11
#define P13 P12, id a12
#define V13 V12, a12
#define P14 P13, id a13
#define V14 V13, a13
#define P15 P14, id a14
#define V15 V14, a14
#define P16 P15, id a15
#define V16 V15, a15
#define P17 P16, id a16
#define V17 V16, a16
#define P18 P17, id a17
#define V18 V17, a17
#define P19 P18, id a18
#define V19 V18, a18
#define P20 P19, id a19
#define V20 V19, a19
#define P21 P20, id a20
#define V21 V20, a20
#define P22 P21, id a21
#define V22 V21, a21
#define P23 P22, id a22
#define V23 V22, a22
#define P24 P23, id a23
#define V24 V23, a23
#define P25 P24, id a24
#define V25 V24, a24
#define P26 P25, id a25
#define V26 V25, a25
#define P27 P26, id a26
#define V27 V26, a26
#define P28 P27, id a27
#define V28 V27, a27
#define P29 P28, id a28
#define V29 V28, a28
#define P30 P29, id a29
#define V30 V29, a29
#define P31 P30, id a30
#define V31 V30, a30
#define P32 P31, id a31
#define V32 V31, a31

static id init0(id self, SEL selector) { return initialise(self, selector, NULL, 0); }
#define DB_INITIALISER(n) \
    static id init##n(id self, SEL selector, P##n) { \
        id values[] = {V##n}; \
        return initialise(self, selector, values, n); \
    }
#define DB_GETTER(n) \
    static id get##n(id self, SEL selector) { return getValue(self, n - 1); }
#define DB_NAME_INITIALISER(n) , (IMP)init##n
#define DB_NAME_GETTER(n) (IMP)get##n,
#define DB_NUMBERS(X) \
    X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) \
    X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31) X(32)

DB_NUMBERS(DB_INITIALISER)
DB_NUMBERS(DB_GETTER)
static const IMP initialisers[] = {(IMP)init0 DB_NUMBERS(DB_NAME_INITIALISER)};
static const IMP getters[] = {DB_NUMBERS(DB_NAME_GETTER)};
