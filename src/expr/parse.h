/* Text to syntax trees. Positions are offsets into the text; the caller turns them into line and column. */
#ifndef RW_PARSE_H
#define RW_PARSE_H

#include "core/core.h"

__extension__ typedef __int128 rw_int128;

typedef enum rw_syntax_kind { RW_SYNTAX_NUMBER, RW_SYNTAX_NAME, RW_SYNTAX_CALL, RW_SYNTAX_OPERATOR } rw_syntax_kind;

typedef struct rw_syntax {
    rw_syntax_kind kind;
    int at;          /* offset of the name or sign */
    double value;    /* NUMBER */
    bool imaginary;  /* NUMBER followed by i */
    bool is_exact;   /* NUMBER that is an integer of less than 2^126 */
    rw_int128 exact; /* that integer */
    char name[32];   /* NAME, CALL; the sign of an OPERATOR ("u-" is the minus before an operand) */
    int n;           /* arguments or operands */
    struct rw_syntax **args;
    struct rw_syntax *next; /* all trees of a parse in one list, to free them */
} rw_syntax;

typedef enum rw_statement_kind { RW_ASSIGN, RW_DEFINE, RW_RATE, RW_EQUATION } rw_statement_kind;

/* ASSIGN: name = value   |   DEFINE: name(p0, p1, …) = value   |   RATE: dname/dt = value   |   EQUATION: left = value
 *
 * A left side that is none of the first three forms is an equation; so is the call of an operator or a function of the
 * language: laplace(psi) = -w. What only the fields decide is read as a definition: see rw_find_equations. */
typedef struct rw_statement {
    rw_statement_kind kind;
    char name[32]; /* "" of an EQUATION */
    int at;
    int nparameters;
    char parameters[8][32];
    rw_syntax *left; /* DEFINE, EQUATION */
    rw_syntax *value;
    int known; /* EQUATION made of a rate's marked terms: field n - known of the n so far is its right-hand side; 0 */
} rw_statement;

/* Position of a text, for messages: "case.yaml", line and column of its first character. */
typedef struct rw_source {
    const char *name, *text;
    int line, column;
} rw_source;

typedef struct rw_parsed {
    rw_statement *statements;
    int n, capacity;
    rw_syntax *all;
} rw_parsed;

/* The statement that was meant as an equation for the second derivative of a field in time (u_tt = …, dtt(u) = …,
 * ddu/dt = …), which has no meaning; NULL: there is none. */
const rw_statement *rw_second_rate(const rw_parsed *parsed, const char *field);
/* Statements separated by ';' or line ends; '#' begins a comment. */
rw_status rw_parse_statements(rw_context *ctx, const rw_source *source, rw_parsed *parsed);
/* A single expression as the statement "= value" with an empty name. */
rw_status rw_parse_expression(rw_context *ctx, const rw_source *source, rw_parsed *parsed);
void rw_parsed_free(rw_parsed *parsed);

/* A comment for texts put together from several: what follows stands at this place of that source, later lines begin in
 * the same column (a block of YAML). Places of messages follow it. */
void rw_add_place(rw_text *text, const char *name, int line, int column);

/* "case.yaml:3:14", where `at` is. */
void rw_place_text(const rw_source *source, int at, char *text, size_t size);
/* Fails with "name:line:column: " before the message. */
rw_status rw_fail_at(rw_context *ctx, const rw_source *source, int at, const char *format, ...) RW_PRINTF(4, 5);

#endif
